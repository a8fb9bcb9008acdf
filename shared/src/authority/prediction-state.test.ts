import { describe, expect, it } from 'vitest';
import { bytes } from '../state/bytes.js';
import { plain } from '../state/plain/plain.js';
import { array, f64, i16, q16, random, u8 } from '../state/struct/fields.js';
import { struct } from '../state/struct/struct.js';
import { PredictionState } from './prediction-state.js';

const sum = (state: number, input: number) => state + input;
const counter = () => new PredictionState({ initialState: 0, apply: sum });

/** All that can be seen of a prediction. */
const all = <S, I>(prediction: PredictionState<S, I>) => ({ ...prediction.snapshot, ...prediction.status });

describe('PredictionState', () => {
  it('gives the founding values: 4 predicted, 4.5 at sequence 2, then 3.5', () => {
    const prediction = counter();
    for (const [index, input] of [3, 2, -1].entries()) prediction.pushInput(index + 1, input);
    expect(prediction.snapshot.predictedState).toBe(4);
    expect(prediction.reconcile(2, 4.5)).toEqual({ sequence: 2, error: 0.5, dropped: 2, replayed: 1, pending: 1 });
    expect(prediction.snapshot).toEqual({
      confirmedSequence: 2,
      confirmedState: 4.5,
      predictedState: 3.5,
      pending: [{ sequence: 3, input: -1 }],
    });
  });

  it('gives them with a plain model too', () => {
    const model = plain(() => ({ value: 0 }));
    const prediction = new PredictionState<{ value: number }, number>({
      model,
      apply(state, input) {
        state.value += input;
      },
    });
    for (const [index, input] of [3, 2, -1].entries()) prediction.pushInput(index + 1, input);
    expect(prediction.snapshot.predictedState).toEqual({ value: 4 });
    expect(prediction.reconcile(2, Object.freeze({ value: 4.5 }))).toMatchObject({ error: 0.5, replayed: 1 });
    expect(prediction.snapshot.predictedState).toEqual({ value: 3.5 });
    expect(prediction.read({ value: 0 })).toEqual({ value: 3.5 });
  });

  it('refuses to confirm what was never pushed, and everything is as it was', () => {
    const prediction = counter();
    prediction.pushInput(1, 3);
    prediction.pushInput(2, 2);
    const before = all(prediction);
    expect(() => prediction.reconcile(3, 9)).toThrow(RangeError);
    expect(all(prediction)).toEqual(before);
  });

  it('measures the error at the acknowledged moment: commands 101 to 103', () => {
    const signed = new PredictionState<{ x: number }, number>({
      model: struct({ x: f64 }),
      initialState: { x: 4.9 },
      initialSequence: 100,
      apply(state, move) {
        state.x += move;
      },
      distance: (predicted, authoritative) => authoritative.x - predicted.x,
    });
    for (const sequence of [101, 102, 103]) signed.pushInput(sequence, 0.2);
    expect(signed.snapshot.predictedState.x).toBeCloseTo(5.5);
    const result = signed.reconcile(101, { x: 5 });
    expect(result).toMatchObject({ sequence: 101, dropped: 1, replayed: 2 });
    expect(result.error).toBeCloseTo(-0.1);
    expect(signed.snapshot.predictedState.x).toBeCloseTo(5.4);
  });

  it('takes integers that rise above the confirmed sequence only', () => {
    const prediction = counter();
    prediction.pushInput(5, 1);
    prediction.reconcile(5, 1);
    prediction.pushInput(7, 1);
    const before = all(prediction);
    for (const sequence of [7, 6, 5, 0, -1, 7.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => prediction.pushInput(sequence, 1), String(sequence)).toThrow(RangeError);
    }
    for (const sequence of [4, 8, 5.5, Number.NaN]) {
      expect(() => prediction.reconcile(sequence, 1), String(sequence)).toThrow(RangeError);
    }
    for (const frame of [1.5, Number.NaN]) expect(() => prediction.reconcile(7, 1, frame)).toThrow(RangeError);
    expect(all(prediction)).toEqual(before);
  });

  it('knows a confirmation by its sequence and the authority frame', () => {
    const prediction = counter();
    prediction.pushInput(1, 3);
    prediction.pushInput(2, 2);
    prediction.reconcile(1, 3, 10);
    const before = all(prediction);
    expect(prediction.reconcile(1, 99, 10)).toEqual({ sequence: 1, error: 0, dropped: 0, replayed: 0, pending: 1 });
    expect(prediction.reconcile(1, 99)).toMatchObject({ replayed: 0 });
    expect(all(prediction)).toEqual(before);
    expect(prediction.reconcile(1, 4, 11)).toEqual({ sequence: 1, error: 1, dropped: 0, replayed: 1, pending: 1 });
    expect(prediction.snapshot.predictedState).toBe(6);
    expect(() => prediction.reconcile(1, 3, 10)).toThrow(RangeError);
    expect(() => prediction.reconcile(2, 5, 10)).toThrow('authorityFrame is 10; expected 11 or later');
    expect(prediction.snapshot.predictedState).toBe(6);
  });

  it('lets nothing that is done to a snapshot, an input or a state reach inside', () => {
    const model = plain(() => ({ at: { x: 0 }, bag: new Map([['coins', 1]]) }));
    const prediction = new PredictionState<{ at: { x: number }; bag: Map<string, number> }, { dx: number[] }>({
      model,
      apply(state, input) {
        state.at.x += input.dx[0]!;
        input.dx[0] = 77;
      },
    });
    const input = { dx: [2] };
    prediction.pushInput(1, input);
    input.dx[0] = 50;
    const authoritative = model.create();
    prediction.pushInput(2, { dx: [3] });
    prediction.reconcile(0, authoritative);
    authoritative.at.x = 1000;
    const taken = prediction.snapshot;
    taken.confirmedState.at.x = 9;
    taken.predictedState.bag.set('coins', 99);
    taken.pending[0]!.input.dx[0] = 99;
    expect(() => Object.assign(taken, { confirmedSequence: 5 })).toThrow(TypeError);
    expect(() => Object.assign(taken.pending, { length: 0 })).toThrow(TypeError);
    expect(prediction.snapshot).toEqual({
      confirmedSequence: 0,
      confirmedState: { at: { x: 0 }, bag: new Map([['coins', 1]]) },
      predictedState: { at: { x: 5 }, bag: new Map([['coins', 1]]) },
      pending: [
        { sequence: 1, input: { dx: [2] } },
        { sequence: 2, input: { dx: [3] } },
      ],
    });
  });

  it('refuses what is not finite or not within its limits, by field name, and it enters nowhere', () => {
    const prediction = new PredictionState<{ x: number; shots: { y: number }[] }, { move: { dx: number } }>({
      model: plain(() => ({ x: 0, shots: [{ y: 0 }] })),
      apply(state, { move }) {
        state.x += move.dx;
      },
      limits: { input: { 'move.dx': [-1, 1] }, state: { x: [0, 10], 'shots[].y': [0, 5] } },
    });
    prediction.pushInput(1, { move: { dx: 1 } });
    const before = all(prediction);
    const push = (dx: number) => () => prediction.pushInput(2, { move: { dx } });
    const take = (x: number, y: number) => () => prediction.reconcile(1, { x, shots: [{ y }] });
    for (const [run, type, message] of [
      [push(Number.NaN), TypeError, 'input.move.dx is NaN; expected a finite number'],
      [push(Number.POSITIVE_INFINITY), TypeError, 'input.move.dx is Infinity'],
      [push(1.5), RangeError, 'input.move.dx is 1.5; expected -1 to 1'],
      [take(Number.NaN, 0), TypeError, 'state.x is NaN'],
      [take(11, 0), RangeError, 'state.x is 11; expected 0 to 10'],
      [take(1, Number.NEGATIVE_INFINITY), TypeError, 'state.shots[0].y is -Infinity'],
      [take(1, 6), RangeError, 'state.shots[0].y is 6; expected 0 to 5'],
    ] as const) {
      expect(run).toThrow(type);
      expect(run).toThrow(message);
      expect(all(prediction)).toEqual(before);
    }
    const numbers = counter();
    expect(() => numbers.pushInput(1, Number.NaN)).toThrow('input is NaN');
    numbers.pushInput(1, 1);
    expect(() => numbers.reconcile(1, Number.NaN)).toThrow('state is NaN');
    // @ts-expect-error: what a wire may bring.
    expect(() => numbers.reconcile(1, '1')).toThrow(TypeError);
    // @ts-expect-error: it would make the number a text.
    expect(() => numbers.pushInput(2, '1')).toThrow(TypeError);
    expect(numbers.snapshot.predictedState).toBe(1);
  });

  it('refuses an input that makes the state infinite, and one that apply refuses', () => {
    const prediction = new PredictionState({
      initialState: 1e308,
      apply(state: number, input: number) {
        if (input === 0) throw new RangeError('nothing is no move');
        return state * input;
      },
    });
    const before = all(prediction);
    expect(() => prediction.pushInput(1, 10)).toThrow('predicted state is Infinity');
    expect(() => prediction.pushInput(1, 0)).toThrow('nothing is no move');
    expect(all(prediction)).toEqual(before);
    prediction.pushInput(1, 0.5);
    expect(prediction.snapshot.predictedState).toBe(5e307);
  });

  it('commits nothing when apply throws in the middle of a replay', () => {
    const prediction = new PredictionState({
      initialState: 5,
      apply(state: number, input: number) {
        if (state + input < 0) throw new RangeError('no debts');
        return state + input;
      },
    });
    for (const [index, input] of [-1, -2, -2].entries()) prediction.pushInput(index + 1, input);
    const before = all(prediction);
    expect(() => prediction.reconcile(1, 3)).toThrow('no debts');
    expect(all(prediction)).toEqual(before);
    expect(prediction.reconcile(1, 4)).toMatchObject({ error: 0, replayed: 2 });
  });

  it('takes plain objects for a struct, and refuses what a field cannot hold', () => {
    const model = struct({ hp: u8, at: { x: q16 }, marks: array(2, i16), flags: array(2, q16) });
    const prediction = new PredictionState({ model, apply() {} });
    const good = { hp: 200, at: { x: 0.1 }, marks: [1, -2], flags: [0.5, 2] };
    const take = (change: object) => () => {
      // What JSON gives has no type.
      prediction.reconcile(0, { ...good, ...change } as never);
    };
    for (const [change, type, message] of [
      [{ hp: 300 }, RangeError, 'state.hp is 300; the field cannot hold that (it would be 44)'],
      [{ hp: '3' }, TypeError, 'state.hp is 3; expected a number'],
      [{ at: { x: 40000 } }, RangeError, 'state.at.x is 40000'],
      [{ at: {} }, TypeError, 'state.at.x is missing'],
      [{ marks: [1] }, RangeError, 'state.marks has 1 elements; expected 2'],
      [{ marks: [1, 40000] }, RangeError, 'state.marks[1] is 40000'],
      [{ flags: [1, 'a'] }, TypeError, 'state.flags[1] is a'],
      [{ mana: 1 }, TypeError, 'state.mana is not a field'],
    ] as const) {
      expect(take(change)).toThrow(type);
      expect(take(change)).toThrow(message);
    }
    take({})();
    const { confirmedState } = prediction.snapshot;
    expect(confirmedState.hp).toBe(200);
    expect(confirmedState.at.x).toBeCloseTo(0.1, 4);
    expect([...confirmedState.marks, ...confirmedState.flags]).toEqual([1, -2, 0.5, 2]);
  });

  it('restores all that the next step reads: generators too, and opaque bytes', () => {
    const model = struct({ x: i16, dice: random() });
    type State = ReturnType<typeof model.create>;
    const apply = (state: State, input: number) => {
      state.x += state.dice.below(6) * input;
    };
    const authority = model.create();
    const prediction = new PredictionState<State, number>({ model, apply });
    for (let sequence = 1; sequence <= 8; sequence++) prediction.pushInput(sequence, sequence);
    for (let sequence = 1; sequence <= 4; sequence++) apply(authority, sequence);
    expect(prediction.reconcile(4, authority)).toMatchObject({ error: 0, dropped: 4, replayed: 4 });
    for (let sequence = 5; sequence <= 8; sequence++) apply(authority, sequence);
    expect(model.diff(prediction.snapshot.predictedState, authority)).toEqual([]);

    const machine = bytes<{ ram: Uint8Array }>({
      create: () => ({ ram: new Uint8Array(4) }),
      save: (state) => state.ram,
      load: (state, from) => state.ram.set(from),
    });
    const emulated = new PredictionState<{ ram: Uint8Array }, number>({
      model: machine,
      apply({ ram }, input) {
        ram[input]!++;
      },
    });
    emulated.pushInput(1, 0);
    emulated.pushInput(2, 1);
    emulated.reconcile(1, { ram: Uint8Array.of(9, 0, 0, 0) });
    expect([...emulated.snapshot.predictedState.ram]).toEqual([9, 1, 0, 0]);
  });

  it('takes a state for the initial sequence once, as the one to start from', () => {
    const prediction = counter();
    prediction.reconcile(0, 10);
    prediction.reconcile(0, 20);
    expect(prediction.snapshot.predictedState).toBe(10);
  });

  it('refuses options by name', () => {
    for (const options of [{ history: 0 }, { history: 1.5 }, { budget: 0 }, { budget: Number.NaN }]) {
      expect(() => new PredictionState({ initialState: 0, apply: sum, ...options })).toThrow(RangeError);
    }
    // @ts-expect-error: neither a model nor a first state.
    expect(() => new PredictionState({ apply: sum })).toThrow('model and initialState are both missing');
    class Board {
      readonly cells = [0];
    }
    expect(() => new PredictionState({ initialState: new Board(), apply() {} })).toThrow(
      'value is an instance of Board',
    );
  });
});

