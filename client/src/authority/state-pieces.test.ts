import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStatePiece, StatePieces, statePieces } from './state-pieces.js';

const state = Uint8Array.from({ length: 40_000 }, (_, at) => at * 7);

describe('a state in pieces', () => {
  it('is whole with its last piece', () => {
    const pieces = [...statePieces(900, state)];
    expect(pieces.every(isStatePiece)).toBe(true);
    const receiver = new StatePieces();
    const taken = pieces.map((piece) => receiver.take(piece));
    expect(taken.slice(0, -1)).toEqual([undefined, undefined]);
    expect(taken.at(-1)).toEqual({ frame: 900, bytes: state });
  });

  it('begins anew when a later one comes before the first is whole', () => {
    const receiver = new StatePieces();
    receiver.take([...statePieces(900, state)][0]!);
    const later = [...statePieces(960, state.subarray(9))].map((piece) => receiver.take(piece));
    expect(later.at(-1)).toEqual({ frame: 960, bytes: state.subarray(9) });
  });

  it('never comes of pieces that do not follow each other, are cut, or are noise', () => {
    const pieces = [...statePieces(900, state)];
    const receiver = new StatePieces();
    expect(
      pieces
        .toReversed()
        .map((piece) => receiver.take(piece))
        .every((whole) => whole === undefined),
    ).toBe(true);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (noise) => {
        const whole = receiver.take(noise);
        if (whole !== undefined) expect(whole.bytes.length).toBe(noise.length - 13);
      }),
    );
  });
});
