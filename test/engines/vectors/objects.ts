import { bytes, plain, plainRandom } from '@riposte/shared';
import { doubleOf, hex32, hexOf } from './text.js';

class Ball {
  x = 1.5;
  spin = -0;
}

/** Every kind of value that an ordinary object may hold, with keys that sort one way only. */
function everything() {
  const shared = { hits: 3 };
  const buffer = new ArrayBuffer(16);
  const bare: { [name: string]: unknown } = Object.create(null);
  bare['only'] = [1, 2];
  return {
    zebra: 1,
    Zebra: 2,
    ähnlich: 'ä',
    '10': 'ten',
    '9': 'nine',
    '': 'no name',
    numbers: [0, -0, 0.1, 1e300, 5e-324, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53 + 2],
    texts: ['', 'Łódź', '🤺', '\ud83e', 'a\u0000b'],
    bigs: [0n, -1n, 2n ** 70n, -(2n ** 64n)],
    nothing: null,
    missing: undefined,
    flags: [true, false],
    scores: new Map<unknown, unknown>([
      ['b', 1],
      ['a', { deep: new Set([3, 1, 2]) }],
      [7, shared],
    ]),
    shared,
    bare,
    buffer,
    bytes: new Uint8Array(buffer, 4, 8).fill(200.7),
    singles: Float32Array.of(0.1, -0, Number.NaN),
    doubles: Float64Array.of(doubleOf(0xfff80000, 1), 1 / 3),
    words: BigInt64Array.of(-5n, 2n ** 62n),
    view: new DataView(buffer, 8, 4),
    dice: plainRandom(),
    ball: new Ball(),
  };
}

const model = plain(everything, { copiers: [Ball] });

/** A machine with a memory of its own. */
const machine = bytes<{ memory: Uint8Array }>({
  create: () => ({ memory: Uint8Array.from({ length: 1003 }, (_, at) => at * 7) }),
  save: (state) => state.memory,
  load: (state, saved) => state.memory.set(saved),
});

export function objectVectors() {
  const first = model.create();
  model.seed(first, 99);
  const second = model.create();
  model.decode(model.encode(first), second);
  second.dice.next();
  second.zebra = -0;
  second.texts[2] = '🤺🤺';
  second.ball.spin = 0;
  second.scores.delete('b');
  const emulator = machine.create();
  const before = hex32(machine.hash(emulator));
  emulator.memory[1002] = 1;
  return {
    hash: hex32(model.hash(first)),
    encoded: hexOf(model.encode(first)),
    changedHash: hex32(model.hash(second)),
    differences: model.diff(first, second).map(({ path }) => path),
    machine: [before, hex32(machine.hash(emulator))],
  };
}
