/*
 * A strict UTF-8 codec: `shared` compiles without the DOM and Node types that TextEncoder and TextDecoder come from.
 */

const REPLACEMENT = 0xfffd;

/** The bytes of `text`; half of a surrogate pair becomes U+FFFD, as everywhere on the web. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    let point = character.codePointAt(0)!;
    if (point >= 0xd800 && point <= 0xdfff) point = REPLACEMENT;
    let more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    // As many high bits as bytes, then a zero: 110, 1110 or 11110.
    bytes.push(more === 0 ? point : ((0x3f80 >> more) & 0xff) | (point >> (6 * more)));
    while (more-- > 0) bytes.push(0x80 | ((point >> (6 * more)) & 63));
  }
  return Uint8Array.from(bytes);
}

/** How many bytes a character takes by its first byte; 0 for a byte that begins none. */
function lengthBy(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/** The smallest character that needs so many bytes: a longer form than needed is not UTF-8. */
const SMALLEST = [0, 0, 0x80, 0x800, 0x10000];

/** The text of the bytes from `start` to `end`, or undefined when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string | undefined {
  let text = '';
  for (let at = start; at < end; ) {
    const first = bytes[at]!;
    const length = lengthBy(first);
    if (length === 0 || at + length > end) return undefined;
    let point = length === 1 ? first : first & (0x7f >> length);
    for (let next = at + 1; next < at + length; next++) {
      const byte = bytes[next]!;
      if ((byte & 0xc0) !== 0x80) return undefined;
      point = (point << 6) | (byte & 63);
    }
    if (point < SMALLEST[length]! || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
    text += String.fromCodePoint(point);
    at += length;
  }
  return text;
}
