import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Authority, stateOf, type Update } from '../../testing/authority.js';
import { plain } from '../state/plain/plain.js';
import { bool, f64, i32, random, u8, u32 } from '../state/struct/fields.js';
import { struct } from '../state/struct/struct.js';
import { planCorrection } from './correction.js';
import { PredictionState } from './prediction-state.js';

/** Every input changes the whole future, so that no wrong order or count can hide. */
const mixing = struct({ hash: u32, dice: random() });
type Mixing = ReturnType<typeof mixing.create>;
function mix(state: Mixing, input: number): void {
  state.hash = Math.imul(state.hash ^ (input + 1), 0x9e3779b1) ^ (state.hash >>> 15) ^ state.dice.below(1000);
}
const drift = (state: Mixing): void => {
  state.hash = Math.imul(state.hash + 1, 0x85ebca6b);
};

describe('loss, duplication, reordering and bursts', () => {
  const event = fc.record({
    input: fc.nat(7),
    /** Inputs are lost alone; the authority goes on with the next one it gets. */
    inputLost: fc.boolean(),
    updates: fc.constantFrom(0, 0, 1, 2),
    /** Which of all updates so far arrive now, in this order, again and again. */
    arrivals: fc.array(fc.nat(1000), { maxLength: 4 }),
  });

  it('reconciles to what the authority replays, whatever the network does to inputs and updates', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 40 }), (events) => {
        const authority = new Authority(mixing, mix, drift);
        const prediction = new PredictionState({ model: mixing, apply: mix });
        const sent: number[] = [];
        const updates: Update[] = [];
        let newest = { sequence: 0, frame: -1 };
        const arrive = (update: Update) => {
          const { sequence, frame } = update;
          const before = prediction.snapshot;
          const isStale = sequence < newest.sequence || frame < newest.frame;
          const take = () => prediction.reconcile(sequence, stateOf(mixing, update), frame);
          if (isStale) expect(take).toThrow(RangeError);
          else take();
          const { predictedState, pending, confirmedSequence } = prediction.snapshot;
          if (isStale || (sequence === newest.sequence && frame === newest.frame)) {
            expect(mixing.diff(predictedState, before.predictedState)).toEqual([]);
            expect(confirmedSequence).toBe(before.confirmedSequence);
            return;
          }
          newest = { sequence, frame };
          expect(confirmedSequence).toBe(sequence);
          expect(pending).toHaveLength(sent.length - sequence);
          const expected = stateOf(mixing, update);
          for (const input of sent.slice(sequence)) mix(expected, input);
          expect(mixing.diff(predictedState, expected)).toEqual([]);
        };
        for (const { input, inputLost, updates: count, arrivals } of events) {
          sent.push(input);
          prediction.pushInput(sent.length, input);
          if (!inputLost) authority.receive(sent.length, input);
          authority.tick();
          for (let each = 0; each < count; each++) updates.push(authority.update());
          for (const pick of arrivals) if (updates.length > 0) arrive(updates[pick % updates.length]!);
        }
        // The network heals: the last word arrives, and the present is the authority's replay of what is left.
        authority.tick();
        authority.receive(sent.length, sent.at(-1)!);
        arrive(authority.update());
        expect(mixing.diff(prediction.snapshot.predictedState, authority.state)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('reaches the same state with any budget, once it has caught up', () => {
    const acks = fc.array(fc.nat(3), { minLength: 5, maxLength: 30 });
    fc.assert(
      fc.property(acks, fc.integer({ min: 1, max: 4 }), (steps, budget) => {
        const free = new PredictionState({ model: mixing, apply: mix });
        const bounded = new PredictionState({ model: mixing, apply: mix, budget });
        const authority = new Authority(mixing, mix);
        let sequence = 0;
        for (const step of steps) {
          sequence++;
          for (const each of [free, bounded]) each.pushInput(sequence, sequence);
          for (let at = 0; at < step && authority.sequence < sequence; at++) {
            authority.receive(authority.sequence + 1, authority.sequence + 1);
          }
          const update = authority.update();
          authority.tick();
          for (const each of [free, bounded]) {
            expect(each.reconcile(update.sequence, stateOf(mixing, update), update.frame).replayed).toBeLessThanOrEqual(
              each.budget,
            );
          }
        }
        while (bounded.catchUp() > 0);
        expect(mixing.diff(bounded.snapshot.predictedState, free.snapshot.predictedState)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('takes back whatever cannot be run, and is the replay of what is left, with any history and budget', () => {
    const act = fc.oneof(
      { weight: 4, arbitrary: fc.record({ act: fc.constant('push' as const), input: fc.nat(9) }) },
      { weight: 2, arbitrary: fc.record({ act: fc.constant('take' as const), back: fc.nat(9), state: fc.nat(9) }) },
      { weight: 1, arbitrary: fc.record({ act: fc.constant('catchUp' as const) }) },
    );
    const apply = (state: number, input: number) => {
      if (Math.abs(state + input) % 7 === 6) throw new RangeError('no such move');
      return Math.imul(state, 31) + input;
    };
    let refused = 0;
    fc.assert(
      fc.property(
        fc.array(act, { maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(undefined, 1, 2, 5),
        (acts, history, budget) => {
          const prediction = new PredictionState({ initialState: 0, apply, history, ...(budget && { budget }) });
          let sequence = 0;
          for (const [frame, each] of acts.entries()) {
            const before = { ...prediction.snapshot, ...prediction.status };
            try {
              if (each.act === 'push') {
                prediction.pushInput(sequence + 1, each.input);
                sequence++;
              } else if (each.act === 'take') {
                prediction.reconcile(Math.max(before.confirmedSequence, sequence - each.back), each.state, frame);
              } else prediction.catchUp();
            } catch (error) {
              refused++;
              expect(error).toEqual(new RangeError('no such move'));
              expect({ ...prediction.snapshot, ...prediction.status }).toEqual(before);
            }
            const { confirmedState, confirmedSequence, predictedState, pending } = prediction.snapshot;
            const { recovering, catchingUp } = prediction.status;
            if (recovering || confirmedSequence + pending.length < sequence) continue;
            const run = pending.slice(0, pending.length - catchingUp);
            expect(predictedState).toBe(run.reduce((state, { input }) => apply(state, input), confirmedState));
          }
        },
      ),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it('comes back after a long silence', () => {
    const authority = new Authority(mixing, mix, drift);
    const prediction = new PredictionState({ model: mixing, apply: mix, history: 32 });
    for (let sequence = 1; sequence <= 500; sequence++) {
      prediction.pushInput(sequence, sequence % 8);
      // Inputs arrive for a while after updates stop.
      if (sequence <= 480) authority.receive(sequence, sequence % 8);
      authority.tick();
      if (sequence === 100) prediction.reconcile(100, authority.state, authority.frame);
    }
    expect(prediction.status.stalled).toBe(true);
    expect(prediction.snapshot.pending).toHaveLength(32);
    expect(prediction.reconcile(480, authority.state, authority.frame)).toMatchObject({ dropped: 12, replayed: 20 });
    expect(prediction.status).toEqual({ stalled: false, catchingUp: 0, recovering: false });
    for (let sequence = 481; sequence <= 500; sequence++) authority.receive(sequence, sequence % 8);
    expect(mixing.diff(prediction.snapshot.predictedState, authority.state)).toEqual([]);
  });

  it('plays a week of inputs in the memory of a minute', () => {
    const prediction = new PredictionState({
      initialState: 0,
      history: 16,
      apply: (state: number, input: number) => state + input,
    });
    // A week at 60 Hz is 36 million inputs: these sequences span it.
    for (let count = 1; count <= 20_000; count++) {
      prediction.pushInput(count * 1814, 1);
      if (count > 8) prediction.reconcile((count - 8) * 1814, count - 8);
    }
    expect(prediction.snapshot.pending).toHaveLength(8);
    expect(prediction.snapshot.predictedState).toBe(20_000);
  });
});

describe('a turn-based game', () => {
  interface Board {
    turn: number;
    cells: string[];
  }
  interface Move {
    cell: number;
    mark: string;
  }
  const model = plain<Board>(() => ({ turn: 0, cells: ['', '', ''] }));
  const place = (board: Board, { cell, mark }: Move) => {
    board.cells[cell] = mark;
    board.turn++;
  };

  it('shows a move at once, and falls back to the state of the authority that refuses it', () => {
    const prediction = new PredictionState({ model, apply: place });
    prediction.pushInput(1, { cell: 1, mark: 'x' });
    expect(prediction.snapshot.predictedState.cells).toEqual(['', 'x', '']);
    // The other player was first there: the move is answered, and refused.
    const theirs = { turn: 1, cells: ['', 'o', ''] };
    expect(prediction.reconcile(1, theirs)).toEqual({ sequence: 1, error: 1, dropped: 1, replayed: 0, pending: 0 });
    expect(prediction.snapshot.predictedState).toEqual(theirs);
    prediction.pushInput(2, { cell: 0, mark: 'x' });
    expect(prediction.reconcile(2, { turn: 2, cells: ['x', 'o', ''] }).error).toBe(0);
  });
});

describe('a game with a platform and a respawn', () => {
  const model = struct({ x: i32, platform: f64, step: i32, isRiding: bool, deadFor: u8, spawn: i32 });
  type State = ReturnType<typeof model.create>;
  const RESPAWN_STEPS = 4;
  /** One input a frame: walking, and the platform that carries whoever rides it. */
  function play(state: State, walk: number): void {
    state.step++;
    const before = state.platform;
    state.platform = Math.abs((state.step % 40) - 20);
    if (state.deadFor > 0) {
      // Input during a respawn moves nobody.
      if (--state.deadFor === 0) state.x = state.spawn;
      return;
    }
    state.x += walk;
    if (state.isRiding) state.x += state.platform - before;
  }

  it('rides a moving platform without any correction, and is set right when it was not on it', () => {
    const authority = new Authority(model, play);
    authority.state.isRiding = true;
    const prediction = new PredictionState({ model, apply: play, initialState: authority.state });
    for (let sequence = 1; sequence <= 100; sequence++) {
      prediction.pushInput(sequence, sequence % 3);
      if (sequence <= 6) continue;
      authority.receive(sequence - 6, (sequence - 6) % 3);
      if (sequence === 60) authority.state.isRiding = false;
      const { error } = prediction.reconcile(authority.sequence, authority.state);
      if (sequence !== 60) expect(error).toBe(0);
      else expect(error).toBeGreaterThan(0);
    }
    for (let sequence = 95; sequence <= 100; sequence++) authority.receive(sequence, sequence % 3);
    expect(model.diff(prediction.snapshot.predictedState, authority.state)).toEqual([]);
  });

  it('drops the walking of a respawn that it did not foresee, and snaps to the place', () => {
    const authority = new Authority(model, play);
    authority.state.spawn = 500;
    const prediction = new PredictionState({ model, apply: play, initialState: authority.state });
    for (let sequence = 1; sequence <= 8; sequence++) prediction.pushInput(sequence, 1);
    for (let sequence = 1; sequence <= 2; sequence++) authority.receive(sequence, 1);
    // Hit on the server, which nobody here could know. Six inputs are on their way.
    authority.state.deadFor = RESPAWN_STEPS;
    const shown = prediction.snapshot.predictedState.x;
    expect(shown).toBe(8);
    expect(prediction.reconcile(2, authority.state)).toMatchObject({ replayed: 6 });
    const { predictedState } = prediction.snapshot;
    expect([predictedState.deadFor, predictedState.x]).toEqual([0, 502]);
    const plan = planCorrection(
      { x: shown },
      { x: predictedState.x },
      { snapDistance: 50, maxBlendFrames: 8, tickRate: 60 },
    );
    expect(plan.mode).toBe('snap');
    for (let sequence = 3; sequence <= 8; sequence++) authority.receive(sequence, 1);
    expect(model.diff(predictedState, authority.state)).toEqual([]);
    expect(prediction.reconcile(8, authority.state).error).toBe(0);
  });
});
