import { type Fact, type Game, type Recording, replay } from '@riposte/shared';
import { named } from '../../shared/testing/sparks.js';

/** What the recorded inputs give without any prediction; simulated matches start from seed 7. */
export function truthOf<S, I>(game: Game<S, I>, { inputs, frames }: Recording) {
  const words = new Int32Array(game.input.words);
  const rows = Array.from({ length: frames }, (_, frame) =>
    inputs.map((track) => {
      const input = game.input.create();
      track.read(frame, words, 0);
      game.input.decode(words, 0, input);
      return input;
    }),
  );
  const finals: ReturnType<typeof named>[] = [];
  const facts: Fact[] = [];
  const hashes: number[] = [];
  const state = replay(game, rows, {
    seed: 7,
    onEffect: (effect) => finals.push(named(effect)),
    onFact: (fact) => facts.push(fact),
    onState: (_frame, at) => hashes.push(game.state.hash(at)),
  });
  return { state, finals, facts, hashes };
}
