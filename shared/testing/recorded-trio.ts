import type { Game } from '../src/game/game.js';
import { RecordingWriter } from '../src/recording/writer.js';
import { RollbackSim } from '../src/rollback/sim.js';

/** A player is not there in these frames; without `until` to the end. */
export interface Absence {
  readonly player: number;
  readonly from: number;
  readonly until?: number;
}

const PLAYERS = 3;

/** The recording of a match of three, from frame `firstFrame` on. */
export function trioWriter({ id, version }: Game<unknown, unknown>, firstFrame = 0): RecordingWriter {
  return new RecordingWriter({
    gameId: id,
    gameVersion: version,
    tickRate: 60,
    players: PLAYERS,
    inputWords: 1,
    seed: 3,
    settings: {},
    inputDelays: [0, 0, 0],
    names: ['Ada', 'Bo', 'Cy'],
    recordedBy: 0,
    engine: 'test',
    firstFrame,
  });
}

/** Plays `frames` frames of it; `before` and `after` are told each of them, with what was pressed. */
export function playTrio<S, I>(
  game: Game<S, I>,
  frames: number,
  absences: readonly Absence[],
  before: (sim: RollbackSim<S, I>, frame: number) => void,
  after: (sim: RollbackSim<S, I>, frame: number, words: Int32Array) => void,
  history?: number,
): void {
  const sim = new RollbackSim(game, { seed: 3, ...(history !== undefined && { history }) });
  const words = new Int32Array(PLAYERS);
  for (let frame = 0; frame < frames; frame++) {
    before(sim, frame);
    for (const { player, from, until } of absences) {
      if (frame === from) sim.disconnect(player, frame);
      if (frame === until) sim.admit(player, frame);
    }
    for (let player = 0; player < PLAYERS; player++) {
      words[player] = sim.isGone(player, frame) ? 0 : ((frame >> 2) * 5 + player) & 7;
      if (!sim.isGone(player, frame)) sim.putInput(player, frame, words, player);
    }
    sim.advance();
    after(sim, frame, words);
  }
}