describe('PredictionState, its budget', () => {
  it('aligns to the authority at once, and replays the rest over the next ticks', () => {
    let applied = 0;
    const prediction = new PredictionState({
      initialState: 0,
      budget: 3,
      apply(state: number, input: number) {
        applied++;
        return state + input;
      },
    });
    for (let sequence = 1; sequence <= 10; sequence++) prediction.pushInput(sequence, 1);
    applied = 0;
    expect(prediction.catchUp()).toBe(0);
    expect(prediction.reconcile(1, 101)).toMatchObject({ error: 100, replayed: 3, pending: 9 });
    expect(applied).toBe(3);
    expect(prediction.status.catchingUp).toBe(6);
    expect(prediction.snapshot.predictedState).toBe(104);
    // The same tick has no budget left, but the authority's word counts at once.
    expect(prediction.reconcile(2, 202)).toMatchObject({ replayed: 0, pending: 8 });
    expect(prediction.snapshot.predictedState).toBe(202);
    applied = 0;
    prediction.pushInput(11, 1);
    expect(applied).toBe(4);
    expect(prediction.catchUp()).toBe(2);
    expect(prediction.catchUp()).toBe(0);
    expect(prediction.snapshot.predictedState).toBe(211);
    prediction.pushInput(12, 1);
    expect(prediction.status.catchingUp).toBe(0);
    expect(prediction.snapshot.predictedState).toBe(212);
  });

  it('catches up even with a budget of one and an input a tick', () => {
    const prediction = new PredictionState({ initialState: 0, budget: 1, apply: sum });
    for (let sequence = 1; sequence <= 5; sequence++) prediction.pushInput(sequence, 1);
    prediction.catchUp();
    prediction.reconcile(0, 10);
    for (let sequence = 6; sequence <= 10; sequence++) prediction.pushInput(sequence, 1);
    expect(prediction.status.catchingUp).toBe(0);
    expect(prediction.snapshot.predictedState).toBe(20);
  });
});

