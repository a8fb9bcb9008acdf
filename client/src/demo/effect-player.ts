import type { EffectEvent } from '@riposte/shared';

/** Which of two players an effect is of, as its data say; undefined for one of both or of nobody. */
export function playerOf({ data }: Pick<EffectEvent, 'data'>): 0 | 1 | undefined {
  if (typeof data !== 'object' || data === null || !('player' in data)) return undefined;
  const { player } = data;
  return player === 0 || player === 1 ? player : undefined;
}
