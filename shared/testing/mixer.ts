import { defineGame } from '../src/game/define-game.js';
import { buttons } from '../src/input/controls.js';
import { array, random, u16, u32 } from '../src/state/struct/fields.js';
import { struct } from '../src/state/struct/struct.js';

export const mixerInput = buttons('a', 'b', 'c');

/** A game in which every input of every player changes the whole future, so that no wrong frame can hide. */
export const mixer = defineGame({
  id: 'mixer',
  version: '1',
  tickRate: 60,
  players: 2,
  input: mixerInput,
  state: struct({ hash: u32, counts: array(8, u16), dice: random() }),
  step(state, inputs, ctx) {
    for (let player = 0; player < inputs.length; player++) {
      const { a, b, c } = inputs[player]!;
      const pressed = (a ? 1 : 0) + (b ? 2 : 0) + (c ? 4 : 0);
      state.hash = Math.imul(state.hash ^ (pressed + player * 8 + 1), 0x9e3779b1) ^ (state.hash >>> 15);
      if (a) state.counts[player] = state.counts[player]! + 1;
      if (b) state.hash ^= state.dice.below(1000);
    }
    state.hash ^= ctx.frame;
  },
});

/** The mixer's input of a number from 0 to 7. */
export const press = (word: number) => ({ a: (word & 1) !== 0, b: (word & 2) !== 0, c: (word & 4) !== 0 });
