import { Random } from '@riposte/shared';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { Feed } from '../../client/src/session/feed.js';
import { type mixer, mixerInput } from '../../shared/testing/mixer.js';
import { Party } from '../simulation/party.js';
import { partyGame } from '../simulation/party-game.js';
import { Spectator, Teller } from '../simulation/stands.js';

type State = ReturnType<typeof mixer.state.create>;
type Input = ReturnType<typeof mixer.input.create>;

const FRAME_MS = 1000 / 60;
const link = { delayMs: 40, jitterMs: 10, lossRate: 0.1 };

/** A match with its tellers, and who watches it. */
class Arena {
  readonly party: Party<State, Input>;
  readonly tellers: Teller<State, Input>[];
  readonly spectators: Spectator<State, Input>[] = [];
  readonly #luck = new Random(new Int32Array(2), 0);

  constructor(players: number, frames?: number) {
    this.party = new Party<State, Input>({
      game: partyGame,
      players,
      link: { delayMs: 30, jitterMs: 5, lossRate: 0.05 },
      input: (player) => seededBot(mixerInput, player + 1),
      ...(frames !== undefined && { frames }),
    });
    this.#luck.seed(5);
    this.tellers = this.party.peers.map(
      (_, me) =>
        new Teller(partyGame, this.party.clock, () => {
          const running = this.party.peers[me]!.session.running;
          return running && { agreed: running.agreed, driver: running.driver, newest: running.driver.checker.newest };
        }),
    );
  }

