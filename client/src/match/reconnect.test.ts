import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Listeners } from '../listeners.js';
import { LobbyError } from '../lobby/lobby-error.js';
import type { Pairing } from '../lobby/room.js';
import { BufferedSignalPort } from '../lobby/signal-port.js';
import type { Transport } from '../transport/transport.js';
import type { MatchEvents, Phase } from './match.js';
import { type ConnectedMatch, type ConnectionEvents, keepConnected } from './reconnect.js';
import { blankStatus } from './status.js';

/** A pairing with a player; its seat is named after it. */
function pairingWith(player: number | null, number: number): Pairing {
  return {
    room: 'K7M2QX',
    peer: { seat: `seat ${player}`, role: player === null ? 'spectator' : 'player', player, name: 'Ada' },
    number,
    initiator: true,
    iceServers: [],
    relayOnly: false,
    signals: new BufferedSignalPort(() => undefined),
    onPeerLeft: () => undefined,
  };
}

/** A match and a room that write down what is asked of them, in order. */
class Stand {
  readonly told: string[] = [];
  readonly #listeners = new Listeners<MatchEvents>();
  readonly #closed = new Set<number>();
  readonly #attempts: { succeed: () => void; fail: () => void }[] = [];
  #pair: (pairing: Pairing) => void = () => undefined;
  canRestart = true;
  pairAgain: (seat: string) => Promise<Pairing> = () => new Promise(() => undefined);
  onFailed: ConnectionEvents['failed'] = () => true;

