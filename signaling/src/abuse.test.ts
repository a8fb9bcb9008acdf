import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SDP_BYTES_MAX } from '@riposte/shared/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Harness, startHarness } from '../testing/harness.js';
import { RawSocket } from '../testing/raw-socket.js';
import { defaultConfig } from './config.js';

const MiB = 1024 * 1024;
const duel = { game: 'duel', version: '1' };
const isThorough = process.env['THOROUGH'] === 'true';
/** Connections that say nothing; the longer trial is for thorough runs. */
const HALF_OPEN = isThorough ? 10_000 : 2_000;

const plenty = { points: 1_000_000, seconds: 60 };

let harness: Harness;
let bytesBefore: number;
beforeEach(async () => {
  bytesBefore = bytesInUse();
  harness = await startHarness();
});
// Whatever was done to it, the server still does its work, and nothing of it stays.
afterEach(async () => {
  expect(await harness.peer().request('create-room', duel)).toMatchObject({ ok: true });
  await harness.close();
  await expect.poll(() => bytesInUse() - bytesBefore, { timeout: 10_000 }).toBeLessThan(8 * MiB);
});

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Bytes in use once everything that nobody needs is gone. */
function bytesInUse(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function figure(name: string): Promise<number> {
  const text = await (await fetch(`${harness.url}/metrics`)).text();
  return Number(new RegExp(`^${name.replaceAll(/[{}"]/g, '\\$&')} (.*)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

describe('malformed frames', () => {
  const frames = {
    'an engine packet of no type': ['', '9', 'x', '\u0000'],
    'a handshake, close, ping or upgrade out of place': ['0{}', '2probe', '3', '3probe', '5', '6'],
    CONNECT: ['40', '40{', '40[]', '40"x"', '40/admin,', '40/admin,{}', '40/__proto__,', '40null'],
    DISCONNECT: ['41{}', '41/admin,', '41x'],
    EVENT: ['42', '42{}', '42[', '42[]', '42[1]', '42[null]', '42[{}]', '42["signal"', '42"x"', '42["connect"]'],
    'EVENT by reserved names': ['42["disconnect"]', '42["error",{}]', '42["newListener"]', '42["__proto__",{}]'],
    'EVENT with strange ids': ['42-1["signal"]', '4299999999999999999999["signal",{}]', '421.5["signal",{}]'],
    ACK: ['43', '43[]', '430[]', '431', '431{}', '43x[]', '4399999999[1]'],
    CONNECT_ERROR: ['44', '44{}', '44"no"', '44{"message":"no"}'],
    BINARY_EVENT: ['45', '45-', '451-', '451-["x"]', '45-1["x"]', '451-["x",{"_placeholder":true,"num":9}]'],
    'BINARY_EVENT of too many parts': ['4599999999-["x",{"_placeholder":true,"num":0}]', '4511-["x"]'],
    BINARY_ACK: ['46', '461-', '461-0[{"_placeholder":true,"num":-1}]', '461-0{}'],
    'a socket.io packet of no type': ['47', '48[]', '4', '4x', '4-1', '4"'],
  };

  it.each(Object.entries(frames))('of %s end their own connection, or nothing', async (_type, list) => {
    const bystander = await harness.peer().connected();
    for (const frame of list) {
      const raw = await RawSocket.open(harness.url);
      raw.send(frame);
      // What follows is answered, or the connection is over; nothing hangs.
      const reply = await raw.ask(7, 'leave-room', '{}');
      expect(reply === undefined ? 'closed' : reply, JSON.stringify(frame)).toEqual(
        raw.isOpen ? { ok: true } : 'closed',
      );
      raw.socket.terminate();
    }
    expect(await bystander.request('leave-room', {})).toEqual({ ok: true });
  });

  it('of bytes that nobody announced, and of text that is none, do the same', async () => {
    for (const bytes of [new Uint8Array(0), new Uint8Array(100).fill(255), Uint8Array.of(52, 50, 91)]) {
      const raw = await RawSocket.open(harness.url);
      raw.send(bytes);
      raw.send('451-["signal",{"_placeholder":true,"num":0}]');
      raw.send(bytes);
      raw.send(bytes);
      await raw.ask(7, 'leave-room', '{}');
      raw.socket.terminate();
    }
  });

  it('before a client has joined end at the handshake', async () => {
    for (const frame of ['42["create-room",{}]', '45', '43', '41']) {
      const raw = await RawSocket.open(harness.url, { joins: false });
      raw.send(frame);
      expect(await raw.until((each) => each.startsWith('43')), frame).toBeUndefined();
      raw.socket.terminate();
    }
  });
});

describe('payloads', () => {
  it('with __proto__ and constructor keys reach no prototype, and no other player', async () => {
    const poison = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';
    const raw = await RawSocket.open(harness.url);
    const guest = harness.peer();
    const seat = await raw.ask(1, 'create-room', `{"game":"duel","version":"1",${poison}}`);
    const room = (seat as { room?: string }).room ?? ''; // an object: what the line above got as an acknowledgement
    const joined = await guest.request('join-room', { code: room, game: 'duel' });
    const { peer, pairing } = await guest.next('paired');
    expect(joined.ok && peer.seat).toBeTruthy();
    const to = joined.ok ? joined.seat : '';
    const data = `{"type":"candidate","candidate":{"candidate":"x","sdpMid":"0",${poison}},${poison}}`;
    expect(await raw.ask(2, 'signal', `{"to":"${to}","pairing":${pairing},"data":${data},${poison}}`)).toMatchObject({
      ok: true,
    });
    expect(JSON.stringify(await guest.next('signal'))).not.toContain('polluted');
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('polluted' in {}).toBe(false);
    raw.socket.terminate();
  });

  it('that are deep, long or of the largest allowed size are refused in words', async () => {
    const raw = await RawSocket.open(harness.url);
    const deep = `${'['.repeat(14_000)}${']'.repeat(14_000)}`;
    const objects = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    const long = JSON.stringify('x'.repeat(30_000));
    const sdp = JSON.stringify('x'.repeat(SDP_BYTES_MAX + 1));
    const hostile = [
      ['create-room', `{"game":${deep},"version":"1"}`],
      ['create-room', `{"game":${objects},"version":"1"}`],
      ['create-room', `{"game":${long},"version":"1"}`],
      ['quick-match', `{"game":"duel","version":"1","name":${long}}`],
      ['resume-seat', `{"room":"AAAAAA","seat":${long},"secret":"x","pairing":0}`],
      ['signal', `{"to":"x","pairing":0,"data":{"type":"offer","sdp":${sdp}}}`],
      ['signal', `{"to":"x","pairing":0,"data":${deep}}`],
    ];
    for (const [id, [event, payload]] of hostile.entries()) {
      expect(await raw.ask(id, event ?? '', payload ?? '')).toMatchObject({
        ok: false,
        error: { code: 'bad-request' },
      });
    }
    raw.socket.terminate();
  });

  it('with control characters in a name or a game are refused', async () => {
    const raw = await RawSocket.open(harness.url);
    for (const [id, bad] of ['\u0000', 'a\nb', '\u001b[31m', '\u007f'].entries()) {
      const text = JSON.stringify(bad);
      const answers = [
        await raw.ask(id * 2, 'create-room', `{"game":${text},"version":"1"}`),
        await raw.ask(id * 2 + 1, 'create-room', `{"game":"duel","version":"1","name":${text}}`),
      ];
      for (const answer of answers) expect(answer).toMatchObject({ ok: false, error: { code: 'bad-request' } });
    }
    raw.socket.terminate();
  });
});

describe('X-Forwarded-For', () => {
  /** What somebody who guesses codes hears after ten tries, each under another claimed address. */
  async function guess(claim: (attempt: number) => string): Promise<unknown[]> {
    const codes: unknown[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      const raw = await RawSocket.open(harness.url, { headers: { 'x-forwarded-for': claim(attempt) } });
      const reply = await raw.ask(1, 'join-room', '{"code":"AAAAAA","game":"duel"}');
      codes.push((reply as { error?: { code: string } }).error?.code); // an acknowledgement, as above
      raw.socket.terminate();
    }
    return codes;
  }

  it('is no way around the limits where no proxy is trusted', async () => {
    expect((await guess((attempt) => `203.0.113.${attempt}`)).at(-1)).toBe('rate-limited');
    await harness.close();
    harness = await startHarness();
  });

  it('counts from the right behind a proxy: what the client claims before it is nothing', async () => {
    await harness.close();
    harness = await startHarness({ trustProxyHops: 1 });
    expect((await guess((attempt) => `203.0.113.${attempt}, 10.0.0.${attempt}, 198.51.100.7`)).at(-1)).toBe(
      'rate-limited',
    );
    const other = await guess(() => 'not an address, ::1::, 999.1.1.1');
    expect(other, 'what is no address counts as the proxy’s own').toMatchObject({
      0: 'room-not-found',
      11: 'rate-limited',
    });
    await harness.close();
    harness = await startHarness();
  });

  it('of one IPv6 network is one address', async () => {
    await harness.close();
    harness = await startHarness({ trustProxyHops: 1 });
    expect((await guess((attempt) => `2001:db8:1:2:${attempt}::${attempt}`)).at(-1)).toBe('rate-limited');
    expect((await guess((attempt) => `2001:db8:1:${attempt + 16}::1`)).at(-1)).toBe('room-not-found');
  });
});

describe('connections', () => {
  async function halfOpen(first: string): Promise<Socket> {
    const socket = connect(harness.server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(first);
    socket.resume();
    return socket;
  }

  it('that say nothing, or half of something, go by age, and are in nobody’s way', { timeout: 120_000 }, async () => {
    const before = bytesInUse();
    const sockets: Socket[] = [];
    for (let batch = 0; batch < HALF_OPEN / 100; batch++) {
      const first = ['', 'GET / HTT', 'GET / HTTP/1.1\r\nHost: x\r\nX: '][batch % 3] ?? '';
      sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => halfOpen(first)))));
      expect((await fetch(`${harness.url}/healthz`)).status).toBe(200);
    }
    await expect.poll(() => sockets.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(100);
    expect(await figure('riposte_refusals_total{reason="too-many-connections"}')).toBeGreaterThanOrEqual(
      HALF_OPEN - 100,
    );
    // What this side holds of them is not the server's.
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(() => bytesInUse() - before, { timeout: 10_000 }).toBeLessThan(8 * MiB);
  });

  it('that never join as a socket.io client are counted, and end', async () => {
    await harness.close();
    harness = await startHarness({ connectionsPerAddressMax: 4 });
    const raws: RawSocket[] = [];
    for (let count = 0; count < 4; count++) raws.push(await RawSocket.open(harness.url, { joins: false }));
    await expect(harness.peer().connected()).rejects.toMatchObject({ data: { code: 'server-full' } });
    for (const { socket } of raws) socket.terminate();
    await expect.poll(() => figure('riposte_connections')).toBe(0);
  });

  it('that do not take what they are sent are cut, and what waited for them is freed', async () => {
    await harness.close();
    const limits = { ...defaultConfig.limits, messagesPerSocket: plenty, messagesPerAddress: plenty };
    harness = await startHarness({ limits });
    const slow = await RawSocket.open(harness.url);
    const host = harness.peer();
    const seat = await host.request('create-room', duel);
    if (!seat.ok) throw new Error(seat.error.message);
    const mine = await slow.ask(1, 'join-room', `{"code":"${seat.room}","game":"duel"}`);
    const to = (mine as { seat?: string }).seat ?? ''; // an acknowledgement, as above
    const { pairing } = await host.next('paired');
    const before = bytesInUse();
    slow.socket.pause();
    const data = { type: 'offer', sdp: 'x'.repeat(SDP_BYTES_MAX - 1024) } as const;
    // The network's own buffers take some megabytes first.
    let sent = 0;
    while (host.pending('peer-away') === 0 && sent++ < 3_000) await host.request('signal', { to, pairing, data });
    expect(host.pending('peer-away')).toBe(1);
    expect(await figure('riposte_refusals_total{reason="slow-consumer"}')).toBe(1);
    slow.socket.terminate();
    await expect.poll(() => bytesInUse() - before, { timeout: 10_000 }).toBeLessThan(4 * MiB);
  });

  it('that flood are cut, and leave nothing behind', async () => {
    for (let round = 0; round < 5; round++) {
      const raw = await RawSocket.open(harness.url);
      for (let count = 0; count < 3_000; count++) raw.send(`42${count}["leave-room",{}]`);
      await raw.until(() => false);
      expect(raw.isOpen).toBe(false);
    }
    expect(await figure('riposte_refusals_total{reason="flood"}')).toBeGreaterThanOrEqual(5);
    expect(await figure('riposte_connections')).toBe(0);
    await harness.close();
    harness = await startHarness();
  });

  it.runIf(isThorough)(
    'that dawdle over a request or the handshake are ended in time',
    { timeout: 60_000 },
    async () => {
      const head = await halfOpen('GET / HTTP/1.1\r\nHost: x\r\n');
      const upgraded = await RawSocket.open(harness.url, { joins: false });
      const closed = [once(head, 'close'), once(upgraded.socket, 'close')];
      await expect(Promise.all(closed)).resolves.toHaveLength(2);
      expect(await figure('riposte_connections')).toBe(0);
    },
  );
});
