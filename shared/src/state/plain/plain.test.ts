import { describe, expect, it } from 'vitest';
import { RiposteError } from '../../errors.js';
import type { FieldDifference } from '../model.js';
import { type PlainOptions, plain } from './plain.js';
import { plainRandom } from './random.js';

/** A model of states that are whatever a test makes them. */
const model = plain<Record<string, unknown>>(() => ({}));

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof RiposteError && error.code === 'bad-state') return error.message;
    throw error;
  }
  return 'nothing was refused';
}

/** What a state is after it was saved and loaded into an empty one. */
function copyOf<T extends Record<string, unknown>>(state: T): T {
  const copy = model.create();
  model.copy(state, copy);
  return copy as T;
}

const shown = (differences: FieldDifference[]) => differences.map(({ path, a, b }) => `${path}: ${a} | ${b}`);

describe('plain: create', () => {
  it('gives each state its own copy of what the game returned, even of one shared object', () => {
    const shared = { shots: [{ x: 1 }], tags: new Set(['a']) };
    const game = plain(() => shared);
    const first = game.create();
    first.shots.push({ x: 2 });
    first.tags.add('b');
    expect(game.create()).toEqual({ shots: [{ x: 1 }], tags: new Set(['a']) });
    expect(shared.shots).toHaveLength(1);
  });

  it('refuses a single value as the state', () => {
    expect(refusal(() => plain(() => new Uint8Array(4)).create())).toContain('expected an object that holds it');
    expect(() => plain(null as never)).toThrow('no function');
  });
});

describe('plain: load', () => {
  it('restores in place: what vanished is back, what appeared is gone, and nested objects are filled', () => {
    const state = { shots: [{ x: 1, y: 2 }], scores: new Map([['ann', { wins: 1 }]]), map: new Uint8Array([1, 2]) };
    const game = plain(() => state);
    const live = game.create();
    const { shots, scores, map } = live;
    const first = shots[0];
    const wins = scores.get('ann');
    const snapshot = game.createSnapshot();
    snapshot.save(live);
    first.x = 5;
    Object.assign(first, { spawned: true });
    shots.push({ x: 9, y: 9 });
    scores.get('ann')!.wins = 7;
    scores.set('bob', { wins: 3 });
    map[0] = 200;
    snapshot.load(live);
    expect(live).toStrictEqual(state);
    expect([live.shots, live.scores, live.map]).toEqual([shots, scores, map]);
    expect(live.shots).toBe(shots);
    expect(live.shots[0]).toBe(first);
    expect(live.scores.get('ann')).toBe(wins);
    expect(live.map).toBe(map);
    shots.length = 0;
    scores.clear();
    delete (live as Partial<typeof live>).map;
    snapshot.load(live);
    expect(live).toStrictEqual(state);
  });

  it('keeps the order of keys, entries and members, which a step may see', () => {
    const state = {
      b: 1,
      a: 2,
      map: new Map([
        [2, 'x'],
        [1, 'y'],
      ]),
      set: new Set([3, 1, 2]),
    };
    const live: Record<string, unknown> = {
      ...state,
      map: new Map([
        [1, 'y'],
        [2, 'x'],
      ]),
      set: new Set([1, 2, 3]),
    };
    delete live['b'];
    live['b'] = 1;
    const snapshot = model.createSnapshot();
    snapshot.save(state);
    snapshot.load(live);
    expect(Object.keys(live)).toEqual(['b', 'a', 'map', 'set']);
    expect([...(live['map'] as Map<number, string>).keys()]).toEqual([2, 1]);
    expect([...(live['set'] as Set<number>)]).toEqual([3, 1, 2]);
  });

  it('keeps what is shared shared, apart what is apart, and views on one buffer on one buffer', () => {
    const buffer = new ArrayBuffer(16);
    const entity = { hp: 1 };
    const state = {
      entities: [{ hp: 0 }, entity],
      target: entity,
      bytes: new Uint8Array(buffer, 4, 8),
      words: new Uint32Array(buffer),
      view: new DataView(buffer, 8),
    };
    state.words[1] = 0x01020304;
    const copy = copyOf(state);
    expect(copy.target).toBe(copy.entities[1]);
    expect(copy.bytes.buffer).toBe(copy.words.buffer);
    expect([...copy.bytes.subarray(0, 4)]).toEqual([4, 3, 2, 1]);
    copy.bytes[0] = 9;
    expect(copy.words[1]).toBe(0x01020309);
    expect(state.words[1]).toBe(0x01020304);
    expect(copy.view.byteOffset).toBe(8);

    // A live state in which they became one object must not be filled twice through it.
    const apart = { entities: [{ hp: 0 }, { hp: 1 }], target: { hp: 2 } };
    const live = copyOf(apart);
    live.target = live.entities[1];
    model.copy(apart, live);
    expect(live).toEqual(apart);
    expect(live.target).not.toBe(live.entities[1]);
  });

  it('keeps lone halves of surrogate pairs, dictionaries, empty things and all kinds of numbers', () => {
    const dictionary = Object.create(null);
    dictionary.toString = 1;
    const state = {
      dictionary,
      text: '\ud800x\u{1f600}',
      none: undefined,
      nothing: null,
      numbers: [0, -0, Number.NaN, Infinity, 5e-324, 2 ** 53, -1.5],
      big: [-(2n ** 80n), 0n, 7n],
      empty: [[], {}, new Map(), new Set(), new Float64Array(0)],
      floats: new Float32Array([1.5, -0, Number.NaN]),
      longs: new BigInt64Array([-1n]),
    };
    const copy = copyOf(state);
    expect(copy).toStrictEqual(state);
    expect(Object.getPrototypeOf(copy.dictionary)).toBe(null);
    const decoded = model.create();
    model.decode(model.encode(state), decoded);
    expect(decoded).toStrictEqual(state);
  });
});

