const POLYNOMIAL = 0xedb88320;

/** The remainder of each byte, followed by 0 to 3 more bytes: four tables, so that four bytes go at once. */
const TABLES = /* @__PURE__ */ tables();

function tables(): Int32Array {
  const remainders = new Int32Array(4 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ ((remainder & 1) === 0 ? 0 : POLYNOMIAL);
    remainders[byte] = remainder;
  }
  for (let at = 256; at < remainders.length; at++) {
    const before = remainders[at - 256]!;
    remainders[at] = (before >>> 8) ^ remainders[before & 0xff]!;
  }
  return remainders;
}

/** CRC-32 (IEEE 802.3, as in zip and PNG) of `bytes` from `start` up to, not including, `end`; unsigned. */
export function crc32(bytes: Uint8Array, start: number, end: number): number {
  const table = TABLES;
  let crc = -1;
  let at = start;
  for (const last = end - 4; at <= last; at += 4) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      table[768 + (crc & 0xff)]! ^
      table[512 + ((crc >>> 8) & 0xff)]! ^
      table[256 + ((crc >>> 16) & 0xff)]! ^
      table[crc >>> 24]!;
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ table[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}
