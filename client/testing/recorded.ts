import { type EventLog, type Game, RecordingWriter, RollbackSim, type Settings } from '@riposte/shared';
import { seededBot } from '../src/input/bot.js';

export interface RecordedOptions<S> {
  /** 600 by default. */
  readonly frames?: number;
  /** The first frame that is recorded; 0 by default. */
  readonly firstFrame?: number;
  readonly seed?: number;
  readonly settings?: Settings;
  /** Of the recorder; 0 by default. */
  readonly recordedBy?: number;
  /** Changes the state that a frame's step has made, as a fault of that peer would. */
  readonly fault?: (frame: number, state: S) => void;
  /** Records the state before this frame too, once it is known. */
  readonly stateBefore?: number;
  /** Writes down what happened while this frame was the last that was simulated. */
  readonly events?: (log: EventLog, frame: number) => void;
}

/** One peer's recording of a match between two bots: the same inputs whatever the other options say. */
export function recorded<S, I>(
  game: Game<S, I>,
  {
    frames = 600,
    firstFrame = 0,
    seed = 7,
    settings = {},
    recordedBy = 0,
    fault,
    stateBefore,
    events,
  }: RecordedOptions<S> = {},
): Uint8Array {
  const faulty: Game<S, I> = {
    ...game,
    step(state, inputs, ctx) {
      game.step(state, inputs, ctx);
      fault?.(ctx.frame, state);
    },
  };
  const writer = new RecordingWriter({
    gameId: game.id,
    gameVersion: game.version,
    tickRate: game.tickRate,
    players: 2,
    inputWords: game.input.words,
    seed,
    settings,
    inputDelays: [2, 2],
    names: ['Ada', 'Grace'],
    recordedBy,
    engine: 'test',
    firstFrame,
  });
  const bots = [seededBot(game.input, 1), seededBot(game.input, 2)];
  const sim = new RollbackSim(faulty, { seed, settings });
  const { words } = game.input;
  const pressed = new Int32Array(2 * words);
  for (let frame = 0; frame < frames; frame++) {
    if (frame >= firstFrame && writer.isKeyframeDue) {
      writer.keyframe(game.state.encode(sim.stateAt(frame)), sim.hashAt(frame));
    }
    for (const [player, bot] of bots.entries()) {
      game.input.encode(bot(), pressed, player * words);
      sim.putInput(player, frame, pressed, player * words);
    }
    sim.advance();
    events?.(writer.events, frame);
    if (frame >= firstFrame) writer.frame(pressed, sim.hashAt(frame + 1));
    if (frame + 1 === stateBefore) {
      writer.state(frame + 1, game.state.encode(sim.stateAt(frame + 1)), sim.hashAt(frame + 1));
    }
  }
  writer.end('finished');
  return writer.bytes();
}
