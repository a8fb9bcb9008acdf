import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { buttons, bytes, defineGame, type Game, type Snapshot, type StateModel } from '@riposte/shared';
import jsnes, { type NES, type Saved } from 'jsnes';

/*
 * A console emulator that nobody here wrote, with a two-player ROM of its own package, as a game: the state is the
 * whole machine. Sound is off: its generators are outside what the machine saves.
 */

/** LJ65, a falling-block game for two (Damian Yerrick, free software). */
const ROM = readFileSync(createRequire(import.meta.url).resolve('jsnes/roms/lj65/lj65.nes')).toString('latin1');

/** In the order of jsnes's button numbers. */
const BUTTONS = ['a', 'b', 'select', 'start', 'up', 'down', 'left', 'right'] as const;
export const padInput = buttons(...BUTTONS);
export type Pad = ReturnType<typeof padInput.create>;

function create(): NES {
  const nes = new jsnes.NES({ emulateSound: false });
  nes.loadROM(ROM);
  return nes;
}

type Group = { readonly [name: string]: unknown };

function isGroup(value: unknown): value is Group {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Arrays of numbers, flags and holes; the machine takes zero for all that is missing. */
function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && typeof value[0] !== 'object';
}

/** What the machine saves, without the ROM, and with its tiles in use by their numbers instead of as live objects. */
function savedOf(nes: NES): Saved {
  const { romData: _, ppu, ...rest } = nes.toJSON();
  const { ptTile, scantile } = nes.ppu;
  const tilesInUse = Array.from(scantile, (tile) => (tile === undefined ? -1 : ptTile.indexOf(tile)));
  return { ...rest, ppu: { ...(isGroup(ppu) ? ppu : {}), scantile: tilesInUse } };
}

/** Copies all numbers into `words` and the single values into `singles`; returns the words in use. */
function pack(value: unknown, words: Int32Array, singles: unknown[], at = 0): number {
  if (isNumbers(value)) {
    // Engines copy these arrays, with their holes and flags, faster one by one than in bulk.
    for (let index = 0; index < value.length; index++) words[at + index] = value[index];
    return at + value.length;
  }
  if (typeof value !== 'object' || value === null) {
    singles.push(value);
    return at;
  }
  for (const part of Object.values(value)) at = pack(part, words, singles, at);
  return at;
}

/** The inverse of `pack`: fresh arrays and objects in the form of `like`. */
function unpack(like: unknown, words: Int32Array, singles: unknown[]): unknown {
  let at = 0;
  let single = 0;
  const next = (form: unknown): unknown => {
    if (isNumbers(form)) {
      const numbers = new Array<number>(form.length);
      for (let index = 0; index < numbers.length; index++) numbers[index] = words[at + index];
      at += numbers.length;
      return numbers;
    }
    if (Array.isArray(form)) return form.map(next);
    if (!isGroup(form)) return singles[single++];
    const group: Record<string, unknown> = {};
    for (const name in form) group[name] = next(form[name]);
    return group;
  };
  return next(like);
}

/** One machine's saved form, whose lengths all machines of this ROM share. */
const FORM = savedOf(create());
const WORDS = countNumbers(FORM);

function countNumbers(value: unknown): number {
  if (isNumbers(value)) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + countNumbers(part), 0);
}

/** The single values are text after the numbers; this is room enough for them. */
const SINGLES_BYTES = 8192;

function save(nes: NES, into: Uint8Array): number {
  if (into.length < WORDS * 4 + SINGLES_BYTES) return WORDS * 4 + SINGLES_BYTES;
  const singles: unknown[] = [];
  pack(savedOf(nes), new Int32Array(into.buffer, into.byteOffset, WORDS), singles);
  const { written } = new TextEncoder().encodeInto(JSON.stringify(singles), into.subarray(WORDS * 4));
  return WORDS * 4 + written;
}

function load(nes: NES, saved: Uint8Array): void {
  const words = new Int32Array(saved.buffer, saved.byteOffset, WORDS);
  const singles: unknown[] = JSON.parse(new TextDecoder().decode(saved.subarray(WORDS * 4)));
  restore(nes, unpack(FORM, words, singles) as Saved);
}

function restore(nes: NES, saved: Saved): void {
  nes.fromJSON({ ...saved, romData: ROM });
  const { ppu } = nes;
  ppu.scantile = ppu.scantile.map((tile) => ppu.ptTile[Number(tile)]);
}

/** The machine by value, as bytes. */
export const machineState = bytes<NES>({ create, save, load, sizeHint: WORDS * 4 + SINGLES_BYTES });

/** What one writes first: keeps what `toJSON` gave, which is the live memory itself. */
export const aliasedState: StateModel<NES> = {
  create,
  createSnapshot(): Snapshot<NES> {
    let kept = FORM;
    const held = create();
    return {
      save: (nes) => {
        kept = savedOf(nes);
      },
      load: (into) => restore(into, kept),
      hash: () => {
        restore(held, kept);
        return machineState.hash(held);
      },
    };
  },
  copy: (from, into) => restore(into, savedOf(from)),
  hash: (nes) => machineState.hash(nes),
  diff: (a, b) => machineState.diff(a, b),
  encode: (nes) => machineState.encode(nes),
  decode: (saved, into) => machineState.decode(saved, into),
  seed: (nes, seed) => machineState.seed(nes, seed),
};

/** Two players on one machine, whose state is kept by `state`. */
export function jsnesGame(state: StateModel<NES>): Game<NES, Pad> {
  return defineGame({
    id: 'jsnes-lj65',
    version: '1',
    tickRate: 60,
    players: 2,
    input: padInput,
    state,
    step(nes, inputs) {
      for (const controller of [1, 2] as const) {
        const pad = inputs[controller - 1];
        for (const [number, name] of BUTTONS.entries()) {
          if (pad?.[name]) nes.buttonDown(controller, number);
          else nes.buttonUp(controller, number);
        }
      }
      nes.frame();
    },
  });
}
