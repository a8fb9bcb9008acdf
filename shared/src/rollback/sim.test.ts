import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mixer, mixerInput, press } from '../../testing/mixer.js';
import { RiposteError } from '../errors.js';
import { defineGame } from '../game/define-game.js';
import { race } from '../games/race.js';
import { replay } from './replay.js';
import { RollbackSim } from './sim.js';

const RIGHT = { right: true };
const NOTHING = { right: false };

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

  it.each(['every', 'sparse'] as const)(
    'keeps the inputs of frames that are still to be run again, however far ahead others arrive (%s)',
    (saving) => {
      const sim = new RollbackSim(mixer, { history: 16, maxPrediction: 8, saving });
      const inputs = Array.from({ length: 40 }, (_, frame) => [press(frame % 7), press((frame * 3 + 1) & 7)]);
      for (let frame = 0; frame < 8; frame++) sim.predictStep({ 0: inputs[frame]![0]! });
      const put = (player: number, frame: number) =>
        code(() => sim.applyRemote(player, frame, inputs[frame]![player]!));
      let refused = 0;
      for (let frame = 0; frame < 40; frame++) if (put(1, frame) === 'input-too-far') refused++;
      for (let frame = 8; frame < 40; frame++) if (put(0, frame) === 'input-too-far') refused++;
      expect(refused).toBeGreaterThan(0);
      while (sim.lastFrame() < 39) {
        for (let player = 0; player < 2; player++) put(player, sim.lastFrame() + 1);
        sim.advance();
      }
      expect(sim.confirmedFrame).toBe(39);
      expect(mixer.state.diff(sim.state, replay(mixer, inputs))).toEqual([]);
    },
  );

  it('counts frames up to a bound, and goes to none beyond it, where it would correct nothing', () => {
    const sim = new RollbackSim(race);
    const last = 2 ** 30 - 2;
    expect(code(() => sim.reconcile(last + 1, sim.stateAt(0)))).toBe('bad-argument');
    expect(sim.lastFrame()).toBe(-1);
    sim.reconcile(last, sim.stateAt(0));
    sim.predictStep({ 0: RIGHT });
    expect(sim.applyRemote(1, last, RIGHT)).toBe(true);
    expect(sim.state.cars[1]!.x).toBe(14_745);
  });

  it('goes to a later frame by a state from elsewhere, and on from there with the inputs it knows', () => {
    const inputs = Array.from({ length: 60 }, (_, frame) => [press(frame & 7), press((frame >> 1) & 7)]);
    const states: ReturnType<typeof mixer.state.create>[] = [];
    replay(mixer, inputs, {
      onState: (_frame, state) => {
        const copy = mixer.state.create();
        mixer.state.copy(state, copy);
        states.push(copy);
      },
    });
    const sim = new RollbackSim(mixer);
    const before = new Int32Array(2);
    mixer.input.encode(press(49 & 7), before, 0);
    mixer.input.encode(press(24 & 7), before, 1);
    expect(sim.reconcile(50, states[50]!, before)).toBe(0);
    expect([sim.lastFrame(), sim.confirmedFrame, sim.stats.resimulatedFrames]).toEqual([49, 49, 0]);
    const read = new Int32Array(1);
    expect(sim.readInput(1, 49, read, 0)).toBe(true);
    expect(read[0]).toBe(24 & 7);
    for (let frame = 50; frame < 60; frame++) {
      sim.predictStep({ 0: press(frame & 7) });
      if (frame > 52) sim.applyRemote(1, frame - 3, press(((frame - 3) >> 1) & 7));
    }
    for (let frame = 57; frame < 60; frame++) sim.applyRemote(1, frame, press((frame >> 1) & 7));
    expect(sim.hashAt(60)).toBe(mixer.state.hash(states[60]!));
    expect(sim.stats.rollbacks).toBeGreaterThan(0);
  });

  it('names a frame, a player or an input that cannot be', () => {
    const sim = new RollbackSim(race);
    expect(code(() => sim.applyRemote(2, 0, RIGHT))).toBe('bad-argument');
    expect(code(() => sim.applyRemote(1, -1, RIGHT))).toBe('bad-argument');
    expect(code(() => sim.applyRemote(1, 0, { left: true } as never))).toBe('bad-input');
    expect(code(() => sim.stateAt(5))).toBe('frame-not-kept');
    expect(code(() => new RollbackSim(race, { players: 9 }))).toBe('bad-argument');
  });

  it('takes no player’s input when another one cannot be taken', () => {
    const sim = new RollbackSim(race, { players: 2 });
    for (let frame = 0; frame < 3; frame++) sim.predictStep({ 0: RIGHT, 1: RIGHT });
    sim.disconnect(1, 3);
    expect(code(() => sim.predictStep({ 0: RIGHT, 1: RIGHT }))).toBe('player-gone');
    expect(sim.confirmedThrough(0)).toBe(2);
    expect(sim.predictStep({ 0: {} })).toBe(true);
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

  it('says that a player is gone, with a neutral input, from the agreed frame on', () => {
    const seen: boolean[][] = [];
    const game = defineGame({
      ...mixer,
      step(state, inputs, ctx) {
        seen[ctx.frame] = ctx.players.map(({ connected }) => connected);
        mixer.step(state, inputs, ctx);
      },
    });
    const sim = new RollbackSim(game, { seed: 3 });
    for (let frame = 0; frame < 3; frame++) sim.applyRemote(1, frame, press(5));
    for (let frame = 0; frame < 6; frame++) sim.predictStep({ 0: press(frame) });
    expect(code(() => sim.disconnect(1, 2))).toBe('bad-argument');
    expect(code(() => sim.disconnect(1, 4))).toBe('bad-argument');
    sim.disconnect(1, 3);
    sim.disconnect(1, 3);
    expect(code(() => sim.disconnect(1, 5))).toBe('player-gone');
    expect(code(() => sim.applyRemote(1, 3, press(0)))).toBe('player-gone');
    expect(sim.stats.rollbacks).toBe(1);
    expect(sim.confirmedFrame).toBe(5);
    expect(seen).toEqual([0, 1, 2, 3, 4, 5].map((frame) => [true, frame < 3]));
    for (let frame = 6; frame < 40; frame++) expect(sim.predictStep({ 0: press(frame & 7) })).toBe(true);
    const inputs = Array.from({ length: 40 }, (_, frame) => [press(frame & 7), press(5)]);
    const isGone = (player: number, frame: number) => player === 1 && frame >= 3;
    expect(mixer.state.diff(sim.state, replay(mixer, inputs, { seed: 3, isGone }))).toEqual([]);
  });

  it('runs again on an input that an authority overrules, whoever gave it and whether it ran or not', () => {
    const sim = new RollbackSim(mixer, { seed: 3 });
    for (let frame = 0; frame < 6; frame++) sim.predictStep({ 0: press(1) });
    const words = Int32Array.of(2, 3, 2, 3);
    expect(code(() => sim.putInputs(0, 4, 1, words, 0))).toBe('input-conflict');
    expect(sim.putInputs(0, 4, 4, words, 0, true)).toBe(true);
    expect(sim.putInputs(0, 4, 4, words, 0, true)).toBe(false);
    expect(sim.putInputs(0, 7, 1, words, 0, true)).toBe(false);
    sim.putInputs(1, 0, 8, new Int32Array(8), 0);
    while (sim.lastFrame() < 7) sim.advance();
    const inputs = [1, 1, 1, 1, 2, 3, 2, 2].map((value) => [press(value), press(0)]);
    expect(mixer.state.diff(sim.state, replay(mixer, inputs, { seed: 3 }))).toEqual([]);
    expect(sim.stats.rollbacks).toBe(1);
  });

  it('runs frames again that had run with a player whose return is put off', () => {
    const seen: boolean[] = [];
    const game = defineGame({
      ...mixer,
      step(state, inputs, ctx) {
        seen[ctx.frame] = ctx.players[1]!.connected;
        mixer.step(state, inputs, ctx);
      },
    });
    const sim = new RollbackSim(game, { seed: 3 });
    sim.disconnect(1, 0);
    sim.predictStep({ 0: press(1) });
    sim.admit(1, 2);
    for (let frame = 1; frame < 8; frame++) sim.predictStep({ 0: press(frame) });
    expect(seen).toEqual([false, false, true, true, true, true, true, true]);
    sim.admit(1, 6);
    sim.settle();
    expect(seen).toEqual([false, false, false, false, false, false, true, true]);
  });

  it('lets a player who is gone play again from an agreed frame on, which may be put off until it has played', () => {
    const sim = new RollbackSim(mixer, { seed: 3 });
    expect(code(() => sim.admit(1, 5))).toBe('bad-argument');
    sim.disconnect(1, 0);
    for (let frame = 0; frame < 4; frame++) sim.predictStep({ 0: press(frame) });
    expect(code(() => sim.admit(1, 3))).toBe('bad-argument');
    sim.admit(1, 6);
    sim.admit(1, 8);
    expect(code(() => sim.admit(1, 7))).toBe('bad-argument');
    expect(code(() => sim.applyRemote(1, 7, press(1)))).toBe('player-gone');
    while (sim.predictStep({ 0: press(sim.lastFrame() & 7) }));
    expect(sim.confirmedFrame).toBe(7);
    expect(sim.lastFrame()).toBe(15);
    expect(sim.isGone(1, 7)).toBe(true);
    expect(sim.isGone(1, 8)).toBe(false);
    for (let frame = 8; frame < 16; frame++) sim.applyRemote(1, frame, press(3));
    expect(code(() => sim.admit(1, 20))).toBe('bad-argument');
    const inputs = Array.from({ length: 16 }, (_, frame) => [press(frame < 4 ? frame : (frame - 1) & 7), press(3)]);
    const isGone = (player: number, frame: number) => player === 1 && frame < 8;
    expect(mixer.state.diff(sim.state, replay(mixer, inputs, { seed: 3, isGone }))).toEqual([]);
  });

  it('saves only final frames when told to, and still knows the hash of each of them', () => {
    const [every, sparse] = (['every', 'sparse'] as const).map((saving) => {
      const sim = new RollbackSim(mixer, { saving, maxPrediction: 6 });
      const hashes: number[] = [];
      for (let frame = 0; frame < 60; frame++) {
        sim.predictStep({ 0: press(frame & 7) });
        // Half of the guesses are right.
        if (frame >= 4) sim.applyRemote(1, frame - 4, press((frame >> 1) & 3));
        for (let known = hashes.length; known <= sim.confirmedFrame + 1; known++) hashes.push(sim.hashAt(known));
        sim.hashAt(sim.lastFrame() + 1);
      }
      return { hashes, stats: sim.stats };
    });
    expect(sparse!.hashes).toEqual(every!.hashes);
    expect(every!.hashes.length).toBeGreaterThan(50);
    expect(sparse!.stats.rollbacks).toBe(every!.stats.rollbacks);
    expect(sparse!.stats.rollbacks).toBeGreaterThan(20);
    expect(code(() => new RollbackSim(mixer, { saving: 'sparse', maxPrediction: 16, history: 16 }))).toBe(
      'bad-argument',
    );
  });

  it('equals replay whatever the order, delay, duplication, window, departures, returns and saving, with one rollback a tick at most', () => {
    const schedule = fc.record({
      players: fc.integer({ min: 1, max: 8 }),
      maxPrediction: fc.integer({ min: 0, max: 12 }),
      seed: fc.nat(),
      saving: fc.constantFrom('every' as const, 'sparse' as const, 'auto' as const),
      tapped: fc.boolean(),
      inputs: fc.array(fc.array(fc.nat(7), { minLength: 8, maxLength: 8 }), { minLength: 5, maxLength: 80 }),
      delays: fc.array(fc.nat(9), { minLength: 1, maxLength: 40 }),
      repeats: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
      leaves: fc.array(fc.option(fc.nat(60), { nil: undefined }), { minLength: 8, maxLength: 8 }),
      returns: fc.array(fc.option(fc.nat(12), { nil: undefined }), { minLength: 8, maxLength: 8 }),
    });
    let rollbacksSeen = 0;
    fc.assert(
      fc.property(schedule, (drawn) => {
        const { players, maxPrediction, seed, saving, tapped, inputs, delays, repeats, leaves, returns } = drawn;
        const predictor = tapped ? mixerInput.predictor({ a: 'neutral' }) : undefined;
        const options = { players, seed, maxPrediction, saving, history: 16, ...(predictor && { predictor }) };
        const sim = new RollbackSim(mixer, options);
        const goneFrom = leaves.slice(0, players).map((frame, player) => (player === 0 ? undefined : frame));
        const backFrom: number[] = [];
        const due = new Map<number, { player: number; frame: number }[]>();
        const arrives = (player: number, frame: number, afterTick: number) => {
          const tick = Math.max(afterTick, frame + delays[(frame * 7 + player * 3) % delays.length]!);
          due.set(tick, [...(due.get(tick) ?? []), { player, frame }]);
        };
        for (let frame = 0; frame < inputs.length; frame++) {
          for (let player = 1; player < players; player++) {
            if (frame <= (goneFrom[player] ?? inputs.length)) arrives(player, frame, 0);
          }
        }
        let rollbacks = 0;
        let early: { player: number; frame: number }[] = [];
        const hashes: number[] = [];
        for (let tick = 0; sim.confirmedFrame < inputs.length - 1; tick++) {
          if (tick > inputs.length * 12 + 200) throw new Error('did not settle');
          const arriving = [...early, ...(due.get(tick) ?? [])];
          early = [];
          let mayRollBack = false;
          for (const [index, { player, frame }] of arriving.entries()) {
            const isDeparture = frame === goneFrom[player] && backFrom[player] === undefined;
            try {
              if (isDeparture) {
                sim.disconnect(player, frame);
                mayRollBack ||= frame <= sim.lastFrame();
                const later = returns[player];
                if (later === undefined) continue;
                const back = Math.max(frame, sim.confirmedFrame + 1) + later;
                sim.admit(player, back);
                mayRollBack ||= back <= sim.lastFrame();
                backFrom[player] = back;
                for (let next = back; next < inputs.length; next++) arrives(player, next, tick + 1);
                continue;
              }
              const value = press(inputs[frame]![player]!);
              mayRollBack = sim.applyRemote(player, frame, value) || mayRollBack;
              if (repeats[index % repeats.length]) sim.applyRemote(player, frame, value);
            } catch (error) {
              const known = error instanceof RiposteError ? error.code : '';
              // Beyond the ring, or a departure whose last inputs are still under way: again at the next tick.
              if (known !== 'input-too-far' && !(isDeparture && known === 'bad-argument')) throw error;
              early.push({ player, frame });
            }
          }
          expect(sim.stats.rollbacks - rollbacks).toBe(mayRollBack ? 1 : 0);
          rollbacks = sim.stats.rollbacks;
          if (sim.lastFrame() < inputs.length - 1) sim.predictStep({ 0: press(inputs[sim.lastFrame() + 1]![0]!) });
          for (let known = hashes.length; known <= sim.confirmedFrame + 1; known++) hashes.push(sim.hashAt(known));
        }
        rollbacksSeen += sim.stats.rollbacks;
        const truth: number[] = [];
        const isGone = (player: number, frame: number) =>
          frame >= (goneFrom[player] ?? frame + 1) && frame < (backFrom[player] ?? frame + 1);
        replay(
          mixer,
          inputs.map((row) => row.slice(0, players).map(press)),
          { seed, isGone, onState: (_frame, state) => truth.push(mixer.state.hash(state)) },
        );
        expect(hashes).toEqual(truth);
      }),
      { numRuns: 300 },
    );
    expect(rollbacksSeen).toBeGreaterThan(300);
  });
});
