import { replay } from '@riposte/shared';
import { pressedIn, scatterGame } from '../scatter-game.js';
import { PLAYERS, WORDS, wordsOf } from './fields.js';

/** The past frame that every engine goes back to, each frame. */
export const DEPTH = 8;

export const game = scatterGame(PLAYERS, WORDS * 4);

const PROOF_FRAMES = 2000;
/** So many of the frames that could be simulated again must have been: next to every prediction is wrong. */
const RESIMULATED_MIN = 0.99;

/** One peer of a match, at player 0; player 1's inputs arrive `DEPTH` frames late, and never as predicted. */
export interface Contestant {
  /**
   * One frame: the local input for it, the remote one for `DEPTH` frames ago (none yet in the first frames), the
   * rollback that it causes, and the step.
   */
  advance(frame: number): void;
  /** Brings in every remote input up to `frame` and advances by it: a state without predictions, as the struct's words. */
  finish(frame: number): Int32Array;
  /** Frames that were simulated more than once, each time counted. */
  resimulatedFrames(): number;
}

/** Throws unless the engine rolled back as asked and holds the state that a plain replay of all inputs ends in. */
function prove(name: string, contestant: Contestant): void {
  for (let frame = 0; frame < PROOF_FRAMES; frame++) contestant.advance(frame);
  const possible = (PROOF_FRAMES - DEPTH) * DEPTH;
  const resimulated = contestant.resimulatedFrames();
  if (resimulated < possible * RESIMULATED_MIN || resimulated > possible) {
    throw new Error(`${name} simulated ${resimulated} frames again; expected ${possible} or next to it`);
  }
  const words = new Int32Array(1);
  const inputs = Array.from({ length: PROOF_FRAMES + 1 }, (_, frame) =>
    Array.from({ length: PLAYERS }, (_, player) => {
      words[0] = pressedIn(frame, player);
      const input = game.input.create();
      game.input.decode(words, 0, input);
      return input;
    }),
  );
  const expected = wordsOf(replay(game, inputs)).join();
  const actual = contestant.finish(PROOF_FRAMES).join();
  if (actual !== expected) throw new Error(`${name} ends in ${actual}; a replay of the inputs in ${expected}`);
}

/** Proves the engine right; returns what runs frames of another one of it. */
export function contest(name: string, create: () => Contestant): (frames: number) => void {
  prove(name, create());
  const contestant = create();
  let next = 0;
  return (frames) => {
    for (let done = 0; done < frames; done++) contestant.advance(next++);
  };
}
