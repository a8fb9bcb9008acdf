import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { RoomListReplySchema, TITLE_LENGTH_MAX } from './room-list.js';
import { replySchemas, signalingErrorCodes } from './signaling.js';
import {
  NAME_LENGTH_MAX,
  normalizeRoomCode,
  PEERS_MAX,
  ROOM_CODE_ALPHABET,
  ROOM_CODE_LENGTH,
  RoomCodeSchema,
  SDP_BYTES_MAX,
  SignalDataSchema,
} from './signaling-fields.js';
import { type ClientEvent, clientEventSchemas, parseClientRequest } from './signaling-requests.js';

const seat = 'A'.repeat(22);
const valid: { [E in ClientEvent]: object } = {
  'create-room': { game: 'duel', version: '1', name: 'Ann' },
  'list-rooms': { game: 'duel' },
  'join-room': { code: 'abc-234', game: 'duel' },
  'watch-room': { code: 'abc-234', game: 'duel' },
  'quick-match': { game: 'duel', version: '1', size: 4, region: 'eu-west', rating: 1500 },
  'resume-seat': { seat, secret: seat, pairings: [{ seat, pairing: 1 }] },
  'confirm-seat': { secret: seat },
  'leave-room': {},
  'pair-again': { to: seat, pairing: 1 },
  'ice-servers': { to: seat },
  signal: { to: seat, pairing: 1, data: { type: 'offer', sdp: 'v=0' } },
};
const events = Object.keys(valid).map((event) => event as ClientEvent); // the keys of the typed table above

describe('room codes', () => {
  it('use 32 different letters, none of which is taken for another', () => {
    expect(new Set(ROOM_CODE_ALPHABET).size).toBe(32);
    expect(ROOM_CODE_ALPHABET).not.toMatch(/[01IO]|[a-z]/);
    const letters = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code));
    const taken = letters.filter((letter) => v.is(RoomCodeSchema, letter.repeat(ROOM_CODE_LENGTH)));
    expect(taken.join('')).toBe(ROOM_CODE_ALPHABET);
    for (const length of [ROOM_CODE_LENGTH - 1, ROOM_CODE_LENGTH + 1]) {
      expect(v.is(RoomCodeSchema, 'A'.repeat(length))).toBe(false);
    }
  });

  it('are read in any case, with spaces and dashes', () => {
    expect(normalizeRoomCode(' abc-2 34\n')).toBe('ABC234');
  });

  it.each(['', 'ABC23', 'ABC2345', 'ABC230', 'ABC23!', '\u0130BC234'])('refuse %j', (typed) => {
    expect(normalizeRoomCode(typed)).toBeUndefined();
  });
});