  constructor() {
    const match: ConnectedMatch = {
      attach: (player) => {
        this.#closed.delete(player);
        this.told.push(`attach ${player}`);
      },
      isConnected: (player) => !this.#closed.has(player),
      on: (event, listener) => this.#listeners.add(event, listener),
      restart: (player) => {
        this.told.push(`restart ${player}`);
        return this.canRestart;
      },
    };
    const room = {
      onPairing: (listener: (pairing: Pairing) => void) => {
        this.#pair = listener;
        return () => this.told.push('stopped');
      },
      pairAgain: (seat: string) => {
        this.told.push(`pair ${seat}`);
        return this.pairAgain(seat);
      },
    };
    keepConnected(room, match, {
      connect: ({ peer, number }) => {
        this.told.push(`connect ${peer.player} #${number}`);
        return new Promise((resolve, reject) => {
          this.#attempts.push({
            succeed: () => resolve(this.#transport(`${peer.player} #${number}`)),
            fail: () => reject(new Error('no path')),
          });
        });
      },
      failed: (error, isLast) => this.onFailed?.(error, isLast) ?? true,
    });
  }

  #transport(name: string): Transport {
    return {
      kind: 'loopback',
      listen: () => undefined,
      send: () => undefined,
      restart: () => false,
      close: () => this.told.push(`close ${name}`),
    };
  }

  pair(player: number | null, number: number): void {
    this.#pair(pairingWith(player, number));
  }

  /** The oldest attempt that is under way succeeds, or fails. */
  async settle(how: 'succeeds' | 'fails'): Promise<void> {
    const attempt = this.#attempts.shift();
    if (how === 'succeeds') attempt?.succeed();
    else attempt?.fail();
    await vi.advanceTimersByTimeAsync(0);
  }

  async connect(player: number, number: number): Promise<void> {
    this.pair(player, number);
    await this.settle('succeeds');
  }

  link(player: number, isUp: boolean): void {
    this.#listeners.emit('link', player, isUp);
  }

  close(player: number): void {
    this.#closed.add(player);
  }

  phase(phase: Phase): void {
    this.#listeners.emit('phase', phase, blankStatus);
  }

  end(): void {
    this.phase('ended');
    this.#listeners.emit('closed', 'You left.');
  }

  /** What was asked since the last time. */
  since(): string[] {
    return this.told.splice(0);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a match is kept connected', () => {
  it('with all other players at once, and not with spectators', async () => {
    const stand = new Stand();
    stand.pair(1, 1);
    stand.pair(2, 1);
    stand.pair(null, 1);
    expect(stand.since()).toEqual(['connect 1 #1', 'connect 2 #1']);
    await stand.settle('succeeds');
    await stand.settle('succeeds');
    expect(stand.since()).toEqual(['attach 1', 'attach 2']);
  });

  it('by new paths of the same connection first, and by a new pairing when nothing is heard after that', async () => {
    const stand = new Stand();
    await stand.connect(1, 1);
    stand.since();
    stand.link(1, false);
    expect(stand.since()).toEqual(['restart 1']);
    await vi.advanceTimersByTimeAsync(2400);
    expect(stand.since()).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(stand.since()).toEqual(['pair seat 1']);
    await stand.connect(1, 2);
    expect(stand.since()).toEqual(['connect 1 #2', 'attach 1']);
    stand.link(1, true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stand.since()).toEqual([]);
  });

  it('without a new pairing where the new paths are heard', async () => {
    const stand = new Stand();
    await stand.connect(1, 1);
    stand.link(1, false);
    await vi.advanceTimersByTimeAsync(1000);
    stand.link(1, true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stand.since()).toEqual(['connect 1 #1', 'attach 1', 'restart 1']);
  });

  it('by a new pairing at once where the connection is closed', async () => {
    const stand = new Stand();
    await stand.connect(1, 1);
    stand.since();
    stand.close(1);
    stand.link(1, false);
    expect(stand.since()).toEqual(['pair seat 1']);
  });

  it('each player apart from the others', async () => {
    const stand = new Stand();
    await stand.connect(1, 1);
    await stand.connect(2, 1);
    stand.since();
    stand.link(2, false);
    await vi.advanceTimersByTimeAsync(2500);
    expect(stand.since()).toEqual(['restart 2', 'pair seat 2']);
  });

  it('asking again and again while the server is away, until there is nobody to ask for', async () => {
    const stand = new Stand();
    await stand.connect(1, 1);
    stand.since();
    stand.pairAgain = () => Promise.reject(new LobbyError('server-lost', 'The server is away.'));
    stand.close(1);
    stand.link(1, false);
    await vi.advanceTimersByTimeAsync(7000);
    expect(stand.since()).toEqual(['pair seat 1', 'pair seat 1', 'pair seat 1']);
    stand.pairAgain = () => Promise.reject(new LobbyError('peer-gone', 'Nobody is there.'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stand.since()).toEqual(['pair seat 1']);
  });

  it('by whichever pairing is newest: what was made by an older one is closed', async () => {
    const stand = new Stand();
    stand.pair(1, 1);
    stand.pair(1, 2);
    stand.pair(1, 1);
    await stand.settle('succeeds');
    expect(stand.since()).toEqual(['connect 1 #1', 'connect 1 #2', 'close 1 #1']);
    await stand.settle('succeeds');
    expect(stand.since()).toEqual(['attach 1']);
  });

  it('after an attempt that failed, for as long as its owner wants', async () => {
    const stand = new Stand();
    const lasts: boolean[] = [];
    stand.onFailed = (_error, isLast) => {
      lasts.push(isLast);
      return !isLast;
    };
    for (const player of [1, 2]) {
      stand.close(player);
      stand.pair(player, 1);
    }
    stand.since();
    await stand.settle('fails');
    await stand.settle('fails');
    expect(lasts).toEqual([false, true]);
    await vi.advanceTimersByTimeAsync(1500);
    expect(stand.since()).toEqual(['pair seat 1']);
  });

  it('in a rematch too, where the match before ended while a connection was being made', async () => {
    const stand = new Stand();
    await stand.connect(1, 1);
    stand.pair(1, 2);
    stand.phase('ended');
    await stand.settle('succeeds');
    stand.since();
    for (const phase of ['syncing', 'running'] as const) stand.phase(phase);
    stand.link(1, false);
    expect(stand.since()).toEqual(['restart 1']);
  });

  it('until the match is over', async () => {
    const stand = new Stand();
    await stand.connect(1, 1);
    stand.link(1, false);
    stand.end();
    stand.pair(1, 2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stand.since()).toEqual(['connect 1 #1', 'attach 1', 'restart 1', 'stopped']);
  });
});
