import { RiposteError } from '../errors.js';
import type { InputModel } from './model.js';
import type { Predictor } from './predictor.js';

/** A button: up or down, one bit. */
export interface ButtonControl {
  readonly control: 'button';
}

/** A stick's axis or a trigger: an integer from `-steps` to `steps`. */
export interface AxisControl {
  readonly control: 'axis';
  readonly steps: number;
}

export interface Controls {
  readonly [name: string]: ButtonControl | AxisControl;
}

type ControlValue<C> = C extends ButtonControl ? boolean : number;

/** What one player does in one frame. */
export type ControlsValue<C> = { readonly [name in keyof C]: ControlValue<C[name]> };

/** Which of the named buttons are held. */
export type Buttons<N extends string> = ControlsValue<{ readonly [name in N]: ButtonControl }>;

const STEPS_MAX = 32_767;
const WORDS_MAX = 8;

export const button: ButtonControl = { control: 'button' };

/** Throws `bad-game` unless `steps` is an integer from 1 to 32,767. Few steps make small packets: 7 fill four bits. */
export function axis(steps: number): AxisControl {
  if (!Number.isInteger(steps) || steps < 1 || steps > STEPS_MAX) {
    throw new RiposteError(
      'bad-game',
      `an axis has ${String(steps)} steps; expected an integer from 1 to ${STEPS_MAX}`,
    );
  }
  return { control: 'axis', steps };
}

/**
 * A device's reading, -1 to 1, as a step of an axis: 0 inside `deadZone`, then evenly up to `steps` at the rim. What
 * is no number is 0.
 */
export function quantizeAxis(reading: number, steps: number, deadZone = 0.15): number {
  const size = Math.min(1, Math.abs(reading));
  if (!(size > deadZone)) return 0;
  return Math.sign(reading) * Math.round(((size - deadZone) / (1 - deadZone)) * steps);
}

/** Where a control lies in an input's words. */
interface Place {
  readonly name: string;
  readonly word: number;
  readonly shift: number;
  readonly bits: number;
  /** 0 for a button. */
  readonly steps: number;
}

function placesOf(controls: Controls): Place[] {
  const places: Place[] = [];
  let word = 0;
  let shift = 0;
  for (const [name, control] of Object.entries(controls)) {
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name) || name in Object.prototype || name === 'toJSON') {
      throw new RiposteError('bad-game', `control "${name}" cannot be a name; expected letters, digits and _`);
    }
    const steps = control.control === 'axis' ? control.steps : 0;
    // A sign and enough bits for `steps`.
    const bits = steps === 0 ? 1 : 33 - Math.clz32(steps);
    if (shift + bits > 32) {
      word++;
      shift = 0;
    }
    places.push({ name, word, shift, bits, steps });
    shift += bits;
  }
  if (places.length === 0) throw new RiposteError('bad-game', 'no controls; expected at least one');
  if (word >= WORDS_MAX)
    throw new RiposteError('bad-game', `the controls fill ${word + 1} words; expected at most ${WORDS_MAX}`);
  return places;
}

/** What the game reads: accessors made from the controls, over the words of the frame. */
class Reader {
  /** The first word, which is all there is for most games, and the others. */
  $first = 0;
  readonly $rest: Int32Array;

  constructor(words: number) {
    this.$rest = new Int32Array(words - 1);
  }

  toJSON(): Record<string, unknown> {
    const plain: Record<string, unknown> = {};
    for (const name in this) if (!name.startsWith('$')) plain[name] = this[name];
    return plain;
  }
}

function getterOf({ word, shift, bits, steps }: Place): (this: Reader) => boolean | number {
  if (steps === 0) {
    const mask = 1 << shift;
    if (word === 0)
      return function () {
        return (this.$first & mask) !== 0;
      };
    return function () {
      return (this.$rest[word - 1]! & mask) !== 0;
    };
  }
  const up = 32 - bits - shift;
  const down = 32 - bits;
  // Bits from a peer may lie beyond the last step either way: they read as that step, on every machine.
  if (word === 0)
    return function () {
      return Math.min(steps, Math.max(-steps, (this.$first << up) >> down));
    };
  return function () {
    return Math.min(steps, Math.max(-steps, (this.$rest[word - 1]! << up) >> down));
  };
}

