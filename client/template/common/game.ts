import { array, buttons, defineGame, random, struct, u8, u16 } from '@riposte/client';

/** Frames of running free that win: 20 seconds. */
export const GOAL = 1200;
/** Pixels, across and down together, within which two players touch. */
const REACH = 12;
const RUN = 3;
const CHASE = 4;

/** Tag on a field of 256 by 256 that wraps around: whoever is it chases, the other one scores. */
export default defineGame({
  id: 'my-game',
  // Change it when a match would run differently: peers of different versions refuse each other.
  version: '1',
  tickRate: 60,
  players: 2,
  input: buttons('left', 'right', 'up', 'down'),
  state: struct({ it: u8, x: array(2, u8), y: array(2, u8), score: array(2, u16), dice: random() }),
  init({ x, y }) {
    x[0] = 64;
    x[1] = 192;
    y[0] = 128;
    y[1] = 128;
  },
  step(state, inputs, ctx) {
    const { it, x, y, score, dice } = state;
    for (const [player, { left, right, up, down }] of inputs.entries()) {
      const speed = player === it ? CHASE : RUN;
      x[player] += (Number(right) - Number(left)) * speed;
      y[player] += (Number(down) - Number(up)) * speed;
    }
    score[1 - it]++;
    if (Math.abs(x[0] - x[1]) + Math.abs(y[0] - y[1]) > REACH) return;
    // Something to hear: the page plays it once, however often a rollback runs this frame again.
    ctx.effect('tag');
    x[it] = dice.below(256);
    state.it = 1 - it;
  },
  over: ({ score }) => [0, 1].find((player) => score[player] >= GOAL),
});
