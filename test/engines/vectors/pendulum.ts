import { buttons, defineGame, f64, type Game, replay, struct } from '@riposte/shared';
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

/** The hash before each of 601 frames. */
export function pendulumHashes(sine: (angle: number) => number): string[] {
  const inputs = Array.from({ length: 600 }, (_, frame) => [{ push: (frame >> 4) % 3 === 0 }]);
  const hashes: string[] = [];
  replay(pendulumBy(sine), inputs, {
    onState: (_frame, pendulum) => {
      hashes.push(hex32(state.hash(pendulum)));
    },
  });
  return hashes;
}
