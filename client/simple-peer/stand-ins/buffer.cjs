/** Only what is pushed into the stream is made one. */
module.exports = { Buffer: { from: (data) => new Uint8Array(data) } };
