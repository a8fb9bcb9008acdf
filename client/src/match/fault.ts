import type { Game } from '@riposte/shared';

/**
 * The same game with one deliberate fault: in the step of `frame` one bit of the state is turned over, each time the
 * frame runs. What a broken game does to a match, to practise on.
 */
export function withFault<S, I>(game: Game<S, I>, frame: number): Game<S, I> {
  return {
    ...game,
    step(state, inputs, ctx) {
      game.step(state, inputs, ctx);
      if (ctx.frame !== frame) return;
      const bytes = game.state.encode(state);
      bytes[0] = bytes[0]! ^ 1;
      game.state.decode(bytes, state);
    },
  };
}
