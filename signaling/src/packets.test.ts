import fc from 'fast-check';
import { type Packet, PacketType, Decoder as TheirDecoder, Encoder as TheirEncoder } from 'socket.io-parser';
import { describe, expect, it } from 'vitest';
import { Decoder, Encoder } from './packets.js';

/** What a decoder makes of what arrives on one connection, up to the first fault. */
function read(decoder: TheirDecoder, chunks: readonly unknown[]): unknown[] {
  const packets: unknown[] = [];
  decoder.on('decoded', (packet: Packet) => packets.push(packet));
  try {
    for (const chunk of chunks) decoder.add(chunk);
  } catch (error) {
    packets.push(String(error));
  }
  return packets;
}

function agree(...chunks: unknown[]): void {
  expect(read(new Decoder(), chunks), JSON.stringify(chunks)).toEqual(read(new TheirDecoder(), chunks));
}

const event = fc.constantFrom('signal', 'create-room', 'leave-room', 'connect', 'error', '__proto__', '', 7, null);
const payload = fc.jsonValue({ maxDepth: 3 });
const id = fc.nat();

describe('packets', () => {
  it('are written as socket.io writes them', () => {
    const packets = fc.record(
      {
        type: fc.constantFrom(PacketType.EVENT, PacketType.ACK),
        nsp: fc.constantFrom('/', '/admin'),
        id,
        data: fc.array(payload, { maxLength: 3 }),
      },
      { requiredKeys: ['type', 'nsp', 'data'] },
    );
    fc.assert(
      fc.property(packets, (packet) => {
        expect(new Encoder().encode({ ...packet })).toEqual(new TheirEncoder().encode({ ...packet }));
      }),
    );
    for (const packet of [
      { type: PacketType.CONNECT, nsp: '/', data: { sid: 'x' } },
      { type: PacketType.DISCONNECT, nsp: '/' },
    ]) {
      expect(new Encoder().encode({ ...packet })).toEqual(new TheirEncoder().encode({ ...packet }));
    }
  });

  it('are read as socket.io reads them', () => {
    const numbers = fc.oneof(
      id,
      fc.constantFrom('007', '-1', '1.5', ' 1', '9999999999', '99999999999999999999', '1e3'),
    );
    fc.assert(
      fc.property(event, numbers, fc.array(payload, { maxLength: 2 }), (name, number, args) => {
        agree(`2${number}${JSON.stringify([name, ...args])}`);
      }),
    );
  });

  it('that are malformed are so to both', () => {
    const text = fc
      .tuple(event, fc.oneof(id, fc.constant('')), payload, fc.nat(), fc.string({ maxLength: 2 }))
      .map(([name, number, value, at, noise]) => {
        const whole = `2${number}${JSON.stringify([name, value])}`;
        const cut = at % (whole.length + 1);
        return whole.slice(0, cut) + noise + whole.slice(cut + noise.length);
      });
    fc.assert(
      fc.property(text, (each) => {
        agree(each);
      }),
    );
    for (const each of [
      '',
      '2',
      '2[',
      '2[]',
      '2{}',
      '2"x"',
      '2[{}]',
      '21',
      '2[1]',
      '2["signal"',
      '2/admin,["signal"]',
    ]) {
      agree(each);
    }
  });

  it('of several parts are read as such, and nothing in between', () => {
    const head = '51-["signal",{"_placeholder":true,"num":0}]';
    const part = Buffer.from('x');
    agree(head, part, '21["signal",{}]');
    agree(head, '21["signal",{}]', part);
    agree('21["signal",{}]', part);
  });
});
