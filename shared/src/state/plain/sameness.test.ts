import { describe, expect, it } from 'vitest';
import type { FieldDifference } from '../model.js';
import { ABSENT } from './diff.js';
import { plain } from './plain.js';

/** A model of states that are whatever a test makes them. */
const model = plain<Record<string, unknown>>(() => ({}));

const shown = (differences: FieldDifference[]) => differences.map(({ path, a, b }) => `${path}: ${a} | ${b}`);

describe('plain: hash', () => {
  /** Fixed for good: these values are in recordings and cross the wire between engines. */
  it.each<[string, Record<string, unknown>, number]>([
    ['an empty object', {}, 0x296f3c83],
    ['numbers', { x: 1, y: -2.5, z: -0, n: Number.NaN }, 0x4ffce2e1],
    ['texts', { name: 'ann', smile: '\u{1f600}', big: 12345678901234567890n }, 0x0543d6e2],
    [
      'nested',
      {
        players: [
          { hp: 100, alive: true },
          { hp: 0, alive: false },
        ],
        none: null,
        gone: undefined,
      },
      0x2c3788fb,
    ],
    [
      'collections',
      {
        map: new Map([
          ['a', 1],
          ['b', 2],
        ]),
        set: new Set([3, 1]),
      },
      0xb406bc45,
    ],
    ['typed arrays', { bytes: Uint8Array.of(1, 2, 3), floats: Float64Array.of(0.5, Number.NaN) }, 0x4b7b4cce],
    [
      'NaNs of any bits',
      {
        n: -(0 / 0),
        m: Math.sqrt(-1),
        f: new Float32Array([-(0 / 0), Infinity - Infinity]),
        d: new Float64Array(new BigUint64Array([0xfff8000000000001n, 0x7ff0000000000005n]).buffer),
      },
      0x533b4afd,
    ],
    ['sharing', (([one]) => ({ a: one, b: one }))([{ x: 1 }]), 0xab2834df],
  ])('of %s is the same on every engine', (_name, state, hash) => {
    expect(model.hash(state).toString(16)).toBe(hash.toString(16));
  });

  it('follows the rules of sameness, as diff does', () => {
    const one = { x: 1 };
    const same: [unknown, unknown][] = [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [Number.NaN, -Number.NaN],
      [1, 1.0],
      [new Float64Array([Number.NaN]), new Float64Array(new BigUint64Array([0xfff8000000000001n]).buffer)],
    ];
    const different: [unknown, unknown][] = [
      [0, -0],
      [{ a: undefined }, {}],
      [null, undefined],
      [1n, 1],
      ['1', 1],
      [true, 1],
      [
        new Map([
          [1, 1],
          [2, 2],
        ]),
        new Map([
          [2, 2],
          [1, 1],
        ]),
      ],
      [new Set([1, 2]), new Set([2, 1])],
      [
        [one, one],
        [{ x: 1 }, { x: 1 }],
      ],
      [new Uint8Array(4), new Int8Array(4)],
      [new Uint8Array(4), new Uint8Array(5)],
      [
        [1, 2],
        [[1], 2],
      ],
      [
        ['ab', 'c'],
        ['a', 'bc'],
      ],
      [
        { a: 1, b: 2 },
        { a: 2, b: 1 },
      ],
      [{}, Object.create(null)],
      [[], {}],
      [new Uint8Array(new ArrayBuffer(4), 0, 2), new Uint8Array(new ArrayBuffer(4), 1, 2)],
    ];
    for (const [a, b] of same) {
      expect(model.hash({ v: a })).toBe(model.hash({ v: b }));
      expect(model.diff({ v: a }, { v: b })).toEqual([]);
    }
    for (const [a, b] of different) {
      expect(model.hash({ v: a })).not.toBe(model.hash({ v: b }));
      expect(model.diff({ v: a }, { v: b })).not.toEqual([]);
    }
  });
});

describe('plain: diff', () => {
  it('gives paths as code, both values, and what is absent as such', () => {
    const a = {
      shots: [{ x: 1 }, { x: 2 }],
      scores: new Map<string, number>([
        ['ann', 1],
        ['bob', 2],
      ]),
      tags: new Set(['it']),
      pixels: Uint8Array.of(1, 2, 3),
      'odd key': 1,
      big: 5n,
      gone: undefined,
    };
    const b = {
      shots: [{ x: 1 }, { x: 3 }, { x: 4 }],
      scores: new Map<string, number>([['ann', 7]]),
      tags: new Set(['out']),
      pixels: Uint8Array.of(1, 9, 3),
      'odd key': 'one',
      big: 6n,
    };
    expect(shown(model.diff(a, b))).toEqual([
      'big: 5n | 6n',
      'gone: undefined | (absent)',
      '["odd key"]: 1 | one',
      'pixels[1]: 2 | 9',
      'scores.get("ann"): 1 | 7',
      'scores.get("bob"): 2 | (absent)',
      'shots[1].x: 2 | 3',
      'shots[2]: (absent) | (object: x)',
      'tags.has("it"): true | false',
      'tags.has("out"): false | true',
    ]);
    expect(model.diff({ x: 1 }, {})[0]?.b).toBe(ABSENT);
    expect(JSON.stringify(model.diff({ x: 1n }, {}))).toBe('[{"path":"x","a":"1n","b":"(absent)"}]');
  });

  it('gives floats with their distance in units in the last place', () => {
    const next = 0.1 + 2 ** -56;
    expect(model.diff({ x: 0.1 }, { x: next })).toEqual([{ path: 'x', a: 0.1, b: next, ulps: 1 }]);
    expect(model.diff({ x: -5e-324 }, { x: 5e-324 })[0]?.ulps).toBe(2);
    expect(model.diff({ x: 0 }, { x: -0 })[0]?.ulps).toBe(0);
    expect(model.diff({ x: 1 }, { x: 2 })[0]).not.toHaveProperty('ulps');
    expect(model.diff({ x: 0.5 }, { x: Number.NaN })[0]).not.toHaveProperty('ulps');
  });

  it('tells sharing from equality, and order from content', () => {
    const one = { x: 1 };
    expect(shown(model.diff({ a: one, b: one }, { a: { x: 1 }, b: { x: 1 } }))).toEqual([
      'b: (the same as a) | (object: x)',
    ]);
    const keys = (...names: string[]) => ({ m: new Map(names.map((name) => [name, 1])), s: new Set(names) });
    expect(shown(model.diff(keys('a', 'b'), keys('b', 'a')))).toEqual([
      'm.keys()[0]: a | b',
      'm.keys()[1]: b | a',
      's.values()[0]: a | b',
      's.values()[1]: b | a',
    ]);
  });
});
