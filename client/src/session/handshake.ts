import type { Hello } from '@riposte/shared/protocol';

/** Why two peers cannot play: a stable code, and a sentence that makes sense on both sides. */
export interface Refusal {
  readonly code: 'wire' | 'game' | 'version' | 'settings' | 'seats';
  readonly message: string;
}

/** What does not fit between two hellos; undefined when the match can start. The same on both sides. */
export function refusalOf(one: Hello, other: Hello): Refusal | undefined {
  const [first, second] = one.player <= other.player ? [one, other] : [other, one];
  if (first.wire !== second.wire) {
    return {
      code: 'wire',
      message: `The two players run different releases of Riposte (wire versions ${first.wire} and ${second.wire}): reload both pages.`,
    };
  }
  if (first.game !== second.game) {
    return {
      code: 'game',
      message: `The two players opened different games (${first.game} and ${second.game}): open the same one.`,
    };
  }
  if (first.version !== second.version || first.tickRate !== second.tickRate || first.inputBits !== second.inputBits) {
    return {
      code: 'version',
      message: `The two players have different versions of ${first.game} (${first.version} and ${second.version}): reload both pages.`,
    };
  }
  if (first.player === second.player) {
    return { code: 'seats', message: 'Both players were given the same seat: create a new match.' };
  }
  if (first.settings !== null && second.settings !== null && !equalSettings(first.settings, second.settings)) {
    return {
      code: 'settings',
      message: 'The two players chose different settings: agree on them, and create a new match.',
    };
  }
  return undefined;
}

function equalSettings(a: NonNullable<Hello['settings']>, b: NonNullable<Hello['settings']>): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => Object.is(a[name], b[name]));
}
