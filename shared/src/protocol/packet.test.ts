import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeHead,
  decodeInputs,
  encodePacket,
  isPacket,
  PACKET_BYTES_MAX,
  packetFramesMax,
  packetHead,
} from './packet.js';

const head = fc.record({
  epoch: fc.nat(31),
  head: fc.integer({ min: 0, max: 1e7 }),
  lead: fc.integer({ min: -32, max: 31 }),
  ackBehind: fc.integer({ min: -127, max: 127 }),
  confirmedBehind: fc.nat(254),
  rate: fc.constantFrom(0.5, 0.75, 0.915, 0.995, 1),
  holdMs: fc.nat(255),
  chain: fc.nat(0xffffffff),
  drift: fc.integer({ min: -30_000, max: 30_000 }),
});

describe('a packet', () => {
  it('arrives as it was written, for any inputs of any width, from a reader that is thousands of frames off', () => {
    const inputs = fc.integer({ min: 1, max: 96 }).chain((bits) =>
      fc.record({
        bits: fc.constant(bits),
        frames: fc.array(fc.array(fc.nat(3), { minLength: 3, maxLength: 3 }), {
          minLength: 1,
          maxLength: 1 + Math.min(40, packetFramesMax(bits)),
        }),
      }),
    );
    fc.assert(
      fc.property(head, inputs, (sent, { bits, frames }) => {
        const words = Math.ceil(bits / 32);
        const mask = (word: number) => (bits - word * 32 >= 32 ? -1 : (1 << (bits - word * 32)) - 1);
        const flat = Int32Array.from(
          frames.flatMap((values) =>
            values.slice(0, words).map((value, word) => Math.imul(value, 0x5bd1e995) & mask(word)),
          ),
        );
        const count = frames.length - 1;
        const { epoch, rate, holdMs, chain } = sent;
        const lastFrame = sent.head + sent.lead;
        const confirmed = Math.max(-1, sent.head - sent.confirmedBehind);
        const full = {
          epoch,
          rate,
          holdMs,
          chain,
          count,
          lastFrame,
          head: sent.head,
          ack: lastFrame - sent.ackBehind,
          confirmed,
        };
        const buffer = new Uint8Array(PACKET_BYTES_MAX);
        const bytes = buffer.slice(0, encodePacket(full, flat, words, bits, buffer));
        expect(isPacket(bytes)).toBe(true);
        const read = packetHead();
        const at = decodeHead(bytes, lastFrame + sent.drift, read);
        expect(read).toEqual(full);
        const back = new Int32Array(flat.length);
        back.set(flat.subarray(0, words));
        expect(decodeInputs(bytes, at, count, back, words, bits)).toBe(bytes.length);
        expect(back).toEqual(flat);
        const longer = new Uint8Array(bytes.length + 1);
        longer.set(bytes);
        expect(decodeInputs(longer, at, count, back, words, bits)).toBe(bytes.length);
        if (bytes.length > 13) expect(decodeInputs(bytes.slice(0, -1), at, count, back, words, bits)).toBe(-1);
      }),
      { numRuns: 300 },
    );
  });

  it('is eleven bytes when nothing is pressed, and two bytes a frame more when 16 buttons change at random', () => {
    const buffer = new Uint8Array(PACKET_BYTES_MAX);
    const usual = { ...packetHead(), head: 500, lastFrame: 502, count: 14, ack: 495, confirmed: 495 };
    expect(encodePacket(usual, new Int32Array(15), 1, 16, buffer)).toBe(11);
    const changing = Int32Array.from({ length: 15 }, (_, frame) => (frame * 7919) & 0xffff);
    expect(encodePacket(usual, changing, 1, 16, buffer)).toBe(11 + 14 * 2);
    changing[5] = changing[4]!;
    expect(encodePacket(usual, changing, 1, 16, buffer)).toBe(11 + 2 + 13 * 2);
  });

  it('says that there is no acknowledgement, or no hash, where they lie out of reach', () => {
    const buffer = new Uint8Array(PACKET_BYTES_MAX);
    const far = { ...packetHead(), head: 900, lastFrame: 900, ack: 700, confirmed: 600 };
    const bytes = buffer.slice(0, encodePacket(far, new Int32Array(1), 1, 16, buffer));
    const read = packetHead();
    decodeHead(bytes, 900, read);
    expect(read).toMatchObject({ lastFrame: 900, head: 900, ack: -1, confirmed: -1 });
  });

  it('refuses bits that the input does not have', () => {
    const buffer = new Uint8Array(PACKET_BYTES_MAX);
    const length = encodePacket({ ...packetHead(), count: 1, lastFrame: 0 }, Int32Array.of(0, 0xff), 1, 8, buffer);
    const bytes = buffer.subarray(0, length);
    const at = decodeHead(bytes, 0, packetHead());
    expect(decodeInputs(bytes, at, 1, new Int32Array(2), 1, 8)).toBe(length);
    expect(decodeInputs(bytes, at, 1, new Int32Array(2), 1, 3)).toBe(-1);
  });

  it('never passes its limit, with every frame changed', () => {
    for (const bits of [1, 10, 16, 32, 256]) {
      const frames = packetFramesMax(bits);
      const words = Math.ceil(bits / 32);
      const mask = bits % 32 === 0 ? -1 : (1 << (bits % 32)) - 1;
      const inputs = Int32Array.from({ length: (frames + 1) * words }, (_, at) =>
        Math.floor(at / words) % 2 === 0 ? 0 : mask,
      );
      const buffer = new Uint8Array(4000);
      expect(
        encodePacket({ ...packetHead(), count: frames, lastFrame: frames }, inputs, words, bits, buffer),
      ).toBeLessThanOrEqual(PACKET_BYTES_MAX);
      expect(frames).toBeGreaterThanOrEqual(8);
    }
  });
});
