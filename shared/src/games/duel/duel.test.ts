import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialState, type StepContext } from '../../game/game.js';
import { Random } from '../../math/random.js';
import { replay } from '../../rollback/replay.js';
import { duel } from './duel.js';
import { attackFrames, duelAttacks, duelRules } from './rules.js';
import { type DuelInput, type DuelState, duelModel, type Fighter } from './state.js';

type Press = Partial<DuelInput>;

const NAMES = ['left', 'right', 'light', 'heavy', 'block', 'dash'] as const;

/** The press as the game reads it. */
function pressed(press: Press): DuelInput {
  const words = new Int32Array(1);
  duel.input.encode(press, words, 0);
  const reader = duel.input.create();
  duel.input.decode(words, 0, reader);
  return reader;
}

function word(bits: number): Press {
  return Object.fromEntries(NAMES.map((name, bit) => [name, ((bits >> bit) & 1) !== 0]));
}

function mirrored(press: Press): Press {
  return { ...press, left: press.right ?? false, right: press.left ?? false };
}

class Bout {
  readonly state: DuelState;
  readonly left: Fighter;
  readonly right: Fighter;
  /** What the steps emitted so far, effects as `kind player`, facts as they are. */
  readonly effects: string[] = [];
  readonly facts: [kind: string, data: unknown][] = [];
  readonly #context: StepContext = {
    frame: 0,
    players: [{ connected: true }, { connected: true }],
    effect: (kind, _data, key) => void this.effects.push(key === undefined ? kind : `${kind} ${key}`),
    fact: (kind, data) => void this.facts.push([kind, data]),
  };

  constructor(seed = 1) {
    this.state = initialState(duel, { seed, settings: {}, players: 2 });
    this.left = this.state.fighters[0]!;
    this.right = this.state.fighters[1]!;
  }

  /** Holds these buttons for `frames` frames. */
  play(frames: number, left: Press = {}, right: Press = {}): this {
    const inputs = [pressed(left), pressed(right)];
    for (let frame = 0; frame < frames; frame++) duel.step(this.state, inputs, this.#context);
    return this;
  }

  /** Goes to the signal to fight and puts the fighters `gap` apart. */
  start(gap: number): this {
    while (this.state.phase === 'intro') this.play(1);
    this.left.x = -(gap >> 1);
    this.right.x = gap >> 1;
    return this;
  }

  /** Plays on with nothing pressed until the contact's standstill is over. */
  thaw(): this {
    while (this.state.freeze > 0) this.play(1);
    return this;
  }
}

/** Presses other buttons every few frames. */
function randomPresses(seed: number, frames: number): Press[] {
  const random = new Random(new Int32Array(2), 0);
  random.seed(seed);
  const presses: Press[] = [];
  while (presses.length < frames) {
    const press = word(random.below(64));
    for (let held = 2 + random.below(12); held > 0; held--) presses.push(press);
  }
  return presses.slice(0, frames);
}

function randomBout(seed: number, frames: number): Press[][] {
  const second = randomPresses(seed * 2 + 2, frames);
  return randomPresses(seed * 2 + 1, frames).map((press, frame) => [press, second[frame]!]);
}

