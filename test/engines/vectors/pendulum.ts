import { buttons, defineGame, f64, type Game, RecordingWriter, replay, struct } from '@riposte/shared';
import { mathsFingerprint } from '../../../client/src/recorder/maths.js';
import { hex32 } from './text.js';

const input = buttons('push');
const state = struct({ angle: f64, speed: f64 });

type Pendulum = ReturnType<typeof state.create>;
type Push = ReturnType<typeof input.create>;

/** A pendulum that is pushed now and then, swung by one or another sine. */
export function pendulumBy(sine: (angle: number) => number): Game<Pendulum, Push> {
  return defineGame({
    id: 'pendulum',
    version: '1',
    tickRate: 60,
    players: 1,
    input,
    state,
    init: (pendulum) => {
      pendulum.angle = 1;
    },
    step: (pendulum, inputs) => {
      pendulum.speed -= 0.05 * sine(pendulum.angle) - (inputs[0]!.push ? 0.01 : 0);
      pendulum.angle += pendulum.speed;
    },
  });
}

const pushes = Array.from({ length: 600 }, (_, frame) => [{ push: (frame >> 4) % 3 === 0 }]);

/** What this engine records of 600 frames of it. */
export function pendulumRecording(sine: (angle: number) => number): Uint8Array {
  const writer = new RecordingWriter({
    ...{ gameId: 'pendulum', gameVersion: '1', tickRate: 60, players: 1, inputWords: 1, seed: 0, settings: {} },
    ...{ inputDelays: [0], names: ['Ada'], recordedBy: -1, engine: 'this engine', maths: mathsFingerprint() },
  });
  const words = new Int32Array(1);
  replay(pendulumBy(sine), pushes, {
    onState: (frame, pendulum) => {
      const hash = state.hash(pendulum);
      if (frame === 0) {
        writer.keyframe(state.encode(pendulum), hash);
        return;
      }
      input.encode(pushes[frame - 1]![0]!, words, 0);
      if (writer.frame(words, hash)) writer.keyframe(state.encode(pendulum), hash);
    },
  });
  writer.end('finished');
  return writer.bytes();
}

/** The hash before each of 601 frames. */
export function pendulumHashes(sine: (angle: number) => number): string[] {
  const hashes: string[] = [];
  replay(pendulumBy(sine), pushes, {
    onState: (_frame, pendulum) => {
      hashes.push(hex32(state.hash(pendulum)));
    },
  });
  return hashes;
}