  join(source: Teller<State, Input>, delay = 0, conditions = link): Spectator<State, Input> {
    const spectator = new Spectator(`spectator ${this.spectators.length}`, partyGame, this.party.clock, delay);
    this.spectators.push(spectator);
    spectator.watch(source, conditions, () => this.#luck.unit());
    return spectator;
  }

  rejoin(spectator: Spectator<State, Input>, source: Teller<State, Input>): void {
    spectator.watch(source, link, () => this.#luck.unit());
  }

  run(ms: number): void {
    for (let left = ms; left > 0; left -= FRAME_MS) {
      this.party.run(Math.min(FRAME_MS, left));
      for (const teller of this.tellers) teller.draw();
      for (const spectator of this.spectators) spectator.draw();
    }
  }

  /** Frames between the newest that the players have confirmed and the one that is shown. */
  lag({ session }: Spectator<State, Input>): number {
    return this.party.peers[0]!.session.driver!.checker.newest - session.frame;
  }

  /** What a spectator has seen is what the players played. */
  expectSame({ session }: Spectator<State, Input>): void {
    const { checker } = this.party.peers[0]!.session.driver!;
    expect(session.desync).toBeNull();
    expect(session.frame).toBeGreaterThan(50);
    expect(session.source!.driver.checker.chainOf(session.frame)).toBe(checker.chainOf(session.frame));
    expect(session.comparedFrames).toBeGreaterThan(session.frame - 30);
  }
}

describe('a spectator', () => {
  it.each([2, 4])(
    'joins a match of %i at any moment and sees the very frames that are played, at the end all of them',
    (players) => {
      const arena = new Arena(players, 1200);
      arena.run(5000);
      const early = arena.join(arena.tellers[0]!);
      arena.run(5000);
      const late = arena.join(arena.tellers[1]!);
      arena.run(4000);
      for (const spectator of [early, late]) {
        arena.expectSame(spectator);
        expect(arena.lag(spectator)).toBeLessThan(20);
      }
      arena.run(8000);
      for (const teller of arena.tellers) teller.end('finished');
      arena.run(3000);
      for (const spectator of [early, late]) {
        expect(spectator.ended).toMatchObject({ cause: 'finished' });
        expect(spectator.session.frame).toBe(1199);
        arena.expectSame(spectator);
      }
    },
  );

  it('is there before the match begins, and sees it from its first frame on', () => {
    const arena = new Arena(2);
    const spectator = arena.join(arena.tellers[0]!);
    arena.run(3000);
    arena.expectSame(spectator);
    expect(spectator.session.source!.driver.checker.hashOf(5)).toBeDefined();
    expect(spectator.events.map(({ type }) => type)).toEqual(['running']);
  });

  it('watches as far behind as it likes', () => {
    const arena = new Arena(2);
    arena.run(8000);
    const near = arena.join(arena.tellers[0]!);
    const far = arena.join(arena.tellers[0]!, 180);
    arena.run(15_000);
    expect(arena.lag(near)).toBeLessThan(20);
    expect(arena.lag(far)).toBeGreaterThan(170);
    expect(arena.lag(far)).toBeLessThan(210);
    arena.expectSame(far);
  });

  it('stalls no player, however bad its own link is, or when it sleeps and is thrown out', () => {
    const [alone, watched] = [new Arena(2), new Arena(2)];
    for (const arena of [alone, watched]) arena.run(3000);
    const bad = watched.join(watched.tellers[0]!, 0, { delayMs: 700, jitterMs: 300, lossRate: 0.6 });
    const sleeper = watched.join(watched.tellers[1]!);
    for (const arena of [alone, watched]) arena.run(2000);
    sleeper.isAsleep = true;
    for (const arena of [alone, watched]) arena.run(15_000);
    for (const [me, { session }] of watched.party.peers.entries()) {
      const other = alone.party.peers[me]!.session;
      expect(session.sim!.lastFrame()).toBe(other.sim!.lastFrame());
      expect(session.driver!.stalledFrames).toBe(other.driver!.stalledFrames);
    }
    expect(watched.tellers[1]!.feed.watchers).toBe(0);
    watched.expectSame(bad);
  });

  it('catches up by few ticks a drawn frame after it was away, or by a newer state when it was away too long', () => {
    const arena = new Arena(2);
    arena.run(3000);
    const spectator = arena.join(arena.tellers[0]!);
    arena.run(2000);
    for (const awayMs of [4000, 25_000]) {
      spectator.isAsleep = true;
      arena.run(awayMs);
      spectator.isAsleep = false;
      arena.rejoin(spectator, arena.tellers[1]!);
      arena.run(8000);
      expect(arena.lag(spectator)).toBeLessThan(20);
      arena.expectSame(spectator);
    }
    expect(spectator.mostTicks).toBeLessThanOrEqual(3);
  });

  it('goes on by another source when its own is gone, without a frame missing', () => {
    const arena = new Arena(3);
    arena.run(3000);
    const spectator = arena.join(arena.tellers[2]!);
    arena.run(3000);
    arena.party.kill(2);
    arena.tellers[2]!.kill();
    arena.run(1000);
    expect(spectator.events.at(-1)).toEqual({ type: 'interrupted' });
    const frame = spectator.session.frame;
    arena.rejoin(spectator, arena.tellers[0]!);
    arena.run(9000);
    expect(spectator.session.frame).toBeGreaterThan(frame + 100);
    // The frames were told, not a newer state: the chain is one from the first frame on.
    arena.expectSame(spectator);
    expect(spectator.session.sim!.isGone(2, spectator.session.frame)).toBe(true);
  });

  it('sees a player go and come back as the players do', () => {
    const arena = new Arena(3);
    arena.run(3000);
    const spectator = arena.join(arena.tellers[0]!);
    arena.run(1000);
    arena.party.reload(2);
    arena.run(8000);
    arena.expectSame(spectator);
    expect(spectator.session.sim!.isGone(2, spectator.session.frame)).toBe(false);
    expect(spectator.session.sim!.absenceAfter(2, 0)).toEqual(arena.party.peers[0]!.session.sim!.absenceAfter(2, 0));
  });

  it('is one of sixteen, who tell each other, and survive the loss of one who tells four', () => {
    const arena = new Arena(2);
    arena.run(2000);
    const first = [0, 0, 0, 0].map(() => arena.join(arena.tellers[0]!));
    const second = first.flatMap(({ teller }) => [0, 0, 0].map(() => arena.join(teller)));
    arena.run(6000);
    for (const spectator of arena.spectators) {
      arena.expectSame(spectator);
      expect(arena.lag(spectator)).toBeLessThan(40);
    }
    expect(arena.spectators.length).toBe(16);
    first[0]!.kill();
    arena.run(1000);
    for (const [at, orphan] of second.slice(0, 3).entries()) arena.rejoin(orphan, first[at + 1]!.teller);
    arena.run(5000);
    for (const spectator of arena.spectators.slice(1)) {
      expect(arena.lag(spectator)).toBeLessThan(40);
      arena.expectSame(spectator);
    }
    expect(arena.tellers[0]!.feed.watchers).toBeLessThanOrEqual(4);
  });

  it('is refused with another version of the game, in words', () => {
    const arena = new Arena(2);
    arena.run(1000);
    const other = new Spectator('other', { ...partyGame, version: '2' }, arena.party.clock);
    other.watch(arena.tellers[0]!, link, () => 0.5);
    arena.spectators.push(other);
    arena.run(500);
    expect(other.ended).toMatchObject({ cause: 'refused', message: expect.stringContaining('party') });
  });

  it('is refused in words with another release, whose first message has other fields', () => {
    const told: string[] = [];
    const feed = new Feed<State, Input>(partyGame, {
      send: (to, _channel, bytes) => told.push(`${to} ${new TextDecoder().decode(bytes)}`),
      dropped: (spectator) => told.push(`${spectator} is dropped`),
    });
    feed.open(0, 'later');
    feed.receive(0, 'later', 'reliable', new TextEncoder().encode('{"type":"watch","wire":7,"something":"else"}'));
    expect(told).toEqual([expect.stringContaining('(wire versions 1 and 7): reload the page'), 'later is dropped']);
    expect(feed.watchers).toBe(0);
  });

  it('drops what is no packet, and packets of another epoch, without a change', () => {
    const arena = new Arena(2);
    arena.run(2000);
    const spectator = arena.join(arena.tellers[0]!);
    arena.run(2000);
    const luck = new Random(new Int32Array(2), 0);
    luck.seed(9);
    for (let count = 0; count < 20_000; count++) {
      const bytes = Uint8Array.from({ length: luck.below(60) }, () => luck.below(256));
      if (luck.below(2) === 0 && bytes.length > 0) bytes[0] = 0x20 | luck.below(4);
      spectator.session.receive(arena.party.clock.nowMs, luck.below(9) === 0 ? 'reliable' : 'unreliable', bytes);
      arena.tellers[0]!.feed.receive(
        arena.party.clock.nowMs,
        spectator.name,
        luck.below(9) === 0 ? 'reliable' : 'unreliable',
        bytes,
      );
    }
    expect(spectator.session.droppedPackets).toBeGreaterThan(10_000);
    arena.run(2000);
    arena.expectSame(spectator);
  });
});
