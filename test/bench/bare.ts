import { hashWords } from '@riposte/shared';
import type { Work } from './measure.js';
import { bareStep, pressedIn } from './scatter-game.js';

/** States that are kept, by the sim and by hand. */
export const RING = 128;

/** The same saves, steps and hashes in one loop over typed arrays. */
export function bareWork(players: number, bytes: number, depth: number): Work {
  const words = bytes / 4;
  const state = new Int32Array(words);
  const ring = Array.from({ length: RING }, () => new Int32Array(words));
  const pressed = new Int32Array(RING * players);
  let next = 0;
  const simulate = (frame: number): void => {
    bareStep(state, pressed, (frame & (RING - 1)) * players, players);
    const slot = ring[(frame + 1) & (RING - 1)]!;
    if (words > 16) slot.set(state);
    else for (let word = 0; word < words; word++) slot[word] = state[word]!;
  };
  return (count) => {
    let mixed = 0;
    for (let done = 0; done < count; done++) {
      const frame = next++;
      const at = (frame & (RING - 1)) * players;
      for (let player = 0; player < players; player++) pressed[at + player] = player === 0 ? pressedIn(frame, 0) : 0;
      const late = frame - depth;
      for (let player = 1; player < players && late >= 0; player++) {
        pressed[(late & (RING - 1)) * players + player] = pressedIn(late, player);
      }
      if (depth > 0 && late >= 0) {
        const slot = ring[late & (RING - 1)]!;
        if (words > 16) state.set(slot);
        else for (let word = 0; word < words; word++) state[word] = slot[word]!;
        for (let again = late; again < frame; again++) simulate(again);
      }
      simulate(frame);
      if (late >= 0) mixed ^= hashWords(ring[(late + 1) & (RING - 1)]!, 0, words);
    }
    return mixed;
  };
}
