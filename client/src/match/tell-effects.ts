import type { EffectQueue } from '@riposte/shared';
import { tell } from '../listeners.js';
import type { EffectListeners } from './match.js';

/**
 * Tells the page what the game emitted since the last tick: cancels, starts and finals, then facts. `isLast` when the
 * match ends here. Also where nobody listens: the recording does. A listener may throw, or end the match, which calls this again: each event is told once all the same.
 */
export function tellEffects(
  source: { collectEffects(isLast?: boolean): EffectQueue | undefined } | undefined,
  { onEffect, onFact }: EffectListeners,
  isLast = false,
): void {
  const queue = source?.collectEffects(isLast);
  if (queue === undefined) return;
  for (let effect = queue.pollEffect(); effect !== undefined; effect = queue.pollEffect()) tell(onEffect, effect);
  for (let fact = queue.pollFact(); fact !== undefined; fact = queue.pollFact()) tell(onFact, fact);
}
