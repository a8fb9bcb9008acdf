import { buttons, defineGame, RollbackSim, struct, u8 } from '@riposte/shared';
import type { SeatMessage, SeatStep } from '@riposte/shared/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { Seats } from './seats.js';

const game = defineGame({
  id: 'seats',
  version: '1',
  tickRate: 60,
  players: 2,
  input: buttons('a'),
  state: struct({ frames: u8 }),
  step: (state) => {
    state.frames++;
  },
});

/** Longer than any reminder, and than it takes to ask again. */
const WHILE_MS = 4000;
const STEP_MS = 50;

/** Six players with what each holds of the others, and who hears whom. What is said arrives in the next step. */
class Gathering {
  readonly sims = Array.from({ length: 6 }, () => new RollbackSim(game, { players: 6 }));
  readonly outside = new Set<number>();
  readonly seats: Seats<unknown, unknown>[];
  /** Whether a message reaches a player. */
  reaches: (to: number, message: SeatMessage) => boolean = () => true;
  #nowMs = 0;
  #said: SeatMessage[] = [];
  readonly #deaf = new Set<string>();
  readonly #dead = new Set<number>();

  constructor() {
    this.seats = this.sims.map(
      (sim, me) =>
        new Seats(sim, me, {
          send: (message) => this.#said.push(message),
          changed: (seat, isHere) => {
            if (seat === me) this.outside[isHere ? 'delete' : 'add'](me);
          },
        }),
    );
  }

  /** The player's inputs up to a frame come to these. */
  play(player: number, last: number, listeners: readonly number[] = [0, 1, 2, 3, 4, 5]): void {
    for (const listener of listeners) {
      const sim = this.sims[listener]!;
      for (let frame = sim.heldThrough(player) + 1; frame <= last; frame++) sim.applyRemote(player, frame, {});
    }
  }

  /** Whether these players hear those, and are heard by them. */
  hear(some: readonly number[], others: readonly number[], isHeard: boolean): void {
    for (const one of some) {
      for (const other of others) {
        this.#deaf[isHeard ? 'delete' : 'add'](`${one} ${other}`);
        this.#deaf[isHeard ? 'delete' : 'add'](`${other} ${one}`);
      }
    }
  }

  kill(player: number): void {
    this.#dead.add(player);
  }

