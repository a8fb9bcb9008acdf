import { type Game, RiposteError } from '@riposte/shared';

/**
 * The same game with one deliberate fault: in the step of `frame`, or of the frame that it gives, one bit of the state is
 * turned over, each time the frame runs. What a broken game does to a match, to practise on.
 */
export function withFault<S, I>(game: Game<S, I>, frame: number | (() => number)): Game<S, I> {
  const frameNow = typeof frame === 'number' ? () => frame : frame;
  return {
    ...game,
    step(state, inputs, ctx) {
      game.step(state, inputs, ctx);
      if (ctx.frame === frameNow()) turnOneBit(game, state);
    },
  };
}

/** Turns over the first bit whose change still makes a state. */
function turnOneBit<S, I>({ state: model }: Game<S, I>, state: S): void {
  const before = model.hash(state);
  const bytes = model.encode(state);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = bytes[at]! ^ 1;
    try {
      model.decode(bytes, state);
      if (model.hash(state) !== before) return;
    } catch (error) {
      if (!(error instanceof RiposteError)) throw error;
    }
    bytes[at] = bytes[at]! ^ 1;
  }
}
