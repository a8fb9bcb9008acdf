const hex = (byte) => byte.toString(16).padStart(2, '0');

/** As text in hexadecimal, which is all that is asked for. */
module.exports = (count) => ({
  toString: () => Array.from(crypto.getRandomValues(new Uint8Array(count)), hex).join(''),
});
