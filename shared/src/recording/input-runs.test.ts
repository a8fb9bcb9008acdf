import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteWriter, VARINT_BYTES_MAX } from './bytes.js';
import { putRuns, RUN_SPARE_BYTES } from './input-runs.js';

/** As `docs/rpl.md` has it, number by number. */
function byHand(frames: readonly (readonly number[])[], size: number): ByteWriter {
  const writer = new ByteWriter(64);
  let before: readonly number[] = new Array<number>(size).fill(0);
  for (let frame = 0; frame < frames.length; ) {
    const words = frames[frame]!;
    let run = 1;
    while (frames[frame + run]?.every((word, at) => word === words[at]) === true) run++;
    writer.varint(run);
    for (const [at, word] of words.entries()) writer.zigzag((word - before[at]!) | 0);
    before = words;
    frame += run;
  }
  return writer;
}

it('runs of inputs are written as the format has them, of one word or of many, and nothing before or far behind them', () => {
  // Changes of each number of bytes, and across the ends of 32 bits.
  const word = fc.oneof(
    ...[1, 0x40, 0x2000, 0x10_0000, 0x800_0000, 0x7fff_ffff].map((max) => fc.integer({ min: -max - 1, max })),
  );
  const input = fc.integer({ min: 1, max: 3 }).chain((size) =>
    fc.record({
      size: fc.constant(size),
      frames: fc
        .array(
          fc.record({
            words: fc.array(word, { minLength: size, maxLength: size }),
            frames: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 300 })),
          }),
          { minLength: 1, maxLength: 20 },
        )
        .map((runs) => runs.flatMap(({ words, frames }) => new Array<number[]>(frames).fill(words))),
      start: fc.nat(9),
    }),
  );
  fc.assert(
    fc.property(input, ({ size, frames, start }) => {
      const words = Int32Array.from([[...new Array<number>(size).keys()], ...frames].flat());
      const room = VARINT_BYTES_MAX * frames.length * (1 + size);
      const bytes = new Uint8Array(start + room + RUN_SPARE_BYTES).fill(0xee);
      const end = putRuns(bytes, new DataView(bytes.buffer), start, words, size, words.length, size);
      const expected = byHand(frames, size);
      expect(bytes.subarray(start, end)).toEqual(expected.buffer.subarray(0, expected.length));
      expect(
        [...bytes.subarray(0, start), ...bytes.subarray(end + RUN_SPARE_BYTES)].every((byte) => byte === 0xee),
      ).toBe(true);
    }),
  );
});
