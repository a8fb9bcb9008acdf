import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeFeedAck,
  decodeFeedHead,
  decodeFeedInputs,
  encodeFeed,
  encodeFeedAck,
  FEED_ACK_BYTES,
  feedFramesMax,
  feedHead,
} from './feed-packet.js';
import { PACKET_BYTES_MAX } from './packet.js';

const shape = fc
  .record({ players: fc.integer({ min: 1, max: 8 }), bits: fc.integer({ min: 1, max: 70 }) })
  .chain(({ players, bits }) =>
    fc.record({
      players: fc.constant(players),
      bits: fc.constant(bits),
      count: fc.integer({ min: 0, max: Math.min(63, feedFramesMax(players, bits)) }),
      seed: fc.nat(),
      changes: fc.integer({ min: 1, max: 5 }),
    }),
  );

function inputsOf(players: number, count: number, bits: number, seed: number, changes: number): Int32Array {
  const words = Math.ceil(bits / 32);
  const mask = (word: number) => (bits - word * 32 >= 32 ? -1 : (1 << (bits - word * 32)) - 1);
  return Int32Array.from({ length: players * (count + 1) * words }, (_, at) => {
    const frame = Math.floor(at / words);
    return Math.imul(Math.floor(frame / changes) + seed, 0x9e3779b1) & mask(at % words);
  });
}

describe('a packet for a spectator', () => {
  it('arrives as it was written, for any number of seats, inputs of any width, and any frame', () => {
    fc.assert(
      fc.property(
        shape,
        fc.record({
          epoch: fc.nat(31),
          firstFrame: fc.nat(0xffff_ff00),
          gone: fc.nat(255),
          ahead: fc.nat(65_535),
          back: fc.option(fc.nat(254), { nil: undefined }),
          chain: fc.nat(0xffff_ffff),
        }),
        ({ players, bits, count, seed, changes }, { epoch, firstFrame, gone, ahead, back, chain }) => {
          const words = Math.ceil(bits / 32);
          const last = firstFrame + count - 1;
          const chainFrame = back === undefined || last - back < 0 ? -1 : last - back;
          const head = { epoch, firstFrame, count, gone, newest: last + ahead, chainFrame, chain };
          const inputs = inputsOf(players, count, bits, seed, changes);
          const buffer = new Uint8Array(PACKET_BYTES_MAX);
          const bytes = buffer.slice(0, encodeFeed(head, inputs, players, words, bits, buffer));
          const read = feedHead();
          expect(decodeFeedHead(bytes, read)).toBe(true);
          expect(read).toEqual(head);
          const back2 = new Int32Array(inputs.length);
          const stride = (count + 1) * words;
          for (let player = 0; player < players; player++) {
            back2.set(inputs.subarray(player * stride, player * stride + words), player * stride);
          }
          expect(decodeFeedInputs(bytes, read, back2, players, words, bits)).toBe(true);
          expect(back2).toEqual(inputs);
          for (const other of [bytes.slice(0, -1), Uint8Array.from([...bytes, 0])]) {
            expect(decodeFeedInputs(other, read, back2, players, words, bits)).toBe(false);
          }
        },
      ),
    );
  });

  it('fits, also when every input of every seat changes', () => {
    for (const players of [1, 2, 8]) {
      for (const bits of [1, 16, 32, 96]) {
        const count = feedFramesMax(players, bits);
        expect(count).toBeGreaterThan(7);
        const head = { ...feedHead(), count, chainFrame: 3, firstFrame: 3 };
        const words = Math.ceil(bits / 32);
        const buffer = new Uint8Array(PACKET_BYTES_MAX + 500);
        const length = encodeFeed(head, inputsOf(players, count, bits, 5, 1), players, words, bits, buffer);
        expect(length).toBeLessThanOrEqual(PACKET_BYTES_MAX);
      }
    }
  });

  it('is answered for the epoch that it belongs to', () => {
    const bytes = new Uint8Array(FEED_ACK_BYTES);
    for (const frame of [-1, 0, 70_000, 0xffff_fff0]) {
      encodeFeedAck(7, frame, bytes);
      expect(decodeFeedAck(bytes, 7)).toBe(frame);
      expect(decodeFeedAck(bytes, 8)).toBeUndefined();
    }
    expect(decodeFeedAck(bytes.subarray(1), 7)).toBeUndefined();
  });
});
