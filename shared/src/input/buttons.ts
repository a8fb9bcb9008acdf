import { RiposteError } from '../errors.js';
import type { InputModel } from './model.js';

/** Which of the named buttons are held. */
export type Buttons<N extends string> = { readonly [name in N]: boolean };

class ButtonsReader {
  $held = 0;

  toJSON(): string[] {
    const held: string[] = [];
    for (const name in this) if (!name.startsWith('$') && this[name] === true) held.push(name);
    return held;
  }
}

class ButtonsModel<N extends string> implements InputModel<Buttons<N>> {
  readonly words = 1;
  readonly bits: number;
  readonly neutral = [0];
  readonly #names: readonly N[];
  readonly #Reader: typeof ButtonsReader;
  readonly #masks: ReadonlyMap<string, number>;

  constructor(names: readonly N[]) {
    this.#names = names;
    this.bits = names.length;
    this.#masks = new Map(names.map((name, bit) => [name, 1 << bit]));
    this.#Reader = class extends ButtonsReader {};
    for (const [name, mask] of this.#masks) {
      Object.defineProperty(this.#Reader.prototype, name, {
        get(this: ButtonsReader) {
          return (this.$held & mask) !== 0;
        },
        enumerable: true,
      });
    }
  }

  create(): Buttons<N> {
    // The getters are made from the names that N is inferred from: the compiler cannot follow that.
    return new this.#Reader() as ButtonsReader & Buttons<N>;
  }

  encode(value: Partial<Buttons<N>>, into: Int32Array, at: number): void {
    if (value instanceof this.#Reader) {
      into[at] = value.$held;
      return;
    }
    if (typeof value !== 'object' || value === null) {
      throw new RiposteError(
        'bad-input',
        `the input is ${String(value)}; expected an object of ${this.#names.join(', ')}`,
      );
    }
    let held = 0;
    for (const name in value) {
      const mask = this.#masks.get(name);
      const pressed: unknown = value[name];
      if (mask === undefined) {
        throw new RiposteError('bad-input', `the input has "${name}"; expected ${this.#names.join(', ')}`);
      }
      if (typeof pressed !== 'boolean' && pressed !== undefined) {
        throw new RiposteError('bad-input', `button "${name}" is ${String(pressed)}; expected true or false`);
      }
      if (pressed) held |= mask;
    }
    into[at] = held;
  }

  decode(from: Int32Array, at: number, into: Buttons<N>): void {
    if (into instanceof ButtonsReader) into.$held = from[at]!;
  }

  describe(words: Int32Array, at: number): string {
    const held = this.#names.filter((_, bit) => ((words[at]! >> bit) & 1) !== 0);
    return held.length === 0 ? '-' : held.join('+');
  }
}

/** Up to 32 named buttons, each up or down; neutral is all up. Throws `bad-game` for doubled or unusable names. */
export function buttons<const N extends string>(...names: N[]): InputModel<Buttons<N>> {
  if (names.length < 1 || names.length > 32) {
    throw new RiposteError('bad-game', `${names.length} buttons; expected 1 to 32`);
  }
  for (const name of names) {
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name) || name in Object.prototype || name === 'toJSON') {
      throw new RiposteError('bad-game', `button "${name}" cannot be a name; expected letters, digits and _`);
    }
  }
  if (new Set(names).size !== names.length)
    throw new RiposteError('bad-game', `a button is named twice: ${names.join(', ')}`);
  return new ButtonsModel(names);
}
