import { type Game, RecordingWriter } from '@riposte/shared';
import type { Agreed } from '../session/handshake.js';
import type { RecordingArchive } from './archive.js';

export { engineName } from './engine.js';

/** A match to be recorded: as both peers agreed on it, and from which frame on it is known here. */
export interface RecordedMatch extends Agreed {
  /** Later than 0 on a page that was reloaded and got the running match from its peer; 0 by default. */
  readonly firstFrame?: number;
}

/** Starts the recording of a match, which `archive` then keeps as it grows. `engine` names what it runs on, for people. */
export function matchRecording<S, I>(
  game: Game<S, I>,
  me: number,
  match: RecordedMatch,
  engine: string,
  archive?: RecordingArchive,
): RecordingWriter {
  const writer = new RecordingWriter({
    gameId: game.id,
    gameVersion: game.version,
    tickRate: game.tickRate,
    players: match.names.length,
    inputWords: game.input.words,
    seed: match.seed,
    settings: match.settings,
    inputDelays: match.inputDelays,
    names: match.names,
    recordedBy: me,
    engine,
    firstFrame: match.firstFrame ?? 0,
  });
  archive?.keep(writer);
  return writer;
}
