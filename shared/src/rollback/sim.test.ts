import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RiposteError } from '../errors.js';
import { defineGame } from '../game/game.js';
import { race } from '../games/race.js';
import { buttons } from '../input/controls.js';
import { array, random, u16, u32 } from '../state/struct/fields.js';
import { struct } from '../state/struct/struct.js';
import { replay } from './replay.js';
import { RollbackSim } from './sim.js';

const RIGHT = { right: true };
const NOTHING = { right: false };

/** A game in which every input of every player changes the whole future, so that no wrong frame can hide. */
const mixer = defineGame({
  id: 'mixer',
  version: '1',
  tickRate: 60,
  players: 2,
  input: buttons('a', 'b', 'c'),
  state: struct({ hash: u32, counts: array(8, u16), dice: random() }),
  step(state, inputs, ctx) {
    for (let player = 0; player < inputs.length; player++) {
      const { a, b, c } = inputs[player]!;
      const pressed = (a ? 1 : 0) + (b ? 2 : 0) + (c ? 4 : 0);
      state.hash = Math.imul(state.hash ^ (pressed + player * 8 + 1), 0x9e3779b1) ^ (state.hash >>> 15);
      if (a) state.counts[player] = state.counts[player]! + 1;
      if (b) state.hash ^= state.dice.below(1000);
    }
    state.hash ^= ctx.frame;
  },
});

const press = (word: number) => ({ a: (word & 1) !== 0, b: (word & 2) !== 0, c: (word & 4) !== 0 });

function code(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return error instanceof RiposteError ? error.code : String(error);
  }
  return undefined;
}

