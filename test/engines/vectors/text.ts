/** How results are written down so that every bit shows: no engine's own way of printing floats is trusted. */

export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

export function hex32(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}

const bits = new DataView(new ArrayBuffer(8));

/** The 64 bits of a number; all NaNs are one, since engines may hand out any of them. */
export function bitsOf(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  bits.setFloat64(0, value);
  return hex32(bits.getUint32(0)) + hex32(bits.getUint32(4));
}

export function doubleOf(high: number, low: number): number {
  bits.setUint32(0, high);
  bits.setUint32(4, low);
  return bits.getFloat64(0);
}