describe('plain: refusals', () => {
  const bad = (state: unknown) => refusal(() => model.hash(state as Record<string, unknown>));

  it('name the path and the reason', () => {
    const player = { hp: 1 };
    const cyclic: Record<string, unknown> = { name: 'x', parts: [] };
    cyclic['parts'] = [{ owner: cyclic }];
    const sparse = [1, 2, 3];
    delete sparse[1];
    class Enemy {}
    expect(bad({ players: [player, { onHit: () => 1 }] })).toContain(
      'players[1].onHit is a function; expected plain data',
    );
    expect(bad({ 'odd name': { key: Symbol('x') } })).toContain('["odd name"].key is a symbol');
    expect(bad({ scores: new Map([['ann', /x/]]) })).toContain('scores.get("ann") is an instance of RegExp');
    expect(bad({ tags: new Set([1, new Enemy()]) })).toContain(
      'tags.values()[1] is an instance of Enemy, which has no copier',
    );
    expect(bad({ by: new Map([[new Enemy(), 1]]) })).toContain('by.keys()[0] is an instance of Enemy');
    expect(bad({ world: cyclic })).toContain('world.parts[0].owner leads back to world, which contains it');
    expect(bad({ list: sparse })).toContain('list[1] is a hole in a sparse array');
    expect(
      bad({
        players: [
          { hp: 1 },
          {
            get hp() {
              return 1;
            },
          },
        ],
      }),
    ).toContain('players[1].hp is a getter or setter');
    expect(bad({ level: Object.freeze({ width: 3 }) })).toContain('level is frozen');
    expect(bad({ level: { [Symbol('s')]: 1 } })).toContain('level has a symbol as a key');
    expect(bad({ level: JSON.parse('{"__proto__": 1}') })).toContain('__proto__');
    expect(bad({ list: Object.assign([1], { extra: 1 }) })).toContain('list.extra is a named property of an array');
    expect(bad({ hidden: Object.defineProperty({}, 'x', { value: 1 }) })).toContain('hidden.x is not enumerable');
    expect(bad({ promise: Promise.resolve() })).toContain('promise is an instance of Promise');
    expect(bad(() => 1)).toContain('the state is a function');
    expect(bad({ view: new Uint8Array(new SharedArrayBuffer(4)) })).toContain('view.buffer is an instance of Shared');
    let deep: unknown = 1;
    for (let level = 0; level < 600; level++) deep = [deep];
    expect(bad({ deep })).toContain('nested deeper than 500');
  });

  it('leave a snapshot and a state as they were', () => {
    const snapshot = model.createSnapshot();
    snapshot.save({ a: 1 });
    const before = snapshot.hash();
    refusal(() => snapshot.save({ a: 2, b: () => 1 }));
    expect(snapshot.hash()).toBe(before);
    const into = {};
    snapshot.load(into);
    expect(into).toEqual({ a: 1 });
    expect(refusal(() => plain<object>(() => []).copy([1], {}))).toContain('of another kind');
    expect(refusal(() => model.createSnapshot().load({}))).toContain('the snapshot is empty');
  });
});

