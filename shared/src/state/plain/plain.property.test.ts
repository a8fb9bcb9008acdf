import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RiposteError } from '../../errors.js';
import { plain } from './plain.js';

type State = Record<string, unknown>;

const model = plain<State>(() => ({}));

/** All of a state as text, with every order, sign and absence in it: the judge that shares no code with the model. */
function textOf(value: unknown, seen = new Map<object, number>()): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const known = seen.get(value);
  if (known !== undefined) return `#${known}`;
  seen.set(value, seen.size);
  const list = (items: Iterable<unknown>) => [...items].map((item) => textOf(item, seen)).join();
  if (Array.isArray(value)) return `[${list(value)}]`;
  if (value instanceof Map) return `Map(${[...value].map((entry) => list(entry)).join(';')})`;
  if (value instanceof Set) return `Set(${list(value)})`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${list(value as Uint8Array)})`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${textOf(item, seen)}`)
    .join()}}`;
}

const key = fc
  .oneof(fc.constantFrom('a', 'b', 'c', '1', '2', 'x y', ''), fc.string({ maxLength: 3 }))
  .filter((name) => name !== '__proto__');
const scalar = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.double(),
  fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY, undefined, null, true, false),
  fc.string({ maxLength: 4, unit: 'binary' }),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
);
const { state: anyState } = fc.letrec<{ state: State; value: unknown }>((tie) => ({
  state: fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    tie('state'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(fc.oneof(scalar, tie('state')), tie('value')), { maxLength: 4 }).map((all) => new Map(all)),
    fc.array(fc.oneof(scalar, tie('state')), { maxLength: 4 }).map((all) => new Set(all)),
    fc.uint8Array({ maxLength: 6 }),
    fc.float64Array({ maxLength: 4 }),
    fc.float32Array({ maxLength: 4 }),
    fc.int16Array({ maxLength: 4 }),
    fc.constant(null).chain(() => tie('state').map((one) => [one, { also: one }])),
  ),
}));
const small = fc.dictionary(
  fc.constantFrom('a', 'b'),
  fc.constantFrom<unknown>(0, -0, undefined, [1], [1, 2], { a: 1 }),
  { maxKeys: 2, noNullPrototype: true },
);

/** A fresh state of the same value, made through another route than the model's. */
const cloned = (state: State): State => structuredClone(state);

describe('plain, for any state', () => {
  it('loads over any other state exactly what was saved, order and sharing included', () => {
    fc.assert(
      fc.property(anyState, anyState, (saved, other) => {
        const snapshot = model.createSnapshot();
        const before = textOf(saved);
        snapshot.save(saved);
        expect(textOf(saved)).toBe(before);
        const live = cloned(other);
        snapshot.load(live);
        expect(textOf(live)).toBe(before);
        expect(model.hash(live)).toBe(snapshot.hash());
        // Back and forth in the same storage.
        const second = model.createSnapshot();
        second.save(other);
        second.load(live);
        expect(textOf(live)).toBe(textOf(other));
        snapshot.load(live);
        expect(textOf(live)).toBe(before);
      }),
      { numRuns: 400 },
    );
  });

  it('shares nothing: a snapshot is not moved by its state, nor one loaded state by another', () => {
    const ruin = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if (Array.isArray(value) || value instanceof Map || value instanceof Set) {
        for (const item of value instanceof Map ? [...value].flat() : [...value]) ruin(item);
        if (Array.isArray(value)) value.push('ruined');
        else value.clear();
      } else if (ArrayBuffer.isView(value)) {
        new Uint8Array(value.buffer).fill(0x55);
      } else {
        for (const item of Object.values(value)) ruin(item);
        Object.assign(value, { ruined: true });
      }
    };
    fc.assert(
      fc.property(anyState, (state) => {
        const live = cloned(state);
        const snapshot = model.createSnapshot();
        snapshot.save(live);
        const hash = snapshot.hash();
        ruin(live);
        const [one, two] = [model.create(), model.create()];
        snapshot.load(one);
        snapshot.load(two);
        ruin(one);
        expect(textOf(two)).toBe(textOf(state));
        expect(model.hash(two)).toBe(hash);
        snapshot.load(live);
        expect(textOf(live)).toBe(textOf(state));
      }),
      { numRuns: 200 },
    );
  });

  it('has one hash exactly for the states that diff finds the same', () => {
    const pair = fc.oneof(
      fc.tuple(anyState, anyState),
      fc.tuple(small, small),
      anyState.map((state) => [state, cloned(state)] as const),
      anyState.map((state) => [state, Object.fromEntries(Object.entries(cloned(state)).reverse())] as const),
    );
    let equal = 0;
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const same = model.hash(a) === model.hash(b);
        if (same) equal++;
        expect(model.diff(a, b).length === 0).toBe(same);
        expect(model.diff(b, a).length === 0).toBe(same);
      }),
      { numRuns: 600 },
    );
    expect(equal).toBeGreaterThan(100);
  });

  it('comes back from its bytes as it was, and any damage is refused or another whole state', () => {
    const damage = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.nat(3));
    let refused = 0;
    fc.assert(
      fc.property(anyState, anyState, damage, (state, other, [at, mask, kind]) => {
        const bytes = model.encode(state);
        const into = cloned(other);
        model.decode(bytes, into);
        expect(textOf(into)).toBe(textOf(state));
        const place = at % bytes.length;
        const bad = kind === 0 ? bytes.slice(0, place) : kind === 1 ? Uint8Array.of(...bytes, mask) : bytes.slice();
        if (kind > 1) bad[place] = bad[place] ^ mask;
        const live = cloned(other);
        try {
          model.decode(bad, live);
          expect(model.encode(live)).toEqual(bad);
        } catch (error) {
          expect(error).toBeInstanceOf(RiposteError);
          expect((error as RiposteError).code).toBe('bad-state');
          expect(textOf(live)).toBe(textOf(other));
          refused++;
        }
      }),
      { numRuns: 400 },
    );
    expect(refused).toBeGreaterThan(50);
  });

  it('refuses noise as an encoded state without harm', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
        const into = { kept: 1 };
        try {
          model.decode(Uint8Array.of(1, 9, ...noise), into);
          expect(model.encode(into)).toEqual(Uint8Array.of(1, 9, ...noise));
        } catch (error) {
          expect((error as RiposteError).code).toBe('bad-state');
          expect(into).toEqual({ kept: 1 });
        }
      }),
      { numRuns: 500 },
    );
  });
});
