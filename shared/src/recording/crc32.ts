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

/** CRC-32 (IEEE 802.3, as in zip and PNG) of the bytes of `view` from `start` up to, not including, `end`; unsigned. */
export function crc32(view: DataView, start: number, end: number): number {
  const tables = TABLES;
  let crc = -1;
  let at = start;
  for (const last = end - BYTES_AT_ONCE; at <= last; at += BYTES_AT_ONCE) {
    const first = crc ^ view.getInt32(at, true);
    const second = view.getInt32(at + 4, true);
    // In pairs, that none waits for more others than it must.
    crc =
      tables[0x300 | (second & 0xff)]! ^
      tables[0x200 | ((second >>> 8) & 0xff)]! ^
      (tables[0x100 | ((second >>> 16) & 0xff)]! ^ tables[second >>> 24]!) ^
      (tables[0x700 | (first & 0xff)]! ^
        tables[0x600 | ((first >>> 8) & 0xff)]! ^
        (tables[0x500 | ((first >>> 16) & 0xff)]! ^ tables[0x400 | (first >>> 24)]!));
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ tables[(crc ^ view.getUint8(at)) & 0xff]!;
  return ~crc >>> 0;
}
