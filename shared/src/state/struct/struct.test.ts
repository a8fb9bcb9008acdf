import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { array, bool, choice, f32, f64, fixed, i8, i16, i32, q16, random, u8, u16, u32 } from './fields.js';
import { struct } from './struct.js';

const everything = struct({
  a: i8,
  b: u8,
  c: i16,
  d: u16,
  e: i32,
  f: u32,
  g: f32,
  h: f64,
  i: q16,
  j: fixed,
  k: bool,
  mood: choice('calm', 'angry'),
  dice: random(),
  place: { x: q16, y: q16 },
  shots: array(3, { x: i16, alive: bool }),
  flags: array(4, bool),
  heights: array(2, q16),
  counts: array(5, u16),
});

describe('struct', () => {
  it('reads what was written, by one rule a kind where it does not fit', () => {
    const state = everything.create();
    state.a = 200;
    state.b = -1;
    state.c = 40_000;
    state.d = 65_537;
    state.e = 2 ** 31;
    state.f = -1;
    state.g = 0.1;
    state.h = 0.1;
    state.i = -0.1;
    state.j = 2 ** 32 + 5;
    state.k = true;
    state.mood = 'angry';
    expect([state.a, state.b, state.c, state.d, state.e, state.f]).toEqual([
      -56,
      255,
      -25_536,
      1,
      -(2 ** 31),
      2 ** 32 - 1,
    ]);
    expect([state.g, state.h, state.i, state.j]).toEqual([Math.fround(0.1), 0.1, Math.floor(-6553.6) / 65536, 5]);
    expect([state.k, state.mood]).toEqual([true, 'angry']);
    state.a = Number.NaN;
    state.i = Number.POSITIVE_INFINITY;
    expect([state.a, state.i]).toEqual([0, 0]);
    expect(() => {
      state.mood = 'sad' as never;
    }).toThrow('mood was set to sad; expected one of calm, angry');
  });

  it('holds nested structs and arrays in place', () => {
    const state = everything.create();
    state.place.y = 1.5;
    state.shots[1]!.alive = true;
    state.flags.set(3, true);
    state.heights.set(1, 2.25);
    state.counts[4] = 7;
    expect([...state.flags]).toEqual([false, false, false, true]);
    expect(() => state.flags.get(4)).toThrow('index is 4; expected an integer from 0 to 3');
    expect(JSON.parse(JSON.stringify(state))).toMatchObject({
      place: { x: 0, y: 1.5 },
      shots: [{ alive: false }, { alive: true }, { alive: false }],
      heights: [0, 2.25],
    });
  });

  it('has the layout that its fields spell: in order, each aligned to its size', () => {
    const model = struct({ a: u8, b: u16, c: u8, d: u32, e: f64 });
    const state = model.create();
    Object.assign(state, { a: 1, b: 0x0203, c: 4, d: 0x05060708, e: 1 });
    expect([...model.encode(state)]).toEqual([
      1, 0, 3, 2, 4, 0, 0, 0, 8, 7, 6, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f,
    ]);
    expect(model.byteLength).toBe(24);
  });

  it('saves, loads, hashes and carries states by value', () => {
    const state = everything.create();
    everything.seed(state, 42);
    state.place.x = 3;
    const snapshot = everything.createSnapshot();
    snapshot.save(state);
    expect(snapshot.hash()).toBe(everything.hash(state));
    const draws = [state.dice.next(), state.dice.next()];
    state.place.x = 4;
    expect(snapshot.hash()).not.toBe(everything.hash(state));
    snapshot.load(state);
    expect(state.place.x).toBe(3);
    expect([state.dice.next(), state.dice.next()]).toEqual(draws);
    const carried = everything.create();
    everything.decode(everything.encode(state), carried);
    expect(everything.diff(state, carried)).toEqual([]);
    expect(() => everything.decode(new Uint8Array(3), carried)).toThrow('3 bytes of state; expected');
  });

  it('takes no bytes that no state of its layout has, and leaves the state as it was', () => {
    const model = struct({ on: bool, mood: choice('calm', 'angry'), x: i32, last: array(2, { y: i16, up: bool }) });
    const state = model.create();
    state.x = 7;
    const bytes = model.encode(state);
    const put = (at: number, value: number) => () => model.decode(bytes.with(at, value), state);
    expect(put(0, 2)).toThrow('byte 0 of the state is 2; expected at most 1');
    expect(put(1, 2)).toThrow('byte 1 of the state is 2; expected at most 1');
    // Between fields, after an element, and at the end.
    for (const gap of [2, 3, 11, 15]) expect(put(gap, 1)).toThrow(`byte ${gap} of the state is 1; expected at most 0`);
    expect(model.encode(state)).toEqual(bytes);
    for (const [at, value] of [
      [0, 1],
      [1, 1],
      [4, 255],
      [8, 255],
      [10, 1],
    ] as const)
      expect(put(at, value)).not.toThrow();
  });

  it('names every difference by its path, with both values', () => {
    const one = everything.create();
    const two = everything.create();
    two.mood = 'angry';
    two.shots[2]!.x = -5;
    two.flags.set(1, true);
    two.heights.set(0, 0.5);
    two.counts[3] = 9;
    two.h = -0;
    expect(everything.diff(one, two)).toEqual([
      { path: 'h', a: 0, b: -0, ulps: 0 },
      { path: 'mood', a: 'calm', b: 'angry' },
      { path: 'shots[2].x', a: 0, b: -5 },
      { path: 'flags[1]', a: false, b: true },
      { path: 'heights[0]', a: 0, b: 0.5 },
      { path: 'counts[3]', a: 0, b: 9 },
    ]);
  });

  it('hashes every NaN alike, and -0 apart from 0', () => {
    const model = struct({ single: f32, double: f64 });
    const bits = new DataView(new ArrayBuffer(8));
    bits.setUint32(0, 0xfff80001);
    const [one, two] = [model.create(), model.create()];
    Object.assign(one, { single: Number.NaN, double: Number.NaN });
    Object.assign(two, { single: bits.getFloat32(0), double: bits.getFloat64(0) });
    expect(model.hash(one)).toBe(model.hash(two));
    expect(model.diff(one, two)).toEqual([]);
    two.double = 0;
    one.double = -0;
    expect(model.hash(one)).not.toBe(model.hash(two));
  });

  it('is equal to itself after any writes, through bytes and snapshots', () => {
    const writes = fc.record({
      a: fc.integer(),
      e: fc.integer(),
      g: fc.double(),
      h: fc.double(),
      i: fc.double(),
      k: fc.boolean(),
    });
    fc.assert(
      fc.property(writes, (values) => {
        const state = everything.create();
        Object.assign(state, values);
        const copy = everything.create();
        everything.copy(state, copy);
        expect(everything.hash(copy)).toBe(everything.hash(state));
        expect(everything.diff(copy, state)).toEqual([]);
      }),
    );
  });

  it('refuses shapes and states that cannot be, by name', () => {
    expect(() => struct({ constructor: u8 })).toThrow('"constructor" cannot be a field name');
    expect(() => struct({ a: { 'b-c': u8 } })).toThrow('"a.b-c" cannot be a field name');
    expect(() => struct({ a: array(0, u8) })).toThrow('array "a" has length 0');
    expect(() => struct({ a: 5 as never })).toThrow('state field "a" is 5');
    expect(() => everything.hash({} as never)).toThrow('not one that this model created');
  });
});
