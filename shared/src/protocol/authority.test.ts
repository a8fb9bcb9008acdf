import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAuthorityMessage } from './authority.js';
import { InputsCodec, inputsHead, UpdateCodec, updateHead } from './authority-packets.js';
import { PACKET_BYTES_MAX } from './packet.js';

const shape = fc.record({
  players: fc.integer({ min: 1, max: 8 }),
  bits: fc.integer({ min: 1, max: 70 }),
  frame: fc.nat(100_000),
  some: fc.nat(40),
  stateBytes: fc.nat(1500),
  seed: fc.infiniteStream(fc.integer()),
});

/** Fills inputs with bits that the model uses, after the first one, which stays zero. */
function fill(inputs: Int32Array, count: number, bits: number, draw: () => number): Int32Array {
  const words = Math.ceil(bits / 32);
  for (let at = words; at < (count + 1) * words; at++) {
    const used = bits - (at % words) * 32;
    inputs[at] = used >= 32 ? draw() : draw() & (2 ** used - 1);
  }
  return inputs.slice(0, (count + 1) * words);
}

describe('the packets between a client and its authority', () => {
  it('carry inputs as they were given', () => {
    fc.assert(
      fc.property(shape, ({ bits, frame, some, seed }) => {
        const words = Math.ceil(bits / 32);
        const [writer, reader] = [new InputsCodec(words, bits), new InputsCodec(words, bits)];
        const count = Math.min(frame + 1, some, writer.framesMax);
        const given = fill(writer.inputs, count, bits, () => seed.next().value ?? 0);
        const head = { lastFrame: frame, count, held: Math.max(0, frame - some), wantsState: some > 20 };
        const bytes = writer.encode(head);
        expect(bytes.length).toBeLessThanOrEqual(PACKET_BYTES_MAX);
        const read = inputsHead();
        expect(reader.decode(bytes, frame + some * 100, read)).toBe(true);
        expect(read).toEqual(head);
        expect(reader.inputs.slice(0, given.length)).toEqual(given);
      }),
    );
  });

  it('carry an update with the inputs of all, departures, and the state where it fits', () => {
    fc.assert(
      fc.property(shape, ({ players, bits, frame, some, stateBytes, seed }) => {
        const words = Math.ceil(bits / 32);
        const [writer, reader] = [new UpdateCodec(players, words, bits), new UpdateCodec(players, words, bits)];
        const draw = () => seed.next().value ?? 0;
        const count = Math.min(frame, some, writer.framesMax);
        const given = writer.inputs.map((inputs) => fill(inputs, count, bits, draw));
        const head = { frame, count, ack: frame - 1 + some, heard: frame - some, holdMs: some, hash: draw() >>> 0 };
        const slack = {
          slackFrame: frame + some,
          slackMs: some % 3 === 0 ? Number.NaN : some - 20,
          missed: some,
          number: some,
        };
        const base = some % 2 === 0 ? -1 : Math.max(-1, frame - some);
        const goneFrom = writer.goneFrom.map((never, player) => (draw() % 4 === 0 ? player * 1000 : never));
        for (const [player, from] of goneFrom.entries()) writer.goneFrom[player] = from;
        const state = Uint8Array.from({ length: stateBytes }, draw);
        const bytes = writer.encode({ ...head, ...slack, base }, state);
        expect(bytes.length).toBeLessThanOrEqual(PACKET_BYTES_MAX);
        const read = updateHead();
        const readState = reader.decode(bytes, frame + 100, read);
        expect(read).toEqual({ ...head, ...slack, base });
        expect(reader.inputs.map((inputs) => inputs.slice(0, (count + 1) * words))).toEqual(given);
        expect(reader.goneFrom).toEqual(goneFrom);
        if (readState!.length > 0) expect(readState).toEqual(state);
        else expect(stateBytes === 0 || stateBytes + bytes.length > PACKET_BYTES_MAX).toBe(true);
      }),
    );
  });

  it('are nothing when they are cut or other bytes, and reading them never throws', () => {
    const writer = new UpdateCodec(2, 1, 6);
    for (const inputs of writer.inputs) inputs.set([0, 1, 2, 3]);
    const update = writer.encode({ ...updateHead(), frame: 900, ack: 900, count: 3 }, new Uint8Array(40)).slice();
    const report = new InputsCodec(1, 6);
    report.inputs.set([0, 1, 2, 3]);
    const inputs = report.encode({ ...inputsHead(), lastFrame: 900, count: 3, held: 890 }).slice();
    for (let length = 0; length < update.length; length++) {
      expect(writer.decode(update.subarray(0, length), 900, updateHead())).toBeUndefined();
    }
    for (let length = 0; length < inputs.length; length++) {
      expect(report.decode(inputs.subarray(0, length), 900, inputsHead())).toBe(false);
    }
    fc.assert(
      fc.property(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 60 }), (mark, noise) => {
        if (noise.length > 0) noise[0] = mark;
        const head = updateHead();
        if (writer.decode(noise, 900, head) !== undefined) {
          expect(head.frame - head.count).toBeGreaterThanOrEqual(0);
          expect(head.ack).toBeGreaterThanOrEqual(head.frame - 1);
          expect(head.base).toBeGreaterThanOrEqual(-1);
          expect(head.base).toBeLessThan(Math.max(head.frame, 0));
        }
        const read = inputsHead();
        if (report.decode(noise, 900, read)) expect(read.lastFrame - read.count).toBeGreaterThanOrEqual(-1);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a message between a client and its authority', () => {
  it('is read when it fits its schema, and is nothing otherwise', () => {
    const denied = { type: 'denied', frame: 7, reason: 'the cell is taken' };
    expect(parseAuthorityMessage(JSON.stringify(denied))).toEqual(denied);
    expect(parseAuthorityMessage('{"type":"denied","frame":-1,"reason":""}')).toBeUndefined();
    expect(parseAuthorityMessage('{"type":"hello"}')).toBeUndefined();
    expect(parseAuthorityMessage('{')).toBeUndefined();
    expect(parseAuthorityMessage(' '.repeat(40_000))).toBeUndefined();
  });
});
