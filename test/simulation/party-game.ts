import { defineGame } from '@riposte/shared';
import { mixer } from '../../shared/testing/mixer.js';

type State = ReturnType<typeof mixer.state.create>;
type Input = ReturnType<typeof mixer.input.create>;

/** The mixer, in which it also matters who is there. */
export const partyGame = defineGame({
  ...mixer,
  id: 'party',
  step(state: State, inputs: readonly Input[], ctx) {
    mixer.step(state, inputs, ctx);
    for (const [player, { connected }] of ctx.players.entries()) {
      if (!connected) state.hash = Math.imul(state.hash ^ (player + 77), 0x85ebca6b);
    }
  },
});
