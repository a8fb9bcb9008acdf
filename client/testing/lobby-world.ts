/**
 * Players of one server whose connections can be cut, closed and frozen, on clocks that stand still until a test moves
 * them. Tests only.
 */
import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import { type RunningServer, startServer } from '@riposte/signaling';
import type { LobbyClock } from '../src/lobby/clock.js';
import { connectLobby, type Lobby, type LobbyOptions } from '../src/lobby/lobby.js';
import { LobbyError } from '../src/lobby/lobby-error.js';
import type { Pairing, Room } from '../src/lobby/room.js';

export const duel = { game: 'duel', version: '1' };
export const offer = { type: 'offer' as const, sdp: 'v=0' };

/** Milliseconds of a test's patience: far more than it takes, also on a machine that does much else. */
export const PATIENCE_MS = 30_000;

/** What is waited for. Looked at whenever a clock or a player of a test has news. */
const awaited = new Set<() => void>();

function changed(): void {
  for (const look of [...awaited]) look();
}

/** Resolves when the condition holds, which it does by something that a clock or a player here is told. */
export function until(condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!condition()) return;
      awaited.delete(look);
      resolve();
    };
    awaited.add(look);
    look();
  });
}

/** Time that stands still until a test moves it, for a lobby or a server. */
export class TestClock implements LobbyClock {
  #now = 0;
  readonly #jobs = new Set<{ ms: number; due: number; run: () => void }>();
  readonly now = () => this.#now;
  readonly unixMs = () => this.#now;
  readonly random = () => 0;
  readonly after = (ms: number, run: () => void) => {
    const job = { ms, due: this.#now + ms, run };
    this.#jobs.add(job);
    changed();
    return () => {
      this.#jobs.delete(job);
      changed();
    };
  };

  /** How long each job that waits was told to wait. */
  get waits(): number[] {
    return [...this.#jobs].map(({ ms }) => ms);
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const job of [...this.#jobs]) if (job.due <= this.#now && this.#jobs.delete(job)) job.run();
    changed();
  }
}

/** A network between a lobby and the server that can be cut, closed and frozen. */
export class Network {
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

export interface Connected {
  lobby: Lobby;
  network: Network;
  clock: TestClock;
}

export interface Player extends Connected {
  room: Room;
  /** What this side was told. */
  pairings: Pairing[];
  peer: string[];
  ends: string[];
}

/** A server, and all who come to it in one test. */
export class LobbyWorld {
  readonly server: RunningServer;
  readonly serverClock: TestClock;
  readonly #cleanup: { close(): void }[] = [];

  private constructor(server: RunningServer, serverClock: TestClock) {
    this.server = server;
    this.serverClock = serverClock;
  }

  static async open(): Promise<LobbyWorld> {
    const clock = new TestClock();
    const settings = { port: 0, host: '127.0.0.1', logLevel: 'silent', stunUrls: [] } as const;
    return new LobbyWorld(await startServer(settings, clock), clock);
  }

  async connect(options: Partial<LobbyOptions> = {}): Promise<Connected> {
    const network = new Network(this.server.port);
    const clock = new TestClock();
    const lobby = await connectLobby({ server: await network.open(), clock, ...options });
    this.#cleanup.push(lobby, network);
    return { lobby, network, clock };
  }

  /** Two players who are paired for the first time. */
  async pair(): Promise<[Player, Player]> {
    const [ann, bob] = [await this.connect(), await this.connect()];
    const created = watch(ann, await ann.lobby.create(duel));
    const joined = watch(bob, await bob.lobby.join(created.room.code, duel));
    await Promise.all([created.room.paired, joined.room.paired]);
    return [created, joined];
  }

  async close(): Promise<void> {
    for (const thing of this.#cleanup) thing.close();
    await this.server.close();
    awaited.clear();
  }
}

/** Keeps what this side is told. */
export function watch(connected: Connected, room: Room): Player {
  const player: Player = { ...connected, room, pairings: [], peer: [], ends: [] };
  room.onSeats(() => {
    const presence = presenceOfOther(room);
    if (presence !== player.peer.at(-1)) player.peer.push(presence);
    changed();
  });
  room.onPairing((pairing) => {
    player.pairings.push(pairing);
    changed();
  });
  room.onEnd(({ code }) => {
    player.ends.push(code);
    changed();
  });
  return player;
}

/** Whether the other player is there. */
export function presenceOfOther({ seats, me }: Room): string {
  return seats.find(({ player }) => player !== me)?.presence ?? 'none';
}

/** The seat of the other player. */
export function otherSeat({ seats, me }: Room): string {
  return seats.find(({ player }) => player !== me)?.seat ?? '';
}

/** Resolves when the other player of the room is so: `here`, `away` or `none`. */
export function untilOther(room: Room, presence: string): Promise<void> {
  return until(() => presenceOfOther(room) === presence);
}

/** Cuts the connection and lets the lobby try again once the other player knows. */
export async function interrupt(player: Player, other: Player): Promise<void> {
  const seat = new Promise((resolve) => player.room.onSeat(resolve));
  player.network.cut();
  await untilOther(other.room, 'away');
  await retry(player);
  await seat;
  await untilOther(other.room, 'here');
}

/** Lets the next try of a lobby begin. */
export async function retry({ clock }: { clock: TestClock }): Promise<void> {
  await until(() => clock.waits.length === 1);
  const [ms = 0] = clock.waits;
  clock.advance(ms);
}

export function received(pairing: Pairing, count: number): Promise<unknown[]> {
  const got: unknown[] = [];
  return new Promise((resolve) => {
    pairing.signals.listen((data) => {
      if (got.push(data) === count) resolve(got);
    });
  });
}

/** The code of the error that it fails with. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof LobbyError) return error.code;
    throw error;
  }
  throw new Error('it did not fail');
}
