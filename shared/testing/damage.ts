import fc from 'fast-check';

export function appended(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** One fault in a file: bytes written over, taken out, put in, doubled, or everything from a byte on missing. */
export function damaged(whole: Uint8Array): fc.Arbitrary<Uint8Array> {
  const at = fc.nat(whole.length - 1);
  const some = fc.uint8Array({ minLength: 1, maxLength: 12 });
  const size = fc.integer({ min: 1, max: 40 });
  const splice = (start: number, count: number, put: Uint8Array) =>
    appended(whole.slice(0, start), put, whole.slice(start + count));
  return fc
    .oneof(
      fc.tuple(at, fc.nat(7)).map(([start, bit]) => splice(start, 1, Uint8Array.of(whole[start]! ^ (1 << bit)))),
      fc.tuple(at, some).map(([start, put]) => splice(start, put.length, put)),
      fc.tuple(at, size).map(([start, count]) => splice(start, count, new Uint8Array(count))),
      fc.tuple(at, size).map(([start, count]) => splice(start, count, new Uint8Array())),
      fc.tuple(at, some).map(([start, put]) => splice(start, 0, put)),
      fc.tuple(at, size).map(([start, count]) => splice(start, 0, whole.slice(start, start + count))),
      at.map((start) => whole.slice(0, start)),
    )
    .filter((bytes) => bytes.length !== whole.length || bytes.some((byte, index) => byte !== whole[index]));
}
