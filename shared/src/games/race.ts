import { defineGame } from '../game/game.js';
import { buttons } from '../input/controls.js';
import { fxMul } from '../math/fixed.js';
import { array, fixed } from '../state/struct/fields.js';
import { struct } from '../state/struct/struct.js';

/** 0.25 and 0.9 as Q16.16. */
const ACCELERATION = 16384;
const FRICTION = 58982;

/** The smallest game: two cars, one button each. Positions and speeds are raw Q16.16, in car lengths. */
export const race = defineGame({
  id: 'race',
  version: '1',
  tickRate: 60,
  players: 2,
  input: buttons('right'),
  state: struct({ cars: array(2, { x: fixed, v: fixed }) }),
  step(state, inputs) {
    for (let player = 0; player < 2; player++) {
      const car = state.cars[player]!;
      const push = inputs[player]!.right ? ACCELERATION : 0;
      car.v = fxMul(car.v + push, FRICTION);
      car.x = (car.x + car.v) | 0;
    }
  },
});
