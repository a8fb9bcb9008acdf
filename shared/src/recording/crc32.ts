const POLYNOMIAL = 0xedb88320;

/** The remainder of each byte. */
const TABLE = /* @__PURE__ */ Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ ((remainder & 1) * POLYNOMIAL);
  return remainder;
});

/** CRC-32 (IEEE 802.3, as in zip and PNG) of `bytes` from `start` up to, not including, `end`; unsigned. */
export function crc32(bytes: Uint8Array, start: number, end: number): number {
  const table = TABLE;
  let crc = -1;
  for (let at = start; at < end; at++) crc = (crc >>> 8) ^ table[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}
