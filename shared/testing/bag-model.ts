import type { Game } from '../src/game/game.js';
import { buttons } from '../src/input/controls.js';
import { hashWords } from '../src/state/hash.js';
import type { StateModel } from '../src/state/model.js';

/** A state of any keys. */
export interface Bag {
  [key: string]: unknown;
}

function sortedText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** A state of plain keys, kept by whatever `save` and `load` do: right as they stand here, wrong in the controls below. */
export function bagModel(
  initial: () => Bag,
  save: (live: Bag) => Bag = (live) => structuredClone(live),
  load: (saved: Bag, live: Bag) => void = (saved, live) => {
    for (const key in live) delete live[key];
    Object.assign(live, structuredClone(saved));
  },
): StateModel<Bag> {
  const hash = (bag: Bag) => {
    const text = sortedText(bag);
    return hashWords(
      Int32Array.from(text, (letter) => letter.charCodeAt(0)),
      0,
      text.length,
    );
  };
  return {
    create: initial,
    createSnapshot() {
      let saved: Bag = {};
      return {
        save(live) {
          saved = save(live);
        },
        load: (into) => load(saved, into),
        hash: () => hash(saved),
      };
    },
    copy: (from, into) => load(from, into),
    hash,
    diff(a, b) {
      const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
      return keys.flatMap((path) =>
        sortedText({ of: a[path] }) === sortedText({ of: b[path] }) ? [] : [{ path, a: a[path], b: b[path] }],
      );
    },
    encode: () => new Uint8Array(),
    decode() {},
    seed() {},
  };
}

/** A game of one player over such a state. */
export function bagGame(model: StateModel<Bag>, step: (bag: Bag, frame: number) => void): Game<Bag, unknown> {
  return {
    id: 'bag',
    version: '1',
    tickRate: 60,
    players: 1,
    input: buttons('a'),
    state: model,
    step: (bag, _inputs, { frame }) => step(bag, frame),
  };
}