describe('a fighter', () => {
  it('walks both ways, and stands still when both ways are pressed', () => {
    const bout = new Bout().start(2000).play(10, { right: true }, { right: true });
    expect(bout.left.x).toBe(-1000 + 10 * duelRules.walkForward);
    expect(bout.right.x).toBe(1000 + 10 * duelRules.walkBack);
    bout.play(10, { left: true, right: true });
    expect(bout.left.x).toBe(-1000 + 10 * duelRules.walkForward);
  });

  it('cannot act before the signal, whose moment the seed decides', () => {
    const lengths = new Set<number>();
    for (let seed = 0; seed < 20; seed++) {
      const bout = new Bout(seed);
      lengths.add(bout.state.introFrames);
      bout.play(bout.state.introFrames, { right: true, heavy: true });
      expect(bout.state.phase).toBe('fight');
      expect(bout.left.x).toBe(-duelRules.startX);
    }
    expect(lengths.size).toBeGreaterThan(5);
  });

  it.each(['light', 'heavy', 'throw'] as const)('hits with %s on the first frame after its wind-up', (name) => {
    const attack = duelAttacks[name];
    const press: Press = name === 'throw' ? { block: true, light: true } : { [name]: true };
    const bout = new Bout()
      .start(600)
      .play(1, press)
      .play(attack.windup - 1);
    expect(bout.right.health).toBe(100);
    bout.play(1);
    expect(bout.right.health).toBe(100 - attack.damage);
    expect(bout.left.hitsLanded).toBe(1);
    bout.thaw().play(attack.active + attack.recovery - 1);
    expect(bout.left.action).toBe(name);
    bout.play(1);
    expect(bout.left.action).toBe('stand');
    expect(bout.left.hitsLanded).toBe(1);
  });

  it('that is hit cannot act for exactly the hitstun of the attack', () => {
    const bout = new Bout().start(700).play(1, { light: true }).play(duelAttacks.light.windup).thaw();
    expect(bout.right.hitstun).toBe(duelAttacks.light.hitstun);
    bout.play(duelAttacks.light.hitstun, {}, { right: true });
    expect(bout.right.action).toBe('hit');
    bout.play(1, {}, { right: true });
    expect(bout.right.action).toBe('retreat');
  });

  it('misses out of reach, and can be hit from farther away while it recovers', () => {
    const { heavy, light } = duelAttacks;
    const gap = light.reach + heavy.exposed - 10 + heavy.step * heavy.windup;
    const bout = new Bout().start(gap).play(1, {}, { heavy: true }).play(heavy.windup);
    expect(bout.left.health).toBe(100);
    const apart = bout.right.x - bout.left.x;
    expect(apart).toBeGreaterThan(light.reach + light.step * light.windup);
    bout.play(heavy.active).play(1, { light: true }).play(light.windup);
    expect(bout.right.action).toBe('hit');
  });

  it('dashes forward, and back while back is held', () => {
    const bout = new Bout().start(3000).play(1, { dash: true }, { dash: true, right: true }).play(20);
    expect(bout.left.x).toBe(-1500 + duelRules.dashSpeed * duelRules.dashMoving);
    expect(bout.right.x).toBe(1500 + duelRules.dashSpeed * duelRules.dashMoving);
  });

  it('keeps a press that came a little early until it is free', () => {
    const bout = new Bout().start(2600).play(1, { light: true });
    bout.play(attackFrames(duelAttacks.light) - 5).play(1, { heavy: true });
    expect(bout.left.action).toBe('light');
    bout.play(5);
    expect(bout.left.action).toBe('heavy');
  });
});

describe('a guard', () => {
  it('stops the light attack, lets a chip of the heavy through and loses to the throw', () => {
    for (const [press, health] of [
      [{ light: true }, 100],
      [{ heavy: true }, 100 - duelAttacks.heavy.chip],
      [{ light: true, block: true }, 100 - duelAttacks.throw.damage],
    ] as const) {
      const bout = new Bout().start(600).play(10, {}, { block: true });
      bout.play(1, press, { block: true }).play(20, {}, { block: true });
      expect(bout.right.health).toBe(health);
    }
  });

  it('raised just before the blow parries it, and the riposte then hits for sure', () => {
    const { light, heavy } = duelAttacks;
    const bout = new Bout()
      .start(700)
      .play(1, { light: true })
      .play(light.windup - 3);
    bout.play(3, {}, { block: true });
    expect(bout.left.action).toBe('recoil');
    expect(bout.right.parries).toBe(1);
    bout.thaw().play(1, { block: true }, { heavy: true });
    bout.play(heavy.windup, { block: true });
    expect(bout.left.action).toBe('hit');
    expect(bout.left.health).toBe(100 - heavy.damage);
  });

  it('that is raised again and again does not parry every time', () => {
    const bout = new Bout().start(700).play(8, {}, { block: true }).play(2);
    bout.play(1, { light: true }).play(duelAttacks.light.windup - 3);
    bout.play(3, {}, { block: true });
    expect(bout.right.action).toBe('guardHit');
    expect(bout.right.parries).toBe(0);
  });
});

