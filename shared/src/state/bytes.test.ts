import { describe, expect, it } from 'vitest';
import { RiposteError } from '../errors.js';
import { type BytesOptions, bytes } from './bytes.js';

interface Machine {
  memory: Uint8Array;
}

const machine = (size: number): Machine => ({ memory: new Uint8Array(size) });

const load = (state: Machine, saved: Uint8Array) => {
  if (saved[0] === 0xff) {
    state.memory = new Uint8Array(1);
    throw new Error('no such machine');
  }
  state.memory = saved.slice();
};

/** Both ways to save: into the array that is lent, and an array of its own, here the live one. */
const kinds: [string, BytesOptions<Machine>['save']][] = [
  [
    'writes and counts',
    ({ memory }, into) => {
      if (into.length >= memory.length) into.set(memory);
      return memory.length;
    },
  ],
  ['returns its own', ({ memory }) => memory],
];

describe.each(kinds)('bytes, whose save %s', (_name, save) => {
  const model = bytes<Machine>({ create: () => machine(5), save, load, sizeHint: 4, sizeMax: 2000 });

  it('keeps states of any length by value', () => {
    const state = model.create();
    const snapshots = [5, 0, 1, 1500, 7].map((size) => {
      state.memory = new Uint8Array(size).fill(size & 0x7f);
      const snapshot = model.createSnapshot();
      snapshot.save(machine(900));
      snapshot.save(state);
      expect(snapshot.hash()).toBe(model.hash(state));
      state.memory.fill(0x33);
      return { size, snapshot };
    });
    for (const { size, snapshot } of snapshots) {
      snapshot.load(state);
      expect(state.memory).toEqual(new Uint8Array(size).fill(size & 0x7f));
      state.memory.fill(0x44);
    }
    expect(new Set(snapshots.map(({ snapshot }) => snapshot.hash())).size).toBe(5);
  });

  it('hashes the length too, and nothing beyond it', () => {
    const hashes = [0, 1, 2, 3, 4, 5, 8].map((size) => model.hash(machine(size)));
    expect(new Set(hashes).size).toBe(7);
    const first = model.hash({ memory: Uint8Array.of(1, 2, 3, 4, 5) });
    model.hash({ memory: new Uint8Array(40).fill(9) });
    expect(model.hash({ memory: Uint8Array.of(1, 2, 3, 4, 5) })).toBe(first);
    // Fixed for good.
    expect(first.toString(16)).toBe('e7d76e10');
  });

  it('names differing ranges by their offsets, a bounded number of them', () => {
    const a = machine(0x200);
    const b = machine(0x204);
    b.memory.set([1, 2, 0, 4], 0x1f3);
    b.memory[0x10] = 0xab;
    expect(model.diff(a, b)).toEqual([
      { path: 'length', a: 0x200, b: 0x204 },
      { path: 'bytes[0x10]', a: '00', b: 'ab' },
      { path: 'bytes[0x1f3..0x1f6]', a: '00 00 00 00', b: '01 02 00 04' },
      { path: 'bytes[0x200..0x203]', a: '', b: '00 00 00 00' },
    ]);
    expect(model.diff(a, machine(0x200))).toEqual([]);
    const c = machine(1600);
    for (let at = 0; at < 1600; at += 8) c.memory[at] = 1;
    const many = model.diff(machine(1600), c);
    expect(many).toHaveLength(65);
    expect(many[64]?.path).toBe('bytes[0x200..0x638]');
    expect(many[64]?.a).toBe(`${Array(16).fill('00').join(' ')} ...`);
  });

  it('carries states as they are, and one that is refused leaves the state as it was', () => {
    const state = machine(0);
    model.decode(model.encode({ memory: Uint8Array.of(1, 2, 3) }), state);
    expect(state.memory).toEqual(Uint8Array.of(1, 2, 3));
    expect(() => model.decode(Uint8Array.of(0xff, 1), state)).toThrow('load refused 2 bytes of state: Error: no such');
    expect(() => model.decode(new Uint8Array(2001), state)).toThrow('2001 bytes; expected 0 to 2000');
    expect(state.memory).toEqual(Uint8Array.of(1, 2, 3));
    const snapshot = model.createSnapshot();
    snapshot.save(state);
    expect(() => snapshot.save(machine(5000))).toThrow(RiposteError);
    expect(snapshot.hash()).toBe(model.hash(state));
    const copy = machine(1);
    model.copy(state, copy);
    state.memory[0] = 9;
    expect(copy.memory).toEqual(Uint8Array.of(1, 2, 3));
  });
});

describe('bytes', () => {
  it('refuses functions and sizes that cannot be', () => {
    const create = () => machine(1);
    const save = () => 0;
    expect(() => bytes({ create, save } as never)).toThrow('no load function');
    expect(() => bytes({ create, save, load, sizeMax: 0 })).toThrow('sizeMax is 0');
    const code = (saved: unknown) => () => bytes({ create, save: () => saved as number, load }).hash(create());
    for (const saved of [-1, 0.5, Number.NaN, 'x', undefined, null]) expect(code(saved)).toThrow(RiposteError);
    let asked = 100;
    const greedy = bytes({ create, save: () => asked++ * 100, load });
    expect(() => greedy.hash(create())).toThrow('save asked for 10100 bytes after it was given 10000');
  });
});
