import { hashVectors } from './vectors/hashes.js';
import { inputVectors } from './vectors/inputs.js';
import { gameVectors } from './vectors/matches.js';
import { numberVectors } from './vectors/numbers.js';
import { objectVectors } from './vectors/objects.js';
import { realVectors } from './vectors/reals.js';
import { structVectors } from './vectors/structs.js';
import { unsafeResults } from './vectors/unsafe.js';

/**
 * The one program that every engine runs: no DOM, no Node, nothing but the language and `@riposte/shared`.
 * `vectors` must be the same everywhere and for ever; `unsafe` is what is known not to be.
 */
function compute() {
  return {
    vectors: {
      structs: structVectors(),
      objects: objectVectors(),
      hashes: hashVectors(),
      numbers: numberVectors(),
      reals: realVectors(),
      inputs: inputVectors(),
      games: gameVectors(),
    },
    unsafe: unsafeResults(),
  };
}

export type Results = ReturnType<typeof compute>;

export const text = JSON.stringify(compute());