describe('requests', () => {
  it.each(events)('%s: takes a well-formed payload', (event) => {
    expect(v.is(clientEventSchemas[event], valid[event])).toBe(true);
  });

  it.each(events)('%s: refuses what is no object', (event) => {
    for (const payload of [undefined, null, 1, 'text', Symbol.iterator, () => 1]) {
      expect(v.is(clientEventSchemas[event], payload)).toBe(false);
    }
  });

  it.each(events)('%s: drops fields it does not know, prototype keys among them', (event) => {
    const hostile: unknown = JSON.parse(
      JSON.stringify({ ...valid[event], admin: true }).replace('{', '{"__proto__":{"polluted":1},'),
    );
    const output = v.parse(clientEventSchemas[event], hostile);
    expect(output).not.toHaveProperty('admin');
    expect(output).not.toHaveProperty('polluted');
  });

  it('trim names and bound them', () => {
    const parse = (name: unknown) => v.safeParse(clientEventSchemas['create-room'], { game: 'g', version: '1', name });
    expect(parse('  Ann ').output).toMatchObject({ name: 'Ann' });
    for (const name of ['Zoë', '王芳', '👩‍🚀', 'می‌خواهم']) expect(parse(name).success, name).toBe(true);
    expect(parse('x'.repeat(NAME_LENGTH_MAX)).success).toBe(true);
    for (const name of [
      '',
      '  ',
      'x'.repeat(NAME_LENGTH_MAX + 1),
      'a\u0000b',
      'a\nb',
      'a\u202Eb',
      '\uD800',
      '\u200B',
      'a\u2060b',
      7,
    ]) {
      expect(parse(name).success, JSON.stringify(name)).toBe(false);
    }
  });

  it('name seats, secrets and pairings that can be', () => {
    const resume = valid['resume-seat'];
    const seen = (pairing: unknown) => ({ pairings: [{ seat, pairing }] });
    const tooMany = { pairings: Array(PEERS_MAX + 1).fill({ seat, pairing: 1 }) };
    for (const wrong of [{ seat: 'short' }, { secret: `${seat}A` }, seen(-1), seen(0.5), { pairings: 7 }, tooMany]) {
      expect(v.is(clientEventSchemas['resume-seat'], { ...resume, ...wrong }), JSON.stringify(wrong)).toBe(false);
    }
    expect(v.is(clientEventSchemas.signal, { ...valid.signal, pairing: 0 })).toBe(false);
  });

  it('bound what a room is, and what a list shows of it', () => {
    const is = (changes: object) => v.is(clientEventSchemas['create-room'], { game: 'g', version: '1', ...changes });
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]));
    for (const right of [{ size: 2 }, { size: 8 }, { title: 'x'.repeat(TITLE_LENGTH_MAX) }, { data: fields(8) }]) {
      expect(is(right), JSON.stringify(right)).toBe(true);
    }
    for (const size of [1, 9, 2.5, '2', Number.NaN, null]) expect(is({ size }), String(size)).toBe(false);
    for (const title of ['', '  ', 'x'.repeat(TITLE_LENGTH_MAX + 1), 'a\u202Eb', 7]) expect(is({ title })).toBe(false);
    for (const data of [
      fields(9),
      { map: 'x'.repeat(65) },
      { map: 'a\nb' },
      { map: {} },
      { map: null },
      { map: Number.POSITIVE_INFINITY },
      { ['x'.repeat(25)]: 1 },
      { '': 1 },
      7,
    ]) {
      expect(is({ data }), JSON.stringify(data)).toBe(false);
    }
    const hostile: unknown = JSON.parse(
      '{"game":"g","version":"1","data":{"__proto__":1,"constructor":2,"map":"docks"}}',
    );
    expect(v.parse(clientEventSchemas['create-room'], hostile)).toMatchObject({ data: { map: 'docks' } });
    const kept = v.parse(clientEventSchemas['create-room'], hostile).data ?? {};
    expect(Object.keys(kept)).toEqual(['map']);
  });

  it('bound whom a quick match is with', () => {
    const is = (changes: object) => v.is(clientEventSchemas['quick-match'], { game: 'g', version: '1', ...changes });
    for (const region of ['', 'x'.repeat(17), 'a b', 'é', 7]) expect(is({ region }), String(region)).toBe(false);
    for (const rating of [Number.NaN, Number.POSITIVE_INFINITY, 1e7, '1500']) expect(is({ rating })).toBe(false);
  });

  it('name the field that is wrong', () => {
    expect(parseClientRequest('create-room', { game: '', version: '1' })).toEqual({
      ok: false,
      message: 'game: must not be empty',
    });
  });
});

describe('signals', () => {
  it('carry descriptions, candidates and a wish to renegotiate', () => {
    const line = 'candidate:1 1 udp 1 192.0.2.1 1 typ host';
    expect(v.parse(SignalDataSchema, { type: 'answer', sdp: 'v=0', extra: 1 })).toEqual({ type: 'answer', sdp: 'v=0' });
    expect(v.parse(SignalDataSchema, { type: 'candidate', candidate: { candidate: line, sdpMid: '0' } })).toEqual({
      type: 'candidate',
      candidate: { candidate: line, sdpMid: '0', sdpMLineIndex: null },
    });
    expect(v.is(SignalDataSchema, { type: 'renegotiate', renegotiate: true })).toBe(true);
  });

  it('are ASCII of at most 15,000 bytes', () => {
    const isSignal = (sdp: string) => v.is(SignalDataSchema, { type: 'offer', sdp });
    expect(isSignal('x'.repeat(SDP_BYTES_MAX))).toBe(true);
    expect(isSignal('x'.repeat(SDP_BYTES_MAX + 1))).toBe(false);
    expect(isSignal('v=0\r\ns=-\u007f')).toBe(true);
    for (const letter of ['\u0080', '\u20ac', '\u{1f600}', '\ud800', '\uffff'])
      expect(isSignal(`v=0${letter}`)).toBe(false);
  });

  it.each([{ type: 'transceiverRequest', transceiverRequest: {} }, { type: 'offer' }, { sdp: 'v=0' }, []])(
    'refuse %j',
    (data) => {
      expect(v.is(SignalDataSchema, data)).toBe(false);
    },
  );
});

describe('replies', () => {
  it('are a success with its fields or a failure with code and sentence', () => {
    const failure = { ok: false, error: { code: 'room-not-found', message: 'no' } };
    for (const schema of [...Object.values(replySchemas), RoomListReplySchema]) {
      expect(v.is(schema, failure)).toBe(true);
    }
    expect(v.is(replySchemas['create-room'], { ok: true })).toBe(false);
    expect(v.is(replySchemas.signal, { ok: true })).toBe(true);
  });

  it('spell every code in kebab case', () => {
    for (const code of signalingErrorCodes) expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });
});
