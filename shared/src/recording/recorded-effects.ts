import type { EffectEvent, EffectQueue, Fact } from '../rollback/effect-ledger.js';
import type { EventLog } from './event-log.js';

/** Passes on what a match emitted, and writes down in its recording what it was. */
export class RecordedEffects implements EffectQueue {
  readonly #log: EventLog;
  #queue: EffectQueue | undefined;
  #head = -1;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Goes on with what was collected after the frame `head`, the last that is simulated. */
  of(queue: EffectQueue, head: number): EffectQueue {
    this.#queue = queue;
    this.#head = head;
    return this;
  }

  pollEffect(): EffectEvent | undefined {
    const effect = this.#queue?.pollEffect();
    // What is not cancelled becomes final by itself.
    if (effect !== undefined && effect.phase !== 'final') {
      this.#log.effect(this.#head, effect.kind, effect.phase, effect.frame);
    }
    return effect;
  }

  pollFact(): Fact | undefined {
    const fact = this.#queue?.pollFact();
    if (fact !== undefined) this.#log.fact(this.#head, fact.kind, fact.frame);
    return fact;
  }
}
