import { RollbackSim } from '@riposte/shared';
import { keep } from '../measure.js';
import { pressedIn } from '../scatter-game.js';
import { type Contestant, DEPTH, game } from './contest.js';
import { PLAYERS, wordsOf } from './fields.js';

/**
 * `RollbackSim` as `Session` drives it: inputs put as words, one settled rollback a tick, every confirmed frame
 * hashed. The state is the struct, accessors and all. Left out: the wire.
 */
export function riposte(): Contestant {
  const sim = new RollbackSim(game, { maxPrediction: DEPTH });
  const words = new Int32Array(1);
  let hashed = -1;
  const put = (player: number, frame: number): void => {
    words[0] = pressedIn(frame, player);
    sim.putInput(player, frame, words, 0);
  };
  const step = (): void => {
    sim.advance();
    for (const confirmed = sim.confirmedFrame; hashed < confirmed; ) keep(sim.hashAt(++hashed + 1));
  };
  return {
    advance(frame) {
      put(0, frame);
      if (frame >= DEPTH) for (let player = 1; player < PLAYERS; player++) put(player, frame - DEPTH);
      step();
    },
    finish(frame) {
      put(0, frame);
      for (let late = frame - DEPTH; late <= frame; late++) put(1, late);
      step();
      return wordsOf(sim.state);
    },
    resimulatedFrames: () => sim.stats.resimulatedFrames,
  };
}
