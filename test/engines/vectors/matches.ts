import { chainHash, type Game, Random, RecordingWriter, RollbackSim, replay } from '@riposte/shared';
import { duel, race } from '@riposte/shared/games';
import { hex32, hexOf } from './text.js';

const FRAMES = 600;
const SEED = 2024;
/** How much later than its frame the second player's input is heard, at most. */
const LATE_FRAMES_MAX = 7;

/** The words that one player presses: drawn buttons, held for 2 to 13 frames. */
function drawnPresses(bits: number, player: number): Int32Array {
  const random = new Random(new Int32Array(2), 0);
  random.seed(SEED, player);
  const presses = new Int32Array(FRAMES);
  for (let frame = 0; frame < FRAMES; ) {
    const pressed = random.below(2 ** bits);
    for (let held = 2 + random.below(12); held > 0 && frame < FRAMES; held--) presses[frame++] = pressed;
  }
  return presses;
}

/** The same match with the second player's inputs late by drawn delays: one rollback after the other. */
function rolledBack<S, I>(game: Game<S, I>, presses: readonly [Int32Array, Int32Array]) {
  const sim = new RollbackSim(game, { seed: SEED });
  const random = new Random(new Int32Array(2), 0);
  random.seed(SEED, 2);
  let heard = 0;
  for (let frame = 0; frame < FRAMES; frame++) {
    const due = frame - random.below(LATE_FRAMES_MAX + 1);
    for (; heard <= due; heard++) sim.putInput(1, heard, presses[1], heard);
    sim.putInput(0, frame, presses[0], frame);
    if (!sim.advance()) throw new Error(`frame ${frame} was refused`);
  }
  for (; heard < FRAMES; heard++) sim.putInput(1, heard, presses[1], heard);
  const { rollbacks, resimulatedFrames } = sim.stats;
  return { rollbacks, resimulatedFrames, hash: hex32(sim.hashAt(FRAMES)) };
}

function matchVectors<S, I>(game: Game<S, I>) {
  const presses = [drawnPresses(game.input.bits, 0), drawnPresses(game.input.bits, 1)] as const;
  const recording = new RecordingWriter({
    gameId: game.id,
    gameVersion: game.version,
    tickRate: game.tickRate,
    players: 2,
    inputWords: game.input.words,
    seed: SEED,
    settings: { rounds: 3, name: 'Łódź ⚔', hard: true },
    inputDelays: [0, 3],
    names: ['Ada', 'Bô 🤺'],
    recordedBy: 0,
    engine: 'any',
  });
  const hashes: string[] = [];
  const words = new Int32Array(2);
  let chain = 0;
  const inputs = Array.from({ length: FRAMES }, (_, frame) =>
    presses.map((words) => {
      const input = game.input.create();
      game.input.decode(words, frame, input);
      return input;
    }),
  );
  const end = replay(game, inputs, {
    seed: SEED,
    onState: (frame, state) => {
      if (frame === 0) return;
      const hash = game.state.hash(state);
      chain = chainHash(chain, hash);
      words[0] = presses[0][frame - 1]!;
      words[1] = presses[1][frame - 1]!;
      recording.frame(words, hash);
      if (frame % 60 === 0) hashes.push(hex32(hash));
    },
  });
  recording.end('finished');
  const file = recording.bytes();
  return {
    hashes,
    chain: hex32(chain),
    end: hexOf(game.state.encode(end)),
    rolledBack: rolledBack(game, presses),
    // The last four bytes of a recording are the checksum of its last part alone: the length stands for the rest.
    recording: { bytes: file.length, head: hexOf(file.subarray(0, 120)), sum: hex32(sumOf(file)) },
  };
}

/** Folds all bytes of a file into one word. */
function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = chainHash(sum, byte);
  return sum;
}

export function gameVectors() {
  return { duel: matchVectors(duel), race: matchVectors(race) };
}
