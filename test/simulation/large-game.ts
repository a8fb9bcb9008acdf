import { array, defineGame, struct, u8 } from '@riposte/shared';
import { mixerInput } from '../../shared/testing/mixer.js';

/** A game whose state fits no datagram, of which each frame changes little. */
export const largeGame = defineGame({
  id: 'large',
  version: '1',
  tickRate: 60,
  players: 2,
  input: mixerInput,
  state: struct({ cells: array(40_000, u8), turn: u8 }),
  step(state, inputs) {
    const at = (state.turn * 157) % 40_000;
    state.cells[at] = (state.cells[at]! + (inputs[0]!.a ? 3 : 1)) & 255;
    state.turn = (state.turn + 1) & 255;
  },
});
