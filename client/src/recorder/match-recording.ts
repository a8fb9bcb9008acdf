import { type Game, RecordingWriter } from '@riposte/shared';
import type { Agreed } from '../session/handshake.js';

/** Starts the recording of a match as both peers agreed on it. `engine` names what it runs on, for people. */
export function matchRecording<S, I>(game: Game<S, I>, me: number, agreed: Agreed, engine: string): RecordingWriter {
  return new RecordingWriter({
    gameId: game.id,
    gameVersion: game.version,
    tickRate: game.tickRate,
    players: agreed.names.length,
    inputWords: game.input.words,
    seed: agreed.seed,
    settings: agreed.settings,
    inputDelays: agreed.inputDelays,
    names: agreed.names,
    recordedBy: me,
    engine,
  });
}
