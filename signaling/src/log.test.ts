import { parsePeerServerPass } from '@riposte/shared/protocol';
import { io as connect } from 'socket.io-client';
import { afterEach, describe, expect, it } from 'vitest';
import { type Harness, startHarness } from '../testing/harness.js';
import { createLogger } from './log.js';
import { systemTimers } from './timers.js';

let harness: Harness;
afterEach(() => harness.close());

/** A server whose log, down to its finest level, lies in `lines`. */
async function start(settings: Parameters<typeof startHarness>[0] = {}): Promise<string[]> {
  const lines: string[] = [];
  const log = createLogger('trace', { write: (line) => void lines.push(line) });
  harness = await startHarness(settings, { ...systemTimers, log });
  return lines;
}

const duel = { game: 'duel', version: '1' };

describe('the log', () => {
  it('names connection, room and seat of what was asked', async () => {
    const lines = await start();
    const host = harness.peer();
    const seat = await host.request('create-room', duel);
    if (!seat.ok) throw new Error(seat.error.message);
    await host.request('signal', { to: 'nobody', pairing: 0, data: { type: 'offer', sdp: '' } });
    const parsed = lines.map((line) => JSON.parse(line));
    expect(parsed).toContainEqual(expect.objectContaining({ msg: 'seat taken', room: seat.room, seat: seat.seat }));
    expect(parsed).toContainEqual(
      expect.objectContaining({
        msg: 'answered',
        event: 'signal',
        room: seat.room,
        seat: seat.seat,
        connection: expect.any(String),
        address: '127.0.0.1',
        refused: expect.any(String),
      }),
    );
  });

  it('has a line for each request over HTTP, whose id the answer carries, without query and headers', async () => {
    const lines = await start();
    const response = await fetch(`${harness.url}/healthz?room=K7M2QX`, { headers: { cookie: 'biscuit=1' } });
    const line = lines.map((each) => JSON.parse(each)).find(({ req }) => req?.path === '/healthz');
    expect(line).toMatchObject({ res: { status: 200 }, req: { method: 'GET', address: '127.0.0.1' } });
    expect(line.req.id).toBe(response.headers.get('x-request-id'));
    expect(lines.join('')).not.toMatch(/K7M2QX|biscuit/);
  });

  it('holds no secret, whatever was asked with it', async () => {
    const turnSecret = 'the-turn-secret';
    const metricsToken = 'the-token-of-metrics';
    const lines = await start({ turnSecret, turnUrls: ['turn:turn.example'], metricsToken });
    const [ann, bob] = [harness.peer(), harness.peer()];
    const host = await ann.request('create-room', { ...duel, transport: 'peerjs' });
    if (!host.ok) throw new Error(host.error.message);
    const guest = await bob.request('join-room', { code: host.room, game: 'duel' });
    if (!guest.ok) throw new Error(guest.error.message);
    const paired = [await ann.next('paired'), await bob.next('paired')];
    const again = harness.peer();
    const { seat, secret } = host;
    await again.request('resume-seat', { seat, secret: guest.secret, pairings: [] });
    ann.socket.disconnect();
    const back = await again.request('resume-seat', { seat, secret, pairings: [] });
    if (!back.ok) throw new Error(back.error.message);
    await again.request('confirm-seat', { secret: back.secret });
    await again.raw('resume-seat', { seat, secret: { deep: secret } });
    await again.raw(`an-event ${'x'.repeat(40)} ${secret}`, { secret });
    await fetch(`${harness.url}/metrics?token=${metricsToken}`, {
      headers: { authorization: `Bearer ${metricsToken}` },
    });
    const pass = parsePeerServerPass(paired[0]?.peerServer);
    const query = `?key=peerjs&id=${pass?.id}&token=${pass?.token}`;
    await fetch(`${harness.url}/peerjs/peerjs/offer${query}`, { method: 'POST' });
    const untyped = connect(harness.url, { transports: ['websocket'], query: { secret }, auth: { secret } });
    await new Promise((resolve) => untyped.once('connect', () => resolve(undefined)));
    untyped.disconnect();

    const text = lines.join('');
    const credentials = paired.flatMap(({ iceServers }) => iceServers.map(({ credential }) => credential));
    const secrets = [secret, guest.secret, back.secret, turnSecret, metricsToken, pass?.token, ...credentials];
    expect(lines.length).toBeGreaterThan(8);
    expect(pass).toBeDefined();
    expect(credentials.filter((each) => each !== undefined)).toHaveLength(2);
    for (const each of secrets) if (each !== undefined) expect(text).not.toContain(each);
  });

  it('hides what is named like a secret, should a line ever hold one', () => {
    const lines: string[] = [];
    const log = createLogger('info', { write: (line) => void lines.push(line) });
    log.info({ secret: 'hush', seat: { secret: 'hush' }, err: { seat: { credential: 'hush' } }, token: 'hush' }, 'x');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('hush');
  });
});