describe('plain: hostile bytes', () => {
  /** Version, an object of one key, `a`; its value comes next. */
  const HEAD = [1, 9, 0, 1, 1, 97];
  const bytesOf = (text: string) => [text.length, ...[...text].map((unit) => unit.charCodeAt(0))];

  it.each<[string, number[], string]>([
    ['another version', [2, 9], 'version 2; expected 1'],
    ['nothing', [], '1 bytes expected, 0 left'],
    ['a cycle', [...HEAD, 8, 0], 'a reference to object 0, not finished here'],
    ['nesting without end', [...HEAD, ...Array(600).fill([11, 1]).flat(), 2], 'nested deeper than 500'],
    ['a count beyond the bytes', [...HEAD, 11, 255, 255, 255, 255, 15], '4294967295 things announced'],
    ['a number that is too long', [...HEAD, 11, 255, 255, 255, 255, 255], 'more than 32 bits'],
    ['a key that is no key', [1, 9, 0, 1, ...bytesOf('__proto__'), 2], 'a key is __proto__'],
    ['one key twice', [1, 9, 0, 2, ...bytesOf('a'), ...bytesOf('a'), 2, 2], 'not in its one canonical form'],
    ['one entry twice', [...HEAD, 12, 2, 32, 2, 2, 32, 2, 2], 'not in its one canonical form'],
    ['a typed array beyond its buffer', [...HEAD, 15, 1, 0, 9, 14, 4, 0, 0, 0, 0], 'leaves its 4 bytes'],
    ['a typed array out of place', [...HEAD, 15, 5, 2, 0, 14, 4, 0, 0, 0, 0], 'leaves its 4 bytes'],
    ['a typed array without a buffer', [...HEAD, 15, 1, 0, 0, 11, 0], 'a typed array has no buffer'],
    ['a class nobody registered', [...HEAD, 18, 0, 2], 'class 0 is not one that this model knows'],
    ['a bigint of no digits', [...HEAD, 7, 1, 103], 'hexadecimal digits'],
    ['a value of no kind', [...HEAD, 77], '77 begins no value'],
    ['bytes left over', [...HEAD, 2, 2], '1 bytes are left over'],
    ['another kind of root', [1, 11, 0], 'of another kind than the saved one'],
  ])('such as %s are refused and change nothing', (_name, bytes, message) => {
    const into = { kept: 1 };
    expect(refusal(() => model.decode(Uint8Array.from(bytes), into))).toContain(message);
    expect(into).toEqual({ kept: 1 });
  });
});

class Vector {
  x = 0;
  y = 0;
  length(): number {
    return Math.sqrt(this.x * this.x + this.y * this.y);
  }
}

class Vault {
  #gold: number[] = [];
  add(gold: number): void {
    this.#gold.push(gold);
  }
  get memory(): number[] {
    return this.#gold;
  }
  set memory(gold: number[]) {
    this.#gold = gold;
  }
}

const options: PlainOptions = {
  copiers: [
    Vector,
    {
      type: Vault,
      create: () => new Vault(),
      save: (from: Vault) => from.memory,
      load: (saved: unknown, into: Vault) => {
        into.memory = saved as number[];
      },
    },
  ],
};

describe('plain: registered classes', () => {
  it('are copied by their fields, or by what their copier makes of them', () => {
    const game = plain(() => ({ at: new Vector(), vault: new Vault() }), options);
    const live = game.create();
    const { at, vault } = live;
    at.x = 3;
    at.y = 4;
    vault.add(1);
    const snapshot = game.createSnapshot();
    snapshot.save(live);
    at.x = 0;
    vault.add(2);
    expect(snapshot.hash()).not.toBe(game.hash(live));
    snapshot.load(live);
    expect(live.at).toBe(at);
    expect([live.at.length(), live.vault.memory]).toEqual([5, [1]]);
    expect(snapshot.hash()).toBe(game.hash(live));
    const other = game.create();
    game.decode(game.encode(live), other);
    expect(other.at).toBeInstanceOf(Vector);
    expect([other.at.length(), other.vault.memory]).toEqual([5, [1]]);
    other.vault.add(8);
    expect(live.vault.memory).toEqual([1]);
    expect(shown(game.diff(live, other))).toEqual(['vault[1]: (absent) | 8']);
  });

  it('are checked when the model is made', () => {
    expect(() => plain(() => ({}), { copiers: [Vector, Vector] })).toThrow('copiers[1] names a class that already has');
    expect(() => plain(() => ({}), { copiers: [5 as never] })).toThrow('copiers[0] is 5; expected a class');
  });
});

describe('plainRandom', () => {
  it('is started from the seed, each generator on its own stream, and rewound by a load', () => {
    const game = plain(() => ({ dice: plainRandom(), more: [plainRandom()] }));
    const state = game.create();
    game.seed(state, 7);
    const snapshot = game.createSnapshot();
    snapshot.save(state);
    const first = [state.dice.next(), state.more[0].next(), state.dice.below(6)];
    expect(first[0]).not.toBe(first[1]);
    expect(game.diff(state, game.create()).map(({ path }) => path)).toEqual(['dice', 'more[0]']);
    snapshot.load(state);
    expect([state.dice.next(), state.more[0].next(), state.dice.below(6)]).toEqual(first);
    const other = game.create();
    game.decode(game.encode(state), other);
    expect(other.dice.next()).toBe(state.dice.next());
  });
});
