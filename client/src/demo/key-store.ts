import type { KeyBindings } from '../input/keyboard.js';
import { readStored, store } from './stored.js';

/** A line of the legend: what a button does, and the keys that press it. */
export interface KeyLegend {
  readonly action: string;
  readonly keys: string;
}

/** The keys of one player or of several at one keyboard, as a page shows and changes them. */
export interface KeySet {
  /** Who the players are. */
  readonly titles: readonly string[];
  legend(player: number): readonly KeyLegend[];
  /** Lets one key press the `action`th button of a player, instead of those before; returns why it cannot, or null. */
  rebind(player: number, action: number, code: string): string | null;
  /** Whether these are other keys than at first. */
  readonly isChanged: boolean;
  reset(): void;
}

/** Keys that the page or the browser needs, by `KeyboardEvent.code`: M is the sound's. */
const RESERVED = /^(Escape|Tab|KeyM|F\d+|(Control|Alt|Meta|OS)(Left|Right)|ContextMenu)$/;

const CODE = /^[A-Za-z0-9]{1,32}$/;
/** Keys of one button, in what is stored. */
const CODES_MAX = 4;

type Keys<N extends string> = Readonly<Record<N, readonly string[]>>;

/** One game's keys, remembered between visits. No key is bound twice among all players of a set. */
export class KeyStore<N extends string> implements KeySet {
  readonly titles: readonly string[];
  readonly #key: string;
  readonly #names: readonly N[];
  readonly #actions: Readonly<Record<N, string>>;
  readonly #first: readonly Keys<N>[];
  #players: readonly Keys<N>[];

  constructor(
    key: string,
    actions: Readonly<Record<N, string>>,
    players: readonly { readonly title: string; readonly keys: KeyBindings<N> }[],
  ) {
    this.#key = `riposte.keys.${key}`;
    // The actions are written as a literal: its keys are N.
    this.#names = Object.keys(actions) as N[];
    this.#actions = actions;
    this.titles = players.map(({ title }) => title);
    this.#first = players.map(({ keys }) => this.#record((name) => [keys[name]].flat()));
    this.#players = this.#read() ?? this.#first;
  }

  bindings(player: number): KeyBindings<N> {
    return this.#players[player]!;
  }

  legend(player: number): readonly KeyLegend[] {
    const keys = this.#players[player]!;
    return this.#names.map((name) => ({
      action: this.#actions[name],
      keys: keys[name].map(keyLabel).join(' or '),
    }));
  }

  rebind(player: number, action: number, code: string): string | null {
    const label = keyLabel(code);
    const name = this.#names[action]!;
    if (RESERVED.test(code)) return `${label} is a key of the page or the browser. Choose another.`;
    if (!CODE.test(code)) return 'This browser does not say which key that is. Choose another.';
    for (const [other, keys] of this.#players.entries()) {
      const taken = this.#names.find((each) => keys[each].includes(code) && (other !== player || each !== name));
      if (taken === undefined) continue;
      const whose = other === player ? '' : ` of the ${this.titles[other]?.toLowerCase()}`;
      return `${label} is “${this.#actions[taken]}”${whose} already. Choose another, or change that one first.`;
    }
    this.#players = this.#players.map((keys, each) => (each === player ? { ...keys, [name]: [code] } : keys));
    store(this.#key, JSON.stringify(this.#players));
    return null;
  }

  get isChanged(): boolean {
    return this.#players !== this.#first;
  }

  reset(): void {
    this.#players = this.#first;
    store(this.#key, null);
  }

  #record(codesOf: (name: N) => readonly string[]): Keys<N> {
    // Complete at once: every name gets its entry.
    return Object.fromEntries(this.#names.map((name) => [name, codesOf(name)])) as Record<N, readonly string[]>;
  }

  /** What was stored, if it fits the game as it is now. */
  #read(): readonly Keys<N>[] | undefined {
    const stored = parsed(readStored(this.#key));
    if (!Array.isArray(stored) || stored.length !== this.#first.length) return undefined;
    const seen = new Set<string>();
    const players: Keys<N>[] = [];
    for (const keys of stored) {
      if (typeof keys !== 'object' || keys === null) return undefined;
      for (const name of this.#names) {
        const codes: unknown = keys[name];
        if (!Array.isArray(codes) || codes.length === 0 || codes.length > CODES_MAX) return undefined;
        for (const code of codes) {
          if (typeof code !== 'string' || !CODE.test(code) || RESERVED.test(code) || seen.has(code)) return undefined;
          seen.add(code);
        }
      }
      players.push(this.#record((name) => keys[name]));
    }
    return players;
  }
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keys by the words on them; what is not here is named as its code says. */
const labels: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ShiftLeft: 'Left Shift',
  ShiftRight: 'Right Shift',
};

export function keyLabel(code: string): string {
  return labels[code] ?? code.replace(/^(Key|Digit)/, '').replace('Numpad', 'Num ');
}
