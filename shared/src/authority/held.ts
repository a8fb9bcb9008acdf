import type { FieldDifference, Snapshot, StateModel } from '../state/model.js';

/** A place that holds a state: a simulation changes what it has in place, and a number can only be replaced. */
export interface Held<S> {
  value: S;
}

/** The states of another model, each in its place. */
export class HeldModel<S> implements StateModel<Held<S>> {
  readonly #model: StateModel<S>;

  constructor(model: StateModel<S>) {
    this.#model = model;
  }

  create(): Held<S> {
    return { value: this.#model.create() };
  }

  createSnapshot(): Snapshot<Held<S>> {
    const snapshot = this.#model.createSnapshot();
    return {
      save: ({ value }) => snapshot.save(value),
      load: ({ value }) => snapshot.load(value),
      hash: () => snapshot.hash(),
    };
  }

  copy(from: Held<S>, into: Held<S>): void {
    this.#model.copy(from.value, into.value);
  }

  hash({ value }: Held<S>): number {
    return this.#model.hash(value);
  }

  diff(a: Held<S>, b: Held<S>): FieldDifference[] {
    return this.#model.diff(a.value, b.value);
  }

  encode({ value }: Held<S>): Uint8Array {
    return this.#model.encode(value);
  }

  decode(bytes: Uint8Array, { value }: Held<S>): void {
    this.#model.decode(bytes, value);
  }

  seed({ value }: Held<S>, seed: number): void {
    this.#model.seed(value, seed);
  }
}