describe('PredictionState, its history', () => {
  it('reports a stalled confirmation, and takes the whole state when the way back is forgotten', () => {
    const prediction = new PredictionState({ initialState: 0, history: 4, apply: sum });
    for (let sequence = 1; sequence <= 3; sequence++) prediction.pushInput(sequence, 1);
    expect(prediction.status.stalled).toBe(false);
    for (let sequence = 4; sequence <= 10; sequence++) prediction.pushInput(sequence, 1);
    expect(prediction.status.stalled).toBe(true);
    expect(prediction.snapshot.pending.map(({ sequence }) => sequence)).toEqual([7, 8, 9, 10]);
    expect(prediction.snapshot.predictedState).toBe(10);

    expect(prediction.reconcile(3, 53)).toEqual({ sequence: 3, error: 43, dropped: 0, replayed: 0, pending: 4 });
    expect(prediction.status).toEqual({ stalled: false, catchingUp: 0, recovering: true });
    expect(prediction.snapshot.predictedState).toBe(53);
    prediction.pushInput(11, 1);
    expect(prediction.snapshot.predictedState).toBe(54);

    // From the last forgotten input on, everything is exact again.
    expect(prediction.reconcile(8, 58)).toMatchObject({ dropped: 1, replayed: 3, pending: 3 });
    expect(prediction.status.recovering).toBe(false);
    expect(prediction.snapshot.predictedState).toBe(61);
  });

  it('replays no more than it keeps while the sequence stands still and the world moves on', () => {
    let applied = 0;
    const prediction = new PredictionState({
      initialState: 0,
      history: 8,
      apply(state: number, input: number) {
        applied++;
        return state + input;
      },
    });
    for (let frame = 1; frame <= 1000; frame++) {
      prediction.pushInput(frame, 1);
      prediction.reconcile(0, frame, frame);
    }
    expect(prediction.status).toMatchObject({ stalled: true, recovering: true });
    expect(prediction.snapshot.pending).toHaveLength(8);
    expect(applied).toBeLessThan(1100);
  });
});
