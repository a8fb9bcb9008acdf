import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import { type RunningServer, startServer } from '@riposte/signaling';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LobbyClock } from './clock.js';
import { connectLobby, type Lobby, type LobbyOptions } from './lobby.js';
import { LobbyError } from './lobby-error.js';
import type { Pairing, Room } from './room.js';

const duel = { game: 'duel', version: '1' };
const offer = { type: 'offer' as const, sdp: 'v=0' };

/** Time that stands still until a test moves it, for a lobby or a server. */
class TestClock implements LobbyClock {
  #now = 0;
  readonly #jobs = new Set<{ ms: number; due: number; run: () => void }>();
  readonly now = () => this.#now;
  readonly unixMs = () => this.#now;
  readonly random = () => 0;
  readonly after = (ms: number, run: () => void) => {
    const job = { ms, due: this.#now + ms, run };
    this.#jobs.add(job);
    return () => void this.#jobs.delete(job);
  };

  /** How long each job that waits was told to wait. */
  get waits(): number[] {
    return [...this.#jobs].map(({ ms }) => ms);
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const job of [...this.#jobs]) if (job.due <= this.#now && this.#jobs.delete(job)) job.run();
  }
}

/** A network between a lobby and the server that can be cut, closed and frozen. */
class Network {
  readonly #server: Server;
  readonly #pairs = new Set<[Socket, Socket]>();
  closed = false;

  constructor(port: number) {
    this.#server = createServer((near) => {
      if (this.closed) {
        near.destroy();
        return;
      }
      const far = connectTcp(port, '127.0.0.1');
      const pair: [Socket, Socket] = [near, far];
      this.#pairs.add(pair);
      for (const [from, to] of [pair, [far, near]]) {
        from.on('error', () => undefined);
        from.on('close', () => {
          this.#pairs.delete(pair);
          to.destroy();
        });
        from.pipe(to);
      }
    });
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // listening on TCP
  }

  /** Every connection there is ends. */
  cut(): void {
    for (const [near] of this.#pairs) near.destroy();
  }

  /** Nothing goes either way on the connections there are, and nobody is told. Gives what ends it. */
  freeze(): () => void {
    const pairs = [...this.#pairs];
    for (const [near, far] of pairs) {
      near.unpipe();
      far.unpipe();
    }
    return () => {
      for (const [near, far] of pairs) {
        near.pipe(far);
        far.pipe(near);
      }
    };
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

interface Player {
  lobby: Lobby;
  room: Room;
  network: Network;
  clock: TestClock;
  /** What this side was told. */
  pairings: Pairing[];
  peer: string[];
  ends: string[];
}

let server: RunningServer;
let serverClock: TestClock;
let cleanup: { close(): void }[];

beforeEach(async () => {
  serverClock = new TestClock();
  server = await startServer({ port: 0, host: '127.0.0.1', logLevel: 'silent', stunUrls: [] }, serverClock);
  cleanup = [];
});
afterEach(async () => {
  for (const thing of cleanup) thing.close();
  await server.close();
});

async function connect(options: Partial<LobbyOptions> = {}) {
  const network = new Network(server.port);
  const clock = new TestClock();
  const lobby = await connectLobby({ server: await network.open(), clock, ...options });
  cleanup.push(lobby, network);
  return { lobby, network, clock };
}

type Connected = Awaited<ReturnType<typeof connect>>;

function watch(connected: Connected, room: Room): Player {
  const player: Player = { ...connected, room, pairings: [], peer: [], ends: [] };
  room.onSeats(() => {
    const presence = presenceOfOther(room);
    if (presence !== player.peer.at(-1)) player.peer.push(presence);
  });
  room.onPairing((pairing) => player.pairings.push(pairing));
  room.onEnd(({ code }) => player.ends.push(code));
  return player;
}

/** Whether the other player is there. */
function presenceOfOther({ seats, me }: Room): string {
  return seats.find(({ player }) => player !== me)?.presence ?? 'none';
}

/** The seat of the other player. */
function otherSeat({ seats, me }: Room): string {
  return seats.find(({ player }) => player !== me)?.seat ?? '';
}

/** Two players who are paired for the first time. */
async function pair(): Promise<[Player, Player]> {
  const [ann, bob] = [await connect(), await connect()];
  const created = watch(ann, await ann.lobby.create(duel));
  const joined = watch(bob, await bob.lobby.join(created.room.code, duel));
  await Promise.all([created.room.paired, joined.room.paired]);
  return [created, joined];
}

/** Cuts the connection and lets the lobby try again once the other player knows. */
async function interrupt(player: Player, other: Player): Promise<void> {
  const seat = new Promise((resolve) => player.room.onSeat(resolve));
  player.network.cut();
  await expect.poll(() => presenceOfOther(other.room)).toBe('away');
  await retry(player);
  await seat;
  await expect.poll(() => presenceOfOther(other.room)).toBe('here');
}

/** Lets the next try of a lobby begin. */
async function retry({ clock }: { clock: TestClock }): Promise<void> {
  await expect.poll(() => clock.waits.length).toBe(1);
  clock.advance(clock.waits[0]);
}

function received(pairing: Pairing, count: number): Promise<unknown[]> {
  const got: unknown[] = [];
  return new Promise((resolve) => {
    pairing.signals.listen((data) => {
      if (got.push(data) === count) resolve(got);
    });
  });
}

async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof LobbyError) return error.code;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('a lobby whose connection ends', () => {
  it('takes its seat back with a new key, and the match hears nothing of it', async () => {
    const [ann, bob] = await pair();
    const before = bob.room.seat;
    await interrupt(bob, ann);
    expect(bob.room.seat).toMatchObject({ room: before.room, seat: before.seat });
    expect(bob.room.seat.secret).not.toBe(before.secret);
    expect([ann.pairings.length, bob.pairings.length, ann.ends, bob.ends]).toEqual([1, 1, [], []]);
    expect(ann.peer).toEqual(['none', 'here', 'away', 'here']);
    expect(presenceOfOther(bob.room)).toBe('here');
    bob.pairings[0].signals.send(offer);
    expect(await received(ann.pairings[0], 1)).toEqual([offer]);
    await interrupt(bob, ann);
    await expect.poll(() => bob.clock.waits).toEqual([]);
  });

  it('keeps what was to be signalled meanwhile, on both sides', async () => {
    const [ann, bob] = await pair();
    const seat = new Promise((resolve) => bob.room.onSeat(resolve));
    bob.network.cut();
    await expect.poll(() => presenceOfOther(ann.room)).toBe('away');
    ann.pairings[0].signals.send(offer);
    bob.pairings[0].signals.send({ type: 'answer', sdp: 'v=1' });
    bob.pairings[0].signals.send({ type: 'answer', sdp: 'v=2' });
    // Refused, not lost: the next request on the same connection is answered after it.
    await ann.room.iceServers(otherSeat(ann.room));
    await retry(bob);
    await seat;
    expect(await received(bob.pairings[0], 1)).toEqual([offer]);
    expect(await received(ann.pairings[0], 2)).toEqual([
      { type: 'answer', sdp: 'v=1' },
      { type: 'answer', sdp: 'v=2' },
    ]);
  });

  it('tries again at growing intervals, and gives up when its seat is gone', async () => {
    const [, bob] = await pair();
    bob.network.closed = true;
    bob.network.cut();
    const waits: number[] = [];
    // Connecting is timed as well, by the limit of an answer.
    const pauses = () => bob.clock.waits.filter((ms) => ms !== 10_000);
    for (;;) {
      await expect.poll(() => pauses().length + bob.ends.length).toBe(1);
      if (bob.ends.length > 0) break;
      const [ms] = pauses();
      waits.push(ms);
      bob.clock.advance(ms);
    }
    expect(waits.slice(0, 7)).toEqual([125, 250, 500, 1000, 1500, 1500, 1500]);
    const total = waits.reduce((sum, ms) => sum + ms, 0);
    expect(total).toBeGreaterThanOrEqual(60_000);
    expect(total).toBeLessThan(62_000);
    expect(bob.ends).toEqual(['server-lost']);
    expect(await failure(bob.room.pairAgain(otherSeat(bob.room)))).toBe('server-lost');
    expect(await bob.room.paired).toEqual([bob.pairings[0]]);
  });

  it('gives up at once when the server knows its seat no more', async () => {
    const [ann, bob] = await pair();
    bob.network.cut();
    await expect.poll(() => presenceOfOther(ann.room)).toBe('away');
    serverClock.advance(60_001);
    await retry(bob);
    await expect.poll(() => bob.ends).toEqual(['seat-not-found']);
  });

  it('keeps waiting in a room where nobody is yet', async () => {
    const ann = await connect();
    const waiting = watch(ann, await ann.lobby.create(duel));
    const seat = new Promise((resolve) => waiting.room.onSeat(resolve));
    ann.network.cut();
    await retry(ann);
    await seat;
    const bob = await connect();
    await bob.lobby.join(waiting.room.code, duel);
    expect((await waiting.room.paired)[0].number).toBe(1);
  });
});

describe('pairing again', () => {
  it('gives both one new pairing with one initiator, and the old one is dead', async () => {
    const [ann, bob] = await pair();
    const [toAnn, toBob] = await Promise.all([
      ann.room.pairAgain(otherSeat(ann.room)),
      bob.room.pairAgain(otherSeat(bob.room)),
    ]);
    expect([toAnn.number, toBob.number]).toEqual([2, 2]);
    expect(toAnn.initiator).not.toBe(toBob.initiator);
    expect([ann.pairings, bob.pairings]).toEqual([
      [expect.objectContaining({ number: 1 }), toAnn],
      [expect.objectContaining({ number: 1 }), toBob],
    ]);
    ann.pairings[0].signals.send({ type: 'offer', sdp: 'old' });
    toAnn.signals.send(offer);
    expect(await received(toBob, 1)).toEqual([offer]);
  });

  it('waits for a player who is away', async () => {
    const [ann, bob] = await pair();
    bob.network.cut();
    await expect.poll(() => presenceOfOther(ann.room)).toBe('away');
    const next = ann.room.pairAgain(otherSeat(ann.room));
    await retry(bob);
    expect((await next).number).toBe(2);
    await expect.poll(() => bob.pairings.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('finds a way when the network died without a word', async () => {
    const [ann, bob] = await pair();
    bob.network.freeze();
    const [toAnn, toBob] = [ann.room.pairAgain(otherSeat(ann.room)), bob.room.pairAgain(otherSeat(bob.room))];
    await toAnn;
    await expect.poll(() => bob.clock.waits).toEqual([3_000]);
    bob.clock.advance(3_000);
    await retry(bob);
    // The server asks the dead connection before it gives the seat away.
    await expect.poll(() => serverClock.waits).toEqual([1_000]);
    serverClock.advance(1_000);
    const number = (await toBob).number;
    await expect.poll(() => ann.pairings.at(-1)?.number).toBe(number);
    expect(ann.pairings.at(-1)?.initiator).not.toBe((await toBob).initiator);
  });

  it('is refused in words when the other player left', async () => {
    const [ann, bob] = await pair();
    const seat = otherSeat(ann.room);
    const left = new Promise((resolve) => ann.pairings[0].onPeerLeft(resolve));
    bob.lobby.close();
    expect(await left).toBe('left');
    expect([presenceOfOther(ann.room), ann.ends]).toEqual(['none', ['peer-gone']]);
    expect(await failure(ann.room.pairAgain(seat))).toBe('peer-gone');
    expect(await failure(ann.room.iceServers(seat))).toBe('peer-gone');
  });
});

describe('a page that was loaded again', () => {
  it('takes its seat back, is paired anew, and the key it came with is void', async () => {
    const [ann, bob] = await pair();
    const key = bob.room.seat;
    bob.network.closed = true;
    bob.network.cut();
    await expect.poll(() => presenceOfOther(ann.room)).toBe('away');
    const page = await connect();
    const room = await page.lobby.resume(key);
    expect(room).toMatchObject({ code: key.room, me: 1, seat: { seat: key.seat } });
    expect(room.seat.secret).not.toBe(key.secret);
    const [pairing] = await room.paired;
    expect(pairing).toMatchObject({ number: 2, peer: { player: 0 } });
    await expect.poll(() => ann.pairings.map(({ number }) => number)).toEqual([1, 2]);
    expect(ann.pairings[1].initiator).not.toBe(pairing.initiator);
    const other = await connect();
    const refusal = other.lobby.resume(key);
    expect(await failure(refusal)).toBe('seat-not-found');
    await expect(refusal).rejects.toThrow('Start a new match');
    expect((await other.lobby.create(duel)).me).toBe(0);
  });

  it('is told that the other player is gone', async () => {
    const [ann, bob] = await pair();
    const key = bob.room.seat;
    bob.network.closed = true;
    bob.network.cut();
    await expect.poll(() => presenceOfOther(ann.room)).toBe('away');
    await ann.lobby.leave();
    const page = await connect();
    const room = await page.lobby.resume(key);
    expect(presenceOfOther(room)).toBe('none');
    expect(await failure(room.paired)).toBe('peer-gone');
  });
});

describe('a second tab', () => {
  it('is refused in words while the first is there, which notices nothing', async () => {
    const [ann, bob] = await pair();
    const tab = await connect();
    const refusal = tab.lobby.resume(bob.room.seat);
    await expect(refusal).rejects.toThrow('open in another tab');
    expect(await failure(refusal)).toBe('seat-in-use');
    bob.pairings[0].signals.send(offer);
    expect(await received(ann.pairings[0], 1)).toEqual([offer]);
    expect([presenceOfOther(ann.room), bob.ends]).toEqual(['here', []]);
    expect(ann.peer).not.toContain('away');
  });

  it('takes over from one that does not answer; that one ends and does not come back', async () => {
    const [ann, bob] = await pair();
    const thaw = bob.network.freeze();
    const tab = await connect();
    const resumed = tab.lobby.resume(bob.room.seat);
    await expect.poll(() => serverClock.waits).toEqual([1_000]);
    serverClock.advance(1_000);
    const room = await resumed;
    thaw();
    await expect.poll(() => bob.ends).toEqual(['seat-taken']);
    expect(bob.clock.waits).toEqual([]);
    expect((await room.paired)[0].number).toBe(2);
    expect(ann.ends).toEqual([]);
  });
});

describe('leaving', () => {
  it('while the connection is away ends the lobby; the seat goes when its time is up', async () => {
    const [ann, bob] = await pair();
    bob.network.cut();
    await expect.poll(() => presenceOfOther(ann.room)).toBe('away');
    await bob.lobby.leave();
    expect([bob.ends, bob.clock.waits]).toEqual([['left'], []]);
    serverClock.advance(60_001);
    await server.expireSeats();
    await expect.poll(() => presenceOfOther(ann.room)).toBe('none');
  });
});