describe('RollbackSim', () => {
  it('gives the founding values of the two-car race when frame 2 of player 1 arrives late', () => {
    const sim = new RollbackSim(race, { players: 2 });
    for (let frame = 0; frame < 3; frame++) sim.predictStep({ 0: RIGHT });
    sim.applyRemote(1, 0, NOTHING);
    sim.applyRemote(1, 1, NOTHING);
    expect(sim.stats.rollbacks).toBe(0);
    expect(sim.applyRemote(1, 2, RIGHT)).toBe(true);
    expect(sim.stats.rollbacks).toBe(1);
    const right = replay(race, [
      [RIGHT, NOTHING],
      [RIGHT, NOTHING],
      [RIGHT, RIGHT],
    ]);
    expect(race.state.diff(sim.stateAt(3), right)).toEqual([]);
    const [first, second] = sim.stateAt(3).cars;
    expect([first!.x, first!.v, second!.x, second!.v]).toEqual([82718, 39958, 14745, 14745]);
  });

  it('starts at frame -1 and re-simulates nothing for a correct prediction', () => {
    const sim = new RollbackSim(race);
    expect(sim.lastFrame()).toBe(-1);
    expect(sim.confirmedFrame).toBe(-1);
    sim.predictStep({ 0: RIGHT });
    expect(sim.applyRemote(1, 0, NOTHING)).toBe(false);
    expect(sim.stats).toMatchObject({ rollbacks: 0, resimulatedFrames: 0 });
    expect(sim.confirmedFrame).toBe(0);
  });

  it('predicts again from the corrected value after a correction', () => {
    const sim = new RollbackSim(race);
    for (let frame = 0; frame < 5; frame++) sim.predictStep({ 0: NOTHING });
    sim.applyRemote(1, 0, RIGHT);
    const held = replay(
      race,
      Array.from({ length: 5 }, () => [NOTHING, RIGHT]),
    );
    expect(race.state.diff(sim.state, held)).toEqual([]);
    for (let frame = 1; frame < 5; frame++) expect(sim.applyRemote(1, frame, RIGHT)).toBe(false);
    expect(sim.stats.rollbacks).toBe(1);
  });

  it('makes one rollback, to the earliest wrong frame, of many late inputs in any order with duplicates', () => {
    const sim = new RollbackSim(race);
    for (let frame = 0; frame < 7; frame++) sim.predictStep({ 0: RIGHT });
    for (const frame of [4, 2, 4, 6, 2, 5, 3]) sim.applyRemote(1, frame, frame % 2 === 0 ? RIGHT : NOTHING);
    expect(sim.stats).toMatchObject({ rollbacks: 1, maxRollbackFrames: 5, resimulatedFrames: 5 });
  });

  it('keeps an input for a future frame and uses it there, without a rollback', () => {
    const sim = new RollbackSim(race);
    sim.applyRemote(1, 1, RIGHT);
    sim.predictStep({ 0: NOTHING });
    sim.predictStep({ 0: NOTHING });
    expect(sim.stateAt(2).cars[1]!.v).toBe(14745);
    expect(sim.stats.rollbacks).toBe(0);
    expect(sim.confirmedFrame).toBe(-1);
    sim.applyRemote(1, 0, NOTHING);
    expect(sim.confirmedFrame).toBe(1);
  });

  it('refuses a second, different input for a frame, and the first one stands', () => {
    const sim = new RollbackSim(race);
    sim.predictStep({ 0: RIGHT });
    sim.applyRemote(1, 0, RIGHT);
    const before = sim.hashAt(1);
    expect(code(() => sim.applyRemote(1, 0, NOTHING))).toBe('input-conflict');
    expect(sim.hashAt(1)).toBe(before);
    expect(sim.stats.rollbacks).toBe(1);
    sim.applyRemote(0, 1, RIGHT);
    expect(code(() => sim.predictStep({ 0: NOTHING }))).toBe('input-conflict');
    expect(sim.lastFrame()).toBe(0);
  });

  it('stops at the prediction limit but still takes the corrections that arrived', () => {
    const sim = new RollbackSim(race, { maxPrediction: 4 });
    for (let frame = 0; frame < 4; frame++) expect(sim.predictStep({ 0: RIGHT })).toBe(true);
    expect(sim.predictStep({ 0: RIGHT })).toBe(false);
    sim.applyRemote(1, 3, RIGHT);
    expect(sim.predictStep({ 0: RIGHT })).toBe(false);
    expect(sim.stats).toMatchObject({ rollbacks: 1, stalledFrames: 2 });
    expect(sim.lastFrame()).toBe(3);
    expect(sim.stateAt(4).cars[1]!.v).toBe(14745);
    for (let frame = 0; frame < 3; frame++) sim.applyRemote(1, frame, NOTHING);
    expect(sim.predictStep({ 0: RIGHT })).toBe(true);
  });

  it('answers a correction below its history with a typed error, and reconciles from a state', () => {
    const sim = new RollbackSim(race, { history: 8, maxPrediction: 100 });
    for (let frame = 0; frame < 20; frame++) sim.predictStep({ 0: RIGHT });
    const before = sim.hashAt(20);
    expect(code(() => sim.applyRemote(1, 3, RIGHT))).toBe('input-too-old');
    expect(code(() => sim.applyRemote(1, 4000, RIGHT))).toBe('input-too-far');
    expect(sim.hashAt(20)).toBe(before);
    const inputs = Array.from({ length: 20 }, (_, frame) => [RIGHT, frame === 3 ? RIGHT : NOTHING]);
    const truth: ReturnType<typeof race.state.create> = race.state.create();
    replay(race, inputs, { onState: (frame, state) => frame === 15 && race.state.copy(state, truth) });
    expect(sim.reconcile(15, truth)).toBe(5);
    expect(race.state.diff(sim.state, replay(race, inputs))).toEqual([]);
    expect(code(() => sim.reconcile(2, truth))).toBe('frame-not-kept');
  });

  it('names a frame, a player or an input that cannot be', () => {
    const sim = new RollbackSim(race);
    expect(code(() => sim.applyRemote(2, 0, RIGHT))).toBe('bad-argument');
    expect(code(() => sim.applyRemote(1, -1, RIGHT))).toBe('bad-argument');
    expect(code(() => sim.applyRemote(1, 0, { left: true } as never))).toBe('bad-input');
    expect(code(() => sim.stateAt(5))).toBe('frame-not-kept');
    expect(code(() => new RollbackSim(race, { players: 9 }))).toBe('bad-argument');
  });

  it('is back before the frame when the game throws in it', () => {
    let bad = true;
    const game = defineGame({
      ...mixer,
      step(state, inputs, ctx) {
        mixer.step(state, inputs, ctx);
        if (bad && ctx.frame === 2) throw new Error('fault of the game');
      },
    });
    const sim = new RollbackSim(game);
    sim.predictStep({ 0: press(1) });
    sim.predictStep({ 0: press(2) });
    const before = sim.hashAt(2);
    expect(() => sim.predictStep({ 0: press(3) })).toThrow('fault of the game');
    expect(sim.lastFrame()).toBe(1);
    expect(mixer.state.hash(sim.state)).toBe(before);
    bad = false;
    expect(sim.predictStep({ 0: press(3) })).toBe(true);
  });

  it('equals replay whatever the order, delay, duplication and window, with one rollback a tick at most', () => {
    const schedule = fc.record({
      players: fc.integer({ min: 1, max: 8 }),
      maxPrediction: fc.integer({ min: 0, max: 12 }),
      seed: fc.nat(),
      inputs: fc.array(fc.array(fc.nat(7), { minLength: 8, maxLength: 8 }), { minLength: 5, maxLength: 80 }),
      delays: fc.array(fc.nat(9), { minLength: 1, maxLength: 40 }),
      repeats: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
    });
    let rollbacksSeen = 0;
    fc.assert(
      fc.property(schedule, ({ players, maxPrediction, seed, inputs, delays, repeats }) => {
        const sim = new RollbackSim(mixer, { players, seed, maxPrediction, history: 16 });
        const due = new Map<number, { player: number; frame: number }[]>();
        for (let frame = 0; frame < inputs.length; frame++) {
          for (let player = 1; player < players; player++) {
            const tick = frame + delays[(frame * 7 + player * 3) % delays.length]!;
            due.set(tick, [...(due.get(tick) ?? []), { player, frame }]);
          }
        }
        let rollbacks = 0;
        const early: { player: number; frame: number }[] = [];
        for (let tick = 0; sim.confirmedFrame < inputs.length - 1; tick++) {
          if (tick > inputs.length * 12 + 200) throw new Error('did not settle');
          const arriving = [...early.splice(0), ...(due.get(tick) ?? [])];
          let wrong = false;
          for (const [index, { player, frame }] of arriving.entries()) {
            const value = press(inputs[frame]![player]!);
            try {
              wrong = sim.applyRemote(player, frame, value) || wrong;
              if (repeats[index % repeats.length]) sim.applyRemote(player, frame, value);
            } catch (error) {
              if (!(error instanceof RiposteError) || error.code !== 'input-too-far') throw error;
              early.push({ player, frame });
            }
          }
          expect(sim.stats.rollbacks - rollbacks).toBe(wrong ? 1 : 0);
          rollbacks = sim.stats.rollbacks;
          if (sim.lastFrame() < inputs.length - 1) sim.predictStep({ 0: press(inputs[sim.lastFrame() + 1]![0]!) });
        }
        rollbacksSeen += sim.stats.rollbacks;
        const truth = replay(
          mixer,
          inputs.map((row) => row.slice(0, players).map(press)),
          { seed },
        );
        expect(mixer.state.diff(sim.stateAt(inputs.length), truth)).toEqual([]);
      }),
      { numRuns: 150 },
    );
    expect(rollbacksSeen).toBeGreaterThan(100);
  });
});
