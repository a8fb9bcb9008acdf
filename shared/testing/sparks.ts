import { defineGame } from '../src/game/define-game.js';
import type { EffectEvent, EffectQueue, Fact } from '../src/rollback/effect-ledger.js';
import { mixer } from './mixer.js';

/**
 * The mixer, with effects and facts: some that depend on the whole past, so that every correction changes them, some on
 * the inputs of one frame, and some on nothing.
 */
export const sparks = defineGame({
  ...mixer,
  id: 'sparks',
  step(state, inputs, ctx) {
    mixer.step(state, inputs, ctx);
    const bits = state.hash;
    for (let spark = 0; spark < (bits & 3); spark++) ctx.effect('spark', { at: [(bits >>> 8) & 3, spark] });
    if ((bits & 4) !== 0) ctx.effect('sound', undefined, (bits & 8) !== 0 ? 'left' : 'right');
    for (let player = 0; player < inputs.length; player++) {
      if (inputs[player]!.a) ctx.effect('punch', player, player);
    }
    if (ctx.frame % 5 === 0) ctx.effect('tick');
    if ((bits & 0x30) === 0) ctx.fact('point', { to: (bits >>> 6) & 1, count: state.counts[0]! });
    if (ctx.frame % 9 === 0) ctx.fact('lap', ctx.frame);
  },
});

/** What a final effect is known by. */
export const named = ({ kind, key, data, frame }: EffectEvent) => ({ kind, key, data, frame });

/** Listens like a page, and holds every event to the rules. */
export class Witness {
  readonly finals: ReturnType<typeof named>[] = [];
  readonly facts: Fact[] = [];
  readonly playing = new Map<number, EffectEvent>();
  /** The events of the last `poll`, as one word each. */
  last: string[] = [];
  starts = 0;
  cancels = 0;
  readonly #ended = new Set<number>();

  poll(queue: EffectQueue): void {
    this.last = [];
    for (let event = queue.pollEffect(); event !== undefined; event = queue.pollEffect()) this.hear(event);
    for (let fact = queue.pollFact(); fact !== undefined; fact = queue.pollFact()) {
      this.last.push(`fact ${fact.kind}@${fact.frame}`);
      this.facts.push(fact);
    }
  }

  readonly hear = (event: EffectEvent): void => {
    const { id, phase, kind, frame } = event;
    this.last.push(`${phase} ${kind}@${frame}`);
    const before = this.playing.get(id);
    if (phase === 'start') {
      if (before !== undefined || this.#ended.has(id)) throw new Error(`effect ${id} started twice`);
      this.starts++;
      this.playing.set(id, event);
      return;
    }
    if (before === undefined) throw new Error(`${phase} of effect ${id}, which does not play`);
    this.playing.delete(id);
    this.#ended.add(id);
    if (phase === 'cancel') this.cancels++;
    else this.finals.push(named(event));
  };
}