/** An input model of named buttons and axes. */
export class ControlsModel<V> implements InputModel<V> {
  readonly words: number;
  readonly bits: number;
  readonly neutral: readonly number[];
  readonly #controls: Controls;
  readonly #places: readonly Place[];
  readonly #byName: ReadonlyMap<string, Place>;
  readonly #Reader: new (
    words: number,
  ) => Reader;
  readonly #scratch: Int32Array;
  /** The bits of each word that are buttons. */
  readonly #buttonBits: Int32Array;

  constructor(controls: Controls, neutral: { readonly [name: string]: unknown } = {}) {
    this.#controls = controls;
    this.#places = placesOf(controls);
    this.#byName = new Map(this.#places.map((place) => [place.name, place]));
    const last = this.#places.at(-1)!;
    this.words = last.word + 1;
    this.bits = last.word * 32 + last.shift + last.bits;
    this.#scratch = new Int32Array(this.words);
    this.#buttonBits = new Int32Array(this.words);
    for (const { word, shift, steps } of this.#places) {
      if (steps === 0) this.#buttonBits[word] = this.#buttonBits[word]! | (1 << shift);
    }
    this.neutral = new Array<number>(this.words).fill(0);
    this.#encodeInto(neutral, this.#scratch);
    this.neutral = [...this.#scratch];
    const ControlsReader = class extends Reader {};
    for (const place of this.#places) {
      Object.defineProperty(ControlsReader.prototype, place.name, { get: getterOf(place), enumerable: true });
    }
    this.#Reader = ControlsReader;
  }

  /** The same controls with another neutral input: what is not named in it is up, or 0. */
  withNeutral(neutral: Partial<V>): ControlsModel<V> {
    return new ControlsModel(this.#controls, { ...neutral });
  }

  create(): V {
    // The getters are made from the controls that V is inferred from: the compiler cannot follow that.
    const reader = new this.#Reader(this.words) as Reader & V;
    this.decode(Int32Array.from(this.neutral), 0, reader);
    return reader;
  }

  encode(value: Partial<V>, into: Int32Array, at: number): void {
    if (value instanceof this.#Reader) {
      into[at] = value.$first;
      for (let word = 1; word < this.words; word++) into[at + word] = value.$rest[word - 1]!;
      return;
    }
    if (typeof value !== 'object' || value === null) {
      throw new RiposteError('bad-input', `the input is ${String(value)}; expected an object of ${this.#names()}`);
    }
    this.#encodeInto({ ...value }, this.#scratch);
    for (let word = 0; word < this.words; word++) into[at + word] = this.#scratch[word]!;
  }

  #encodeInto(value: { readonly [name: string]: unknown }, into: Int32Array): void {
    into.set(this.neutral);
    for (const name in value) {
      const place = this.#byName.get(name);
      if (place === undefined) {
        throw new RiposteError('bad-input', `the input has "${name}"; expected ${this.#names()}`);
      }
      const given = value[name];
      if (given === undefined) continue;
      const mask = place.bits === 32 ? -1 : ((1 << place.bits) - 1) << place.shift;
      into[place.word] = (into[place.word]! & ~mask) | ((numberOf(place, given) << place.shift) & mask);
    }
  }

  #names(): string {
    return this.#places.map(({ name }) => name).join(', ');
  }

  decode(from: Int32Array, at: number, into: V): void {
    if (!(into instanceof Reader)) return;
    into.$first = from[at]!;
    for (let word = 1; word < this.words; word++) into.$rest[word - 1] = from[at + word]!;
  }

  merge(placed: Int32Array, earlier: Int32Array, later: Int32Array, into: Int32Array): void {
    for (let word = 0; word < this.words; word++) {
      const before = placed[word]!;
      const differs = (earlier[word]! ^ before) | (later[word]! ^ before);
      const isButton = this.#buttonBits[word]!;
      into[word] = ((before ^ differs) & isButton) | (later[word]! & ~isButton);
    }
  }

  describe(words: Int32Array, at: number): string {
    const reader = this.create();
    this.decode(words, at, reader);
    const parts: string[] = [];
    for (const [name, value] of Object.entries(JSON.parse(JSON.stringify(reader)))) {
      if (value === true) parts.push(name);
      else if (value !== false && value !== 0) parts.push(`${name}:${String(value)}`);
    }
    return parts.length === 0 ? '-' : parts.join('+');
  }

  /**
   * A predictor that chooses for each control: `repeat` what was last confirmed (the default), or `neutral`, for
   * what is tapped rather than held. Throws `bad-argument` for a control that is not there.
   */
  predictor(choices: { readonly [name in keyof V]?: 'repeat' | 'neutral' }): Predictor {
    const kept = new Int32Array(this.words).fill(-1);
    for (const name in choices) {
      const place = this.#byName.get(name);
      if (place === undefined)
        throw new RiposteError('bad-argument', `no control "${name}"; expected ${this.#names()}`);
      if (choices[name] === 'neutral') kept[place.word] = kept[place.word]! & ~(((1 << place.bits) - 1) << place.shift);
    }
    const neutral = this.neutral;
    return (last, lastAt, _age, into, at, words) => {
      for (let word = 0; word < words; word++) {
        into[at + word] = (last[lastAt + word]! & kept[word]!) | (neutral[word]! & ~kept[word]!);
      }
    };
  }
}

function numberOf({ name, steps }: Place, given: unknown): number {
  if (steps === 0) {
    if (typeof given === 'boolean') return given ? 1 : 0;
    throw new RiposteError('bad-input', `button "${name}" is ${String(given)}; expected true or false`);
  }
  if (typeof given === 'number' && Number.isInteger(given) && given >= -steps && given <= steps) return given;
  throw new RiposteError(
    'bad-input',
    `axis "${name}" is ${String(given)}; expected an integer from ${-steps} to ${steps}`,
  );
}

/** Named buttons and axes in any mix: `controls({ jump: button, x: axis(7), y: axis(7) })`. Throws `bad-game`. */
export function controls<const C extends Controls>(parts: C): ControlsModel<ControlsValue<C>> {
  return new ControlsModel(parts);
}

/** Named buttons, each up or down; neutral is all up. Throws `bad-game` for doubled or unusable names. */
export function buttons<const N extends string>(...names: N[]): ControlsModel<Buttons<N>> {
  if (new Set(names).size !== names.length)
    throw new RiposteError('bad-game', `a button is named twice: ${names.join(', ')}`);
  return new ControlsModel(Object.fromEntries(names.map((name) => [name, button])));
}