describe('a duel', () => {
  it('hits both when both hit in the same frame', () => {
    const bout = new Bout().start(800).play(1, { heavy: true }, { heavy: true }).play(duelAttacks.heavy.windup);
    expect([bout.left.action, bout.right.action]).toEqual(['hit', 'hit']);
    expect([bout.left.hitsLanded, bout.right.hitsLanded]).toEqual([1, 1]);
    expect(bout.left.health).toBe(bout.right.health);
  });

  it('lets an attack beat a throw that meets it in the same frame, and two throws part unhurt', () => {
    const { light, throw: grab } = duelAttacks;
    const bout = new Bout().start(600).play(1, { light: true });
    bout.play(light.windup - grab.windup - 1).play(1, {}, { block: true, light: true });
    bout.play(grab.windup);
    expect([bout.left.health, bout.right.health]).toEqual([100, 100 - light.damage]);
    const both = { block: true, light: true };
    const clash = new Bout().start(600).play(1, both, both).play(grab.windup);
    expect([clash.left.action, clash.right.action]).toEqual(['recoil', 'recoil']);
    expect([clash.left.health, clash.right.health]).toEqual([100, 100]);
  });

  it('gives the striker the push that a wall takes from the struck', () => {
    const bout = new Bout().start(600);
    bout.right.x = duelRules.stageHalf;
    bout.left.x = duelRules.stageHalf - 900;
    bout.play(1, { light: true }).play(60);
    expect(bout.right.x).toBe(duelRules.stageHalf);
    expect(bout.right.x - bout.left.x).toBeGreaterThan(1150);
  });

  it('goes by health when the time is over, and counts the round for both when that is equal', () => {
    const bout = new Bout().start(2000);
    bout.right.health = 40;
    bout.play(duelRules.roundFrames);
    expect(bout.state).toMatchObject({ phase: 'roundOver', ending: 'time', lastWinner: 'first' });
    const idle = new Bout().play(3 * (duelRules.roundFrames + duelRules.roundOverFrames + 110));
    expect(duel.over?.(idle.state)).toEqual({ winner: null, rounds: [3, 3] });
  });

  it('is over after three rounds won, when the last knockout has been shown', () => {
    const bout = new Bout();
    for (let round = 1; round <= 3; round++) {
      bout.start(800);
      expect([bout.state.round, bout.right.health, bout.left.roundsWon]).toEqual([round, 100, round - 1]);
      bout.right.health = 1;
      bout.play(1, { light: true }).play(duelAttacks.light.windup);
      expect([bout.state.phase, bout.right.action]).toEqual(['roundOver', 'down']);
      expect(duel.over?.(bout.state)).toBeUndefined();
      bout.play(duelRules.roundOverFrames);
    }
    expect(duel.over?.(bout.state)).toEqual({ winner: 0, rounds: [3, 0] });
    const decided = duelModel.hash(bout.state);
    bout.play(5);
    expect(duelModel.hash(bout.state)).toBe(decided);
  });

  it('shows what meets whom, and nothing of it twice', () => {
    const both = { block: true, light: true };
    for (const [left, right, expected] of [
      [{ light: true }, {}, ['swing 0', 'hit 1']],
      [{ heavy: true }, {}, ['swing 0', 'heavy-hit 1']],
      [both, {}, ['swing 0', 'throw 1']],
      [{ light: true }, { block: true }, ['swing 0', 'block 1']],
      [both, both, ['swing 0', 'swing 1', 'clash 1', 'clash 0']],
    ] as const) {
      const bout = new Bout().start(600).play(10, {}, right === both ? {} : right);
      bout.effects.length = 0;
      bout.play(1, left, right).play(40, {}, right);
      expect(bout.effects).toEqual(expected);
    }
    const parry = new Bout().start(700).play(1, { light: true }).play(3).play(3, {}, { block: true });
    expect(parry.effects.slice(2)).toEqual(['swing 0', 'parry 1']);
  });

  it('shows a miss, a dash, footfalls, the intro and its end', () => {
    const bout = new Bout().start(2600).play(1, { heavy: true }).play(40).play(1, { dash: true }).play(14);
    bout.play(duelRules.stepFrames + 1, {}, { right: true });
    expect(bout.effects).toEqual(['round', 'fence', 'swing 0', 'whiff 0', 'dash 0', 'step 1']);
  });

  it('tells each round as a fact with the score, and the match once', () => {
    const bout = new Bout();
    for (const loser of [bout.right, bout.left, bout.right, bout.right]) {
      bout.start(800);
      loser.health = 1;
      bout.play(1, { light: loser === bout.right }, { light: loser === bout.left }).play(duelAttacks.light.windup);
      bout.play(duelRules.roundOverFrames);
    }
    bout.play(5);
    expect(bout.effects.filter((effect) => effect === 'knock-out 1')).toHaveLength(3);
    expect(bout.facts).toEqual([
      ['round-won', { winner: 0, ending: 'knockout', rounds: [1, 0] }],
      ['round-won', { winner: 1, ending: 'knockout', rounds: [1, 1] }],
      ['round-won', { winner: 0, ending: 'knockout', rounds: [2, 1] }],
      ['round-won', { winner: 0, ending: 'knockout', rounds: [3, 1] }],
      ['match-won', { winner: 0, rounds: [3, 1] }],
    ]);
  });

  it('is the mirror image when the players swap sides', () => {
    const bits = fc.array(fc.tuple(fc.nat(63), fc.nat(63), fc.integer({ min: 1, max: 20 })), { maxLength: 60 });
    let hits = 0;
    fc.assert(
      fc.property(fc.nat(), bits, (seed, holds) => {
        const bout = new Bout(seed).start(900);
        const mirror = new Bout(seed).start(900);
        for (const [first, second, frames] of holds) {
          bout.play(frames, word(first), word(second));
          mirror.play(frames, mirrored(word(second)), mirrored(word(first)));
          const swapped: DuelState = duelModel.create();
          duelModel.copy(mirror.state, swapped);
          Object.assign(swapped.fighters[0]!, { ...plain(mirror.right), x: -mirror.right.x });
          Object.assign(swapped.fighters[1]!, { ...plain(mirror.left), x: -mirror.left.x });
          if (swapped.lastWinner === 'first') swapped.lastWinner = 'second';
          else if (swapped.lastWinner === 'second') swapped.lastWinner = 'first';
          expect(duelModel.diff(bout.state, swapped)).toEqual([]);
        }
        hits += bout.left.hitsLanded;
      }),
      { numRuns: 150 },
    );
    expect(hits).toBeGreaterThan(50);
  });

  it('keeps both fighters on the stage and apart, and lets random players hit and finish rounds, for 200 seeds', () => {
    for (let seed = 0; seed < 200; seed++) {
      let rounds = 0;
      const end = replay(duel, randomBout(seed, 1800), {
        seed,
        onState: (_frame, { fighters, phase }) => {
          const [left, right] = [fighters[0]!.x, fighters[1]!.x];
          const stands = left >= -duelRules.stageHalf && right <= duelRules.stageHalf;
          if (!stands || right - left < duelRules.bodyGap) throw new Error(`seed ${seed}: at ${left} and ${right}`);
          if (phase === 'roundOver') rounds = Math.max(rounds, fighters[0]!.roundsWon + fighters[1]!.roundsWon);
        },
      });
      expect(end.fighters[0]!.hitsLanded + end.fighters[1]!.hitsLanded, `hits, seed ${seed}`).toBeGreaterThanOrEqual(5);
      expect(rounds, `rounds, seed ${seed}`).toBeGreaterThanOrEqual(1);
      expect(end.phase, `seed ${seed}`).not.toBe('matchOver');
    }
  });

  it('ends a fixed replay of 600 frames in the pinned state', () => {
    const end = replay(duel, randomBout(7, 600), { seed: 7 });
    expect(end.fighters[0]!.hitsLanded + end.fighters[1]!.hitsLanded).toBeGreaterThan(3);
    expect(duelModel.hash(end)).toBe(1877385966);
  });
});

/** The fields of a fighter, which are accessors of its class, as own properties. */
function plain(fighter: Fighter): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name in fighter) if (!name.startsWith('$')) fields[name] = Reflect.get(fighter, name);
  return fields;
}
