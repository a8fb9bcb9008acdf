import { defineGame } from '../game/define-game.js';
import { buttons } from '../input/controls.js';
import { fxMul } from '../math/fixed.js';
import { array, fixed } from '../state/struct/fields.js';
import { struct } from '../state/struct/struct.js';

/** 0.25 and 0.9 as Q16.16. */
const ACCELERATION = 16384;
const FRICTION = 58982;

/** A race of up to `cars` players. */
function raceOf<const Id extends string>(id: Id, cars: number) {
  return defineGame({
    id,
    version: '1',
    tickRate: 60,
    players: cars,
    input: buttons('right'),
    state: struct({ cars: array(cars, { x: fixed, v: fixed }) }),
    step(state, inputs) {
      for (let player = 0; player < inputs.length; player++) {
        const car = state.cars[player]!;
        const push = inputs[player]!.right ? ACCELERATION : 0;
        car.v = fxMul(car.v + push, FRICTION);
        car.x = (car.x + car.v) | 0;
      }
    },
  });
}

/** The smallest game: two cars, one button each. Positions and speeds are raw Q16.16, in car lengths. */
export const race = raceOf('race', 2);

/** The same for three or four: its state has four cars, and those without a player stand still. */
export const race4 = raceOf('race4', 4);
