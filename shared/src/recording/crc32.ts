const POLYNOMIAL = 0xedb88320;
const BYTES_AT_ONCE = 8;

/**
 * The remainder of each byte, followed by 0 to 7 bytes of zeros, 256 numbers each: eight bytes are then looked up at
 * once, and their remainders do not wait for each other ("slicing by 8", Kounavis and Berry, 2005).
 */
const TABLES = /* @__PURE__ */ makeTables();

function makeTables(): Int32Array {
  const tables = new Int32Array(256 * BYTES_AT_ONCE);
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ ((remainder & 1) * POLYNOMIAL);
    tables[byte] = remainder;
  }
  for (let at = 256; at < tables.length; at++) {
    const before = tables[at - 256]!;
    tables[at] = (before >>> 8) ^ tables[before & 0xff]!;
  }
  return tables;
}

/** CRC-32 (IEEE 802.3, as in zip and PNG) of `bytes` from `start` up to, not including, `end`; unsigned. */
export function crc32(bytes: Uint8Array, start: number, end: number): number {
  const tables = TABLES;
  let crc = -1;
  let at = start;
  for (const last = end - BYTES_AT_ONCE; at <= last; at += BYTES_AT_ONCE) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      tables[0x700 | (crc & 0xff)]! ^
      tables[0x600 | ((crc >>> 8) & 0xff)]! ^
      tables[0x500 | ((crc >>> 16) & 0xff)]! ^
      tables[0x400 | (crc >>> 24)]! ^
      tables[0x300 | bytes[at + 4]!]! ^
      tables[0x200 | bytes[at + 5]!]! ^
      tables[0x100 | bytes[at + 6]!]! ^
      tables[bytes[at + 7]!]!;
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ tables[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}
