import type { Apply } from '../src/authority/state-face.js';
import type { StateModel } from '../src/state/model.js';

/** What an authority sends: its state after all inputs up to `sequence`, at `frame`. */
export interface Update {
  readonly sequence: number;
  readonly frame: number;
  readonly bytes: Uint8Array;
}

/** A server that has the last word, in a few lines that share nothing with the prediction but the game. */
export class Authority<S, I> {
  readonly #model: StateModel<S>;
  readonly #apply: Apply<S, I>;
  readonly #advance: (state: S) => void;
  readonly state: S;
  frame = 0;
  sequence = 0;

  /** `advance` is what happens in a frame without any input. */
  constructor(model: StateModel<S>, apply: Apply<S, I>, advance: (state: S) => void = () => {}) {
    this.#model = model;
    this.#apply = apply;
    this.#advance = advance;
    this.state = model.create();
  }

  /** Takes an input unless it, or a later one, was taken before. */
  receive(sequence: number, input: I): void {
    if (sequence <= this.sequence) return;
    this.#apply(this.state, input);
    this.sequence = sequence;
  }

  tick(): void {
    this.#advance(this.state);
    this.frame++;
  }

  update(): Update {
    return { sequence: this.sequence, frame: this.frame, bytes: this.#model.encode(this.state) };
  }
}

/** The state of an update, as a client reads it from the wire. */
export function stateOf<S>(model: StateModel<S>, { bytes }: Update): S {
  const state = model.create();
  model.decode(bytes, state);
  return state;
}
