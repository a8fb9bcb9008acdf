import type { EffectQueue, EventLog } from '@riposte/shared';
import type { PredictedMatch } from './predicted-match.js';

/**
 * Takes down, in the recording of a client, what happens beside the proven frames. Where an event is about the
 * connection, it has the number of the recording player: there is but the one to the authority.
 */
export class EventRecorder<S, I> {
  readonly #match: PredictedMatch<S, I>;
  readonly #log: EventLog;
  #ticks = 0;

  constructor(match: PredictedMatch<S, I>, log: EventLog) {
    this.#match = match;
    this.#log = log;
    const { sim, meter } = match;
    log.worksFrom(sim.stats.resimulatedFrames, meter);
    sim.onRollback = log.rollback;
    meter.onCorrection = (size, frame) => log.correction(sim.lastFrame(), size, frame);
  }

  /**
   * A tick is over, at a prediction of at most `window` frames. Once a second also takes samples; `rttMs` is NaN while it
   * is not known.
   */
  tick(advanced: boolean, inputDelay: number, rttMs: number, window: number): void {
    const { sim } = this.#match;
    this.#log.tick(sim.lastFrame(), advanced, inputDelay);
    if (++this.#ticks % sim.game.tickRate === 0) this.#sample(rttMs, window);
  }

  #sample(rttMs: number, window: number): void {
    const { sim, meter, begin, reader } = this.#match;
    const head = sim.lastFrame();
    const predicted = Math.max(0, head + 1 - reader.held);
    const speed = Number.isNaN(meter.pace.newest) ? 1 : meter.pace.newest;
    if (!Number.isNaN(rttMs)) this.#log.sample(head, begin.player, rttMs, speed, predicted);
    this.#log.work(head, predicted, window, sim.stats.resimulatedFrames, meter);
  }

  /** The authority is heard again, or silent. */
  link(isUp: boolean): void {
    this.#log.link(this.#match.sim.lastFrame(), this.#match.begin.player, isUp);
  }

  /** The same queue, of which each effect and fact is taken down as it is polled. */
  passOn(queue: EffectQueue): EffectQueue {
    return this.#log.passOn(this.#match.sim.lastFrame(), queue);
  }
}
