// biome-ignore-all lint/style/noRestrictedGlobals: these tests call what the guard must refuse.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RiposteError } from '../errors.js';
import { defineGame } from '../game/define-game.js';
import type { Game } from '../game/game.js';
import { buttons } from '../input/controls.js';
import { i32, random } from '../state/struct/fields.js';
import { struct } from '../state/struct/struct.js';
import { BANS } from './forbidden.js';
import { guardDeterminism } from './guard.js';

const state = struct({ x: i32, rng: random() });
type State = ReturnType<typeof state.create>;

function gameOf(step: () => unknown, parts: Partial<Game<State, unknown>> = {}) {
  return guardDeterminism(
    defineGame({
      id: 'guarded',
      version: '1',
      tickRate: 60,
      players: 1,
      input: buttons('a'),
      state,
      step: () => void step(),
      ...parts,
    }),
  );
}

const context = { frame: 0, players: [{ connected: true }], effect: () => {}, fact: () => {} };

function run(game: Game<State, unknown>): void {
  game.step(state.create(), [], context);
}

/** What the guard says about a step that does this. */
function faultOf(step: () => unknown): string {
  let caught: unknown;
  try {
    run(gameOf(step));
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(RiposteError);
  expect(caught).toMatchObject({ code: 'not-deterministic' });
  return caught instanceof Error ? caught.message : '';
}

/** Everything that the guard replaces, as it is now. */
function globalsNow(): unknown[] {
  const lookUp = (path: string): unknown =>
    path.split('.').reduce<unknown>((from, name) => Object(from)[name], globalThis);
  return BANS.flatMap(({ owner, names }) =>
    names.map((name) => {
      const holder: unknown = owner === '' ? globalThis : lookUp(owner);
      return [owner, name, Object.getOwnPropertyDescriptor(Object(holder), name)];
    }),
  );
}

afterEach(() => vi.unstubAllGlobals());

describe('guardDeterminism', () => {
  it.each<[string, () => unknown]>([
    ['Math.sin in step: engines differ in its last bits: use sin from @riposte/shared/math', () => Math.sin(1)],
    [
      'Math.pow in step: engines differ in its last bits: use pow from @riposte/shared/math',
      () => Reflect.apply(Math.pow, Math, [2, 0.5]),
    ],
    ['Math.log2 in step: engines differ in its last bits: work it out with log from', () => Math.log2(3)],
    ['Math.tanh in step: engines differ in its last bits: work it out with exp from', () => Math.tanh(3)],
    ['Math.random in step: use a random() field of the state', () => Math.random()],
    ['Date.now in step: a step has no clock', () => Date.now()],
    ['Date in step: a step has no clock', () => new Date()],
    ['Date in step: a step has no clock', () => Date()],
    ['performance.now in step: a step has no clock', () => performance.now()],
    ['Intl.NumberFormat in step: ', () => new Intl.NumberFormat('de')],
    ['String.prototype.localeCompare in step: its order depends', () => 'a'.localeCompare('b')],
    [
      'String.prototype.toLocaleUpperCase in step: it depends on the machine: use toUpperCase',
      () => 'i'.toLocaleUpperCase(),
    ],
    ['Number.prototype.toLocaleString in step: ', () => (1.5).toLocaleString()],
    ['setTimeout in step: a step has no timers', () => setTimeout(() => {}, 0)],
    ['setInterval in step: a step has no timers', () => setInterval(() => {}, 0)],
    ['queueMicrotask in step: a step ends before it returns', () => queueMicrotask(() => {})],
    ['fetch in step: a step ends before it returns', () => fetch('/')],
    ['Promise in step: a step ends before it returns', () => new Promise(() => {})],
    ['Promise.resolve in step: a step ends before it returns', () => Promise.resolve()],
    ['crypto.getRandomValues in step: use a random() field', () => crypto.getRandomValues(new Uint8Array(1))],
    ['crypto.randomUUID in step: use a random() field', () => crypto.randomUUID()],
    ['WeakRef in step: what it sees depends on garbage collection', () => new WeakRef({})],
  ])('says "%s"', (message, step) => {
    expect(faultOf(step)).toContain(message);
  });

  it('refuses then on a promise made before, and a step that is async', () => {
    const earlier = Promise.resolve();
    expect(faultOf(() => earlier.then(() => {}))).toContain('Promise.prototype.then in step');
    const game = guardDeterminism({ ...gameOf(() => {}), step: async () => {} });
    expect(() => run(game)).toThrow('a promise in step: it must end before it returns: write it without async');
  });

  it('names init and over where the call was made there', () => {
    const inInit = gameOf(() => {}, { init: () => void Math.random() });
    expect(() => inInit.init?.(state.create(), { seed: 0, settings: {}, players: 1 })).toThrow('Math.random in init: ');
    const inOver = gameOf(() => {}, { over: () => Date.now() });
    expect(() => inOver.over?.(state.create())).toThrow('Date.now in over: ');
  });

  it('leaves what every engine computes alike alone', () => {
    run(
      gameOf(() => {
        Math.sqrt(2) + Math.floor(1.5) + Math.imul(3, 4) + Math.fround(0.1) + Math.max(1, 2);
        [3, 1, 2].sort();
        'Ab'.toLowerCase();
        new Map([[1, 2]]);
      }),
    );
  });

  it('puts everything back, after a step that ends, one that throws, and a fault', () => {
    const before = globalsNow();
    run(gameOf(() => {}));
    expect(globalsNow()).toEqual(before);
    expect(() =>
      run(
        gameOf(() => {
          throw new Error('of the game');
        }),
      ),
    ).toThrow('of the game');
    expect(globalsNow()).toEqual(before);
    faultOf(() => Math.sin(1));
    expect(globalsNow()).toEqual(before);
    expect(Math.sin(0)).toBe(0);
    expect(new Date(0)).toBeInstanceOf(Date);
  });

  it('tells of a fault that the game caught, or answered with an error of its own', () => {
    expect(
      faultOf(() => {
        try {
          Math.sin(1);
        } catch {}
      }),
    ).toContain('Math.sin in step');
    expect(
      faultOf(() => {
        try {
          Math.cos(1);
        } catch {
          throw new Error('the game gives up');
        }
      }),
    ).toContain('Math.cos in step');
  });

  it('stays on until the outermost of nested runs ends', () => {
    const inner = gameOf(() => {});
    expect(
      faultOf(() => {
        run(inner);
        Math.sin(1);
      }),
    ).toContain('Math.sin');
    expect(Math.sin(0)).toBe(0);
  });

  it('keeps instanceof working, and functions that a game stored work again outside', () => {
    const date = new Date(0);
    const kept: { sin?: (x: number) => number; Date?: DateConstructor } = {};
    run(
      gameOf(() => {
        expect(date instanceof Date).toBe(true);
        kept.sin = Math.sin;
        kept.Date = Date;
      }),
    );
    expect(kept.sin?.(0)).toBe(0);
    expect(kept.Date && new kept.Date(5).getTime()).toBe(5);
  });

  it('works where some of the globals are missing, locked or others', () => {
    vi.stubGlobal('crypto', undefined);
    vi.stubGlobal('performance', undefined);
    vi.stubGlobal('Intl', Object.freeze({ Collator: Intl.Collator }));
    vi.stubGlobal('setTimeout', () => 0);
    run(gameOf(() => {}));
    expect(faultOf(() => setTimeout(() => {}, 0))).toContain('setTimeout in step');
    expect(Reflect.get(globalThis, 'crypto')).toBe(undefined);
  });

  describe('a sort', () => {
    it.each<[string, () => unknown]>([
      ['gives 0 for (a, b) and 1 for (b, a)', () => [3, 1, 2].sort((a, b) => Number(a > b))],
      ['gives -1 for (a, b) and -1 for (b, a)', () => [3, 1, 2].toSorted(() => -1)],
      ['Array.prototype.sort in step: its comparator gives NaN', () => [{}, {}].sort(() => Number.NaN)],
      ['TypedArray.prototype.sort in step', () => new Int8Array([3, 1, 2]).sort(() => 1)],
      // Rock, paper, scissors: every pair is consistent, the three together are not.
      ['where the elements between them make it -1', () => [0, 1, 2].sort((a, b) => [0, -1, 1][(b - a + 3) % 3]!)],
      [
        'where the elements between them make it',
        () => [0, 0.6, 1.2].sort((a, b) => (Math.abs(a - b) < 1 ? 0 : a - b)),
      ],
    ])('whose comparator %s is a fault', (message, step) => {
      expect(faultOf(step)).toContain(message);
    });

    it('with a consistent comparator gives what it gives without the guard', () => {
      const list = Array.from({ length: 100 }, (_, index) => ({ key: (index * 37) % 20, index }));
      const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
      let sorted: unknown;
      run(
        gameOf(() => {
          sorted = list.toSorted(compare);
        }),
      );
      expect(sorted).toEqual(list.toSorted(compare));
      run(gameOf(() => [3, undefined, 1].sort((a, b) => Number(a) - Number(b))));
    });
  });

  it('is cheap enough for a sync test', () => {
    const game = gameOf(() => {});
    const subject = state.create();
    for (let frame = 0; frame < 200; frame++) game.step(subject, [], context);
    const start = performance.now();
    for (let frame = 0; frame < 1000; frame++) game.step(subject, [], context);
    // Typically 50 us a step; the bound leaves room for a busy machine.
    expect((performance.now() - start) / 1000).toBeLessThan(1);
  });
});
