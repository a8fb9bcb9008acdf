import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PACKET_BYTES_MAX } from './packet.js';
import {
  decodeForwarded,
  decodeForwardedHead,
  decodeSeatNews,
  encodeForwarded,
  encodeSeatNews,
  type Forwarded,
  forwardedFramesMax,
  SEAT_NEWS_BYTES,
  type SeatNews,
} from './seat-news.js';

function blankNews(): SeatNews {
  return { have: 0, asks: false, hasYours: 0 };
}

describe('what a packet says of a third seat', () => {
  it('arrives as it was written where it lies near, and as not said where it does not', () => {
    const frames = fc.record({
      head: fc.nat(1e6),
      have: fc.integer({ min: -200, max: 200 }),
      ack: fc.integer({ min: -30, max: 30 }),
      yours: fc.integer({ min: -300, max: 300 }),
      asks: fc.boolean(),
    });
    fc.assert(
      fc.property(frames, ({ head, have, ack, yours, asks }) => {
        const news = { have: head + have, asks, hasYours: head + ack + yours };
        const bytes = new Uint8Array(SEAT_NEWS_BYTES);
        encodeSeatNews(news, head, head + ack, bytes, 0);
        const read = blankNews();
        decodeSeatNews(bytes, 0, head, head + ack, read);
        const isNear = have > -64 && have < 64;
        expect(read).toEqual({
          asks,
          have: isNear ? news.have : -2,
          hasYours: yours > -128 && yours < 128 ? news.hasYours : -2,
        });
      }),
    );
  });

  it('says that a seat has no input yet', () => {
    const bytes = new Uint8Array(SEAT_NEWS_BYTES);
    encodeSeatNews({ have: -1, asks: true, hasYours: -1 }, 5, 3, bytes, 0);
    const read = blankNews();
    decodeSeatNews(bytes, 0, 5, 3, read);
    expect(read).toEqual({ have: -1, asks: true, hasYours: -1 });
  });
});

describe('forwarded inputs', () => {
  it('arrive as they were written, block after block, and never past their end', () => {
    const block = fc.record({
      seat: fc.nat(7),
      lastFrame: fc.integer({ min: 100, max: 1e6 }),
      values: fc.array(fc.nat(3), { minLength: 2, maxLength: 30 }),
    });
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 6 }), fc.integer({ min: 2, max: 32 }), (blocks, bits) => {
        const buffer = new Uint8Array(PACKET_BYTES_MAX);
        const inputsOf = (values: readonly number[]) => Int32Array.from(values);
        let end = 3;
        for (const { seat, lastFrame, values } of blocks) {
          const head = { seat, lastFrame, count: values.length - 1 };
          end = encodeForwarded(head, inputsOf(values), 1, bits, buffer, end);
        }
        const bytes = buffer.slice(0, end);
        let at = 3;
        for (const { seat, lastFrame, values } of blocks) {
          const head: Forwarded = { seat: 0, lastFrame: 0, count: 0 };
          expect(decodeForwardedHead(bytes, at, lastFrame + 20_000, head)).toBe(true);
          expect(head).toEqual({ seat, lastFrame, count: values.length - 1 });
          const inputs = new Int32Array(values.length);
          inputs[0] = values[0]!;
          const next = decodeForwarded(bytes, at, head.count, inputs, 1, bits);
          expect([...inputs]).toEqual(values);
          expect(decodeForwarded(bytes.subarray(0, at + 3), at, head.count, inputs, 1, bits)).toBe(-1);
          at = next;
        }
        expect(at).toBe(bytes.length);
        expect(decodeForwardedHead(bytes, at, 0, { seat: 0, lastFrame: 0, count: 0 })).toBe(false);
      }),
    );
  });

  it('are as many as fit the room, and none where there is none', () => {
    for (const bits of [1, 16, 100, 1024]) {
      for (const room of [0, 4, 5, 20, 200, 1000]) {
        const count = forwardedFramesMax(room, bits);
        const words = Math.ceil(bits / 32);
        const inputs = Int32Array.from({ length: (count + 1) * words }, (_, at) => (Math.floor(at / words) & 1) - 1);
        const mask = bits % 32 === 0 ? -1 : (1 << (bits % 32)) - 1;
        for (let at = words - 1; at < inputs.length; at += words) inputs[at]! &= mask;
        const end = encodeForwarded({ seat: 1, lastFrame: 9, count }, inputs, words, bits, new Uint8Array(2000), 0);
        expect(count === 0 || end <= room).toBe(true);
      }
    }
    expect(forwardedFramesMax(200, 16)).toBeGreaterThan(60);
    expect(forwardedFramesMax(8, 16)).toBe(1);
  });
});