  #hears(to: number, from: number): boolean {
    return !this.#deaf.has(`${to} ${from}`) && !this.#dead.has(from) && !this.#dead.has(to);
  }

  run(ms: number, isDone = () => false): void {
    for (const end = this.#nowMs + ms; this.#nowMs < end && !isDone(); this.#nowMs += STEP_MS) {
      const arriving = this.#said.splice(0);
      for (const [me, seats] of this.seats.entries()) {
        for (const message of arriving) {
          const arrives = message.from !== me && this.#hears(me, message.from) && this.reaches(me, message);
          if (arrives && seats.isNew(message)) seats.receive(message);
        }
        // Who is outside asks for the match.
        if (this.#dead.has(me) || this.outside.has(me)) continue;
        seats.poll(this.#nowMs, (seat) => (this.#hears(me, seat) ? 0 : Infinity));
      }
    }
  }

  /** What these have settled of a seat, by its last frame; undefined for one that is there. */
  lastOf(seat: number, players: readonly number[]): (number | undefined)[] {
    return players.map((player) =>
      this.seats[player]!.isGone(seat) ? this.sims[player]!.heldThrough(seat) : undefined,
    );
  }
}

describe('the seats of a match', () => {
  let table: Gathering;

  beforeEach(() => {
    table = new Gathering();
    for (let player = 0; player < 6; player++) table.play(player, 5);
  });

  it('give up who had no part in what is settled, also when the one who settled it is no more', () => {
    // Player 5 hears nobody but 4, of whom it holds what nobody else does.
    table.play(4, 9, [4, 5]);
    table.hear([0, 1, 2, 3], [4, 5], false);
    table.run(WHILE_MS, () => [1, 2, 3].every((player) => table.seats[player]!.isGone(4)));
    expect(table.lastOf(4, [1, 2, 3])).toEqual([5, 5, 5]);
    expect(table.lastOf(5, [1, 2, 3])).toEqual([undefined, undefined, undefined]);
    table.kill(0);
    table.hear([1, 2, 3], [5], true);
    table.run(WHILE_MS);
    expect(table.lastOf(5, [1, 2, 3])).toEqual([5, 5, 5]);
    expect(table.outside).toContain(5);
  });

  it.each(['held', 'have'] as const)(
    'settle what those have who are left, where who had most is lost before all said %s',
    (step) => {
      table.play(4, 9, [3]);
      table.reaches = (_, message) => message.from !== 1 || message.step !== step;
      table.kill(4);
      table.run(WHILE_MS);
      expect(table.lastOf(4, [0, 1, 2, 5])).toEqual([undefined, undefined, undefined, undefined]);
      table.kill(3);
      table.reaches = () => true;
      table.run(2 * WHILE_MS);
      for (const seat of [3, 4]) expect(table.lastOf(seat, [0, 1, 2, 5])).toEqual([5, 5, 5, 5]);
    },
  );

  it('count one who left by what others pass on as soon as it is not heard, and not before', () => {
    for (const seats of table.seats) seats.leaves(2);
    table.run(1000);
    expect(table.lastOf(2, [0, 1, 3, 4, 5])).toEqual([undefined, undefined, undefined, undefined, undefined]);
    // Three of six without the lowest are no majority; of five they are.
    for (const player of [0, 2, 3]) table.kill(player);
    table.run(WHILE_MS);
    for (const seat of [0, 2, 3]) expect(table.lastOf(seat, [1, 4, 5])).toEqual([5, 5, 5]);
  });

  it('forget that one left, by what others pass on, when it is heard for long after that', () => {
    for (const seats of table.seats) seats.leaves(2);
    table.run(WHILE_MS);
    for (const player of [0, 2, 3]) table.kill(player);
    table.run(WHILE_MS);
    for (const seat of [0, 2, 3]) expect(table.lastOf(seat, [1, 4, 5])).toEqual([undefined, undefined, undefined]);
  });

  it('forget that one left, by what others pass on, when it has come back since', () => {
    for (const seats of table.seats) {
      seats.leaves(2);
      seats.left(2);
      seats.stays(2);
    }
    for (const player of [0, 2, 3]) table.kill(player);
    table.run(WHILE_MS);
    for (const seat of [0, 2, 3]) expect(table.lastOf(seat, [1, 4, 5])).toEqual([undefined, undefined, undefined]);
  });

  /** Player 5 was gone, and is let in again by all but one, who is not told; then it and the leader die. */
  function letInBehind(one: number): void {
    table.kill(5);
    table.run(WHILE_MS);
    expect(table.lastOf(5, [0, 1, 2, 3, 4])).toEqual([5, 5, 5, 5, 5]);
    table.reaches = (to, { step }) => to !== one || step !== 'admit';
    const ready = { type: 'seat', from: 5, serial: 1000, step: 'ready', seat: 5, round: 0, frame: 5 } as const;
    table.seats[0]!.receive(ready);
    const others = [0, 1, 2, 3, 4].filter((player) => player !== one);
    table.run(900, () => others.every((player) => !table.seats[player]!.isGone(5)));
    expect(table.lastOf(5, others)).toEqual([undefined, undefined, undefined, undefined]);
    expect(table.seats[one]!.isGone(5)).toBe(true);
    table.kill(0);
    table.reaches = () => true;
    table.run(2 * WHILE_MS);
  }

  it.each([
    [1, 'who leads next'],
    [3, 'who follows'],
  ])('agree that one is not there who was let in by all but player %i, %s, and never played', (one) => {
    letInBehind(one);
    expect(table.lastOf(5, [1, 2, 3, 4])).toEqual([5, 5, 5, 5]);
    expect(table.lastOf(0, [1, 2, 3, 4])).toEqual([5, 5, 5, 5]);
    expect(table.outside.size).toBe(0);
    for (const player of [1, 2, 3, 4]) {
      const { sims } = table;
      expect([6, 40, 100].map((frame) => sims[player]!.isGone(5, frame))).toEqual([true, true, true]);
    }
  });

  it('keep one that was let in when they are told late that it had been given up', () => {
    table.kill(5);
    table.run(WHILE_MS);
    const others = [0, 1, 2, 3, 4];
    const notice = table.seats[4]!.noticeOf(5);
    table.seats[0]!.receive({ type: 'seat', from: 5, serial: 1000, step: 'ready', seat: 5, round: 0, frame: 5 });
    table.run(900, () => others.every((player) => !table.seats[player]!.isGone(5)));
    for (const player of [0, 1, 2, 3]) table.seats[player]!.receive(notice);
    expect(table.lastOf(5, others)).toEqual(others.map(() => undefined));
    // It never plays: then it is given up once more, by a word that is new.
    table.run(2 * WHILE_MS);
    expect(table.lastOf(5, others)).toEqual([5, 5, 5, 5, 5]);
    expect(table.outside.size).toBe(0);
  });

  it('tell one that it is in who asks for that again, as where the word of it was lost with the leader', () => {
    table.kill(5);
    table.run(WHILE_MS);
    const ready = { type: 'seat', from: 5, serial: 1000, step: 'ready', seat: 5, round: 0, frame: 5 } as const;
    table.seats[0]!.receive(ready);
    const words: SeatMessage[] = [];
    table.reaches = (to, message) => {
      if (to === 1 && message.step === 'enter') words.push(message);
      return true;
    };
    table.run(900, () => words.length > 0);
    table.kill(0);
    table.seats[2]!.receive({ ...ready, serial: 1001 });
    table.run(100);
    const [led, again] = words;
    // Of no round: whoever has given it up since takes it for nothing.
    expect(again).toMatchObject({ from: 2, step: 'enter', seat: 5, round: 0, frame: led?.frame });
    expect(led).toMatchObject({ from: 0 });
  });

  it('let one in by no word of another frame than the one that it knows', () => {
    const sim = new RollbackSim(game, { players: 6 });
    sim.disconnect(5, 0);
    const seats = new Seats(sim, 5, { send: () => undefined, changed: () => undefined });
    const say = (step: 'admit' | 'enter', frame: number) =>
      seats.receive({ type: 'seat', from: 0, serial: 1, step, seat: 5, round: 8, frame });
    say('admit', 30);
    say('enter', 31);
    expect(seats.isOutside).toBe(true);
    say('enter', 30);
    expect(seats.isOutside).toBe(false);
  });

  it.each([
    [90, ['settled'], 0],
    [110, [], 1],
  ])('take one in at frame %i that has nothing yet as long as the others keep what it lacks', (frame, said, falls) => {
    const sim = new RollbackSim(game, { players: 6 });
    sim.disconnect(5, 0);
    const steps: string[] = [];
    let timesOutside = 0;
    const seats = new Seats(sim, 5, {
      send: ({ step }) => steps.push(step),
      changed: (seat, isHere) => {
        if (seat === 5 && !isHere) timesOutside++;
      },
    });
    expect(seats.isOutside).toBe(true);
    seats.receive({ type: 'seat', from: 0, serial: 1, step: 'admit', seat: 5, round: 8, frame, last: -1, gone: [] });
    expect(steps).toEqual(said);
    expect(timesOutside).toBe(falls);
  });

  it.each([
    [['drop', 'gone', 'admit'], 1],
    [['gone', 'admit'], 1],
    [['admit'], 1],
    [['drop'], 1],
    [[], 0],
  ] as const)('take nobody in who was told of another one %j and lacks what that one had played', (told, falls) => {
    const sim = new RollbackSim(game, { players: 6 });
    sim.disconnect(5, 0);
    let timesOutside = 0;
    const seats = new Seats(sim, 5, {
      send: () => undefined,
      changed: (seat, isHere) => {
        if (seat === 5 && !isHere) timesOutside++;
      },
    });
    const say = (step: SeatStep, seat: number, round: number, frame: number) =>
      seats.receive({ type: 'seat', from: 0, serial: 1, step, seat, round, frame, last: 9, gone: [] });
    for (const step of told) say(step, 1, 16, step === 'admit' ? 40 : 9);
    // All that was lacking is here by now.
    for (let frame = 0; frame <= 9; frame++) sim.applyRemote(1, frame, {});
    say('admit', 5, 24, 60);
    expect(timesOutside).toBe(falls);
  });
});
