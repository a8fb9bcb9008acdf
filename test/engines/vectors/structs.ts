import { array, bool, choice, f32, f64, fixed, i8, i16, i32, q16, random, struct, u8, u16, u32 } from '@riposte/shared';
import { doubleOf, hex32, hexOf } from './text.js';

/** Every kind of field, alone, in arrays and nested, in an order that leaves gaps. */
const everything = struct({
  i8,
  f64,
  u8,
  u16,
  i16,
  f32,
  bool,
  i32,
  u32,
  q16,
  choice: choice('calm', 'angry', 'gone'),
  fixed,
  dice: random(),
  place: { small: u8, x: q16, inner: { tiny: i8, wide: f64 } },
  i8s: array(3, i8),
  u8s: array(2, u8),
  i16s: array(3, i16),
  u16s: array(1, u16),
  i32s: array(2, i32),
  u32s: array(2, u32),
  f32s: array(3, f32),
  f64s: array(2, f64),
  q16s: array(2, q16),
  fixeds: array(2, fixed),
  bools: array(5, bool),
  choices: array(3, choice('no', 'yes')),
  shots: array(3, { alive: bool, at: { x: q16, y: i16 }, spin: array(2, i8) }),
  grid: array(2, array(3, u16)),
  decks: array(2, random()),
  last: u8,
});

type Everything = ReturnType<typeof everything.create>;

/** Numbers that fit no integer field, or that have more than one way to be written. */
const AWKWARD = [200.9, -129.9, 65_537.5, 2 ** 31, -(2 ** 31) - 1.5, 2 ** 53, 1e300, -0, 0.1, -0.1, 5e-324];
const NOT_FINITE = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

function fill(state: Everything, value: number): void {
  state.i8 = state.u8 = state.i16 = state.u16 = state.i32 = state.u32 = value;
  state.f32 = state.f64 = state.q16 = state.fixed = value;
  state.place.small = state.place.inner.tiny = value;
  state.place.x = state.place.inner.wide = value;
  for (const list of [state.i8s, state.u8s, state.i16s, state.u16s, state.i32s, state.u32s]) list.fill(value);
  for (const list of [state.f32s, state.f64s, state.fixeds, ...state.grid]) list.fill(value);
  state.q16s.set(1, value);
  for (const shot of state.shots) {
    shot.at.x = shot.at.y = value;
    shot.spin.fill(value);
  }
  state.last = value;
}

/** A state in which each field holds something of its own. */
function ordinary(): Everything {
  const state = everything.create();
  everything.seed(state, 0xc0ffee);
  Object.assign(state, { i8: -5, f64: Math.sqrt(2), u8: 250, u16: 60_000, i16: -30_000, f32: 0.1, bool: true });
  Object.assign(state, { i32: -2_000_000_000, u32: 4_000_000_000, q16: 1.23456789, choice: 'angry', fixed: 98_304 });
  Object.assign(state.place, { small: 7, x: -12.5 });
  Object.assign(state.place.inner, { tiny: -1, wide: 1 / 3 });
  for (const [at, value] of [1.5, -2.25, 1e10].entries()) state.f32s[at] = value;
  state.bools.set(4, true);
  state.choices.set(2, 'yes');
  state.shots[1]!.alive = true;
  state.shots[2]!.at.y = -77;
  state.grid[1]![2] = 513;
  for (let draw = 0; draw < 10; draw++) state.u32s[draw & 1] = state.decks[draw & 1]!.next();
  state.last = 255;
  return state;
}

/** NaNs of four bit patterns in each float: a state has one. */
function strangeNans(): Everything {
  const state = everything.create();
  state.f32 = doubleOf(0xfff80000, 1);
  state.f64 = doubleOf(0x7ff00000, 1);
  state.f32s[1] = -doubleOf(0x7ff80000, 0);
  state.f64s[1] = doubleOf(0xffffffff, 0xffffffff);
  state.place.inner.wide = Number.POSITIVE_INFINITY - Number.POSITIVE_INFINITY;
  return state;
}

function written(state: Everything): { bytes: string; hash: string } {
  return { bytes: hexOf(everything.encode(state)), hash: hex32(everything.hash(state)) };
}

function filled(value: number): Everything {
  const state = everything.create();
  fill(state, value);
  return state;
}

export function structVectors() {
  const first = ordinary();
  const second = everything.create();
  everything.decode(everything.encode(first), second);
  second.shots[1]!.at.x = 9;
  second.f64 = -0;
  second.choices.set(0, 'yes');
  return {
    byteLength: everything.byteLength,
    zero: written(everything.create()),
    ordinary: written(first),
    nans: written(strangeNans()),
    awkward: AWKWARD.map((value) => written(filled(value))),
    notFinite: NOT_FINITE.map((value) => written(filled(value))),
    differences: everything.diff(first, second).map(({ path }) => path),
  };
}
