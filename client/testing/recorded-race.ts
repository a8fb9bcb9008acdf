import { type EventLog, RecordingWriter, RollbackSim, type Settings } from '@riposte/shared';
import { race } from '@riposte/shared/games';

export interface RaceFixture {
  readonly frames?: number;
  readonly seed?: number;
  readonly settings?: Settings;
  readonly press?: (frame: number, player: number) => boolean;
  /** The frame from which on it was recorded. */
  readonly firstFrame?: number;
  /** This frame's step goes wrong on the recorded peer. */
  readonly fault?: number;
  /** The bits that it turns over. */
  readonly damage?: number;
  readonly game?: Partial<typeof race>;
  /** Writes down what happened before this frame became final. */
  readonly events?: (log: EventLog, frame: number) => void;
}

/** Whether a player of that race accelerates in a frame. */
export const press = (frame: number, player: number) => ((frame >> 3) + player) % 3 === 0;

/** The bytes of a finished race. */
export function recordedRace({
  frames = 150,
  seed = 1,
  settings = {},
  firstFrame = 0,
  fault,
  ...fixture
}: RaceFixture = {}): Uint8Array {
  const game: typeof race = {
    ...race,
    ...fixture.game,
    step(state, inputs, ctx) {
      race.step(state, inputs, ctx);
      if (ctx.frame === fault) state.cars[0]!.x ^= fixture.damage ?? 1;
    },
  };
  const writer = new RecordingWriter({
    gameId: game.id,
    gameVersion: game.version,
    tickRate: game.tickRate,
    players: 2,
    inputWords: 1,
    seed,
    settings,
    inputDelays: [2, 3],
    names: ['Ada', 'Grace "the Amazing"'],
    recordedBy: 1,
    engine: 'Node 20',
    firstFrame,
  });
  const sim = new RollbackSim(game, { seed, settings });
  const words = new Int32Array(2);
  for (let frame = 0; frame < frames; frame++) {
    if (frame >= firstFrame && writer.isKeyframeDue) {
      writer.keyframe(game.state.encode(sim.stateAt(frame)), sim.hashAt(frame));
    }
    for (let player = 0; player < 2; player++) {
      words[player] = (fixture.press ?? press)(frame, player) ? 1 : 0;
      sim.putInput(player, frame, words, player);
    }
    sim.advance();
    fixture.events?.(writer.events, frame);
    if (frame >= firstFrame) writer.frame(words, sim.hashAt(frame + 1));
  }
  writer.end('finished');
  return writer.bytes();
}
