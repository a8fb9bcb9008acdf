/** What a state's hash costs, beside the same hash compiled to WebAssembly, on the same bytes. */
import { hashWords } from '@riposte/shared';
import xxhash from 'xxhash-wasm';
import { keep, nanosecondsEach, type Row, reportSections, type Work } from './measure.js';

const TURNS = 41;
/** Nanoseconds of work that no one counts, until the compiler has done with both. */
const WARM_UP_NS = 300_000_000n;
/** Bytes that one turn hashes with each: some milliseconds of work, so that the clock's grain does not show. */
const TURN_BYTES = 8 * 1024 * 1024;
const CALLS_MAX = 50_000;

const SIZES = [
  ['64B', 64],
  ['1KiB', 1024],
  ['16KiB', 16_384],
  ['256KiB', 262_144],
] as const;

const { h32Raw } = await xxhash();

/** Bytes without a pattern, the same on every run. */
function scrambled(bytes: number): Int32Array {
  const words = new Int32Array(bytes / 4);
  let last = 1;
  for (let word = 0; word < words.length; word++) {
    last = (Math.imul(last, 1664525) + 1013904223) | 0;
    words[word] = last;
  }
  return words;
}

/** Each call hashes other content, as each frame does: one word is changed before it, for both alike. */
function hashing(words: Int32Array, hash: () => number): Work {
  return (count) => {
    let mixed = 0;
    for (let done = 0; done < count; done++) {
      words[0] = mixed;
      mixed ^= hash();
    }
    return mixed;
  };
}

function measure(name: string, bytes: number): Row[] {
  const words = scrambled(bytes);
  const raw = new Uint8Array(words.buffer);
  const ours = hashWords(words, 0, words.length);
  const theirs = h32Raw(raw, 0) >>> 0;
  if (ours !== theirs) throw new Error(`${name}: hashWords gives ${ours}, xxhash-wasm ${theirs}`);
  const works = new Map([
    [name, hashing(words, () => hashWords(words, 0, words.length))],
    [`xxhashWasm.${name}`, hashing(words, () => h32Raw(raw, 0))],
  ]);
  const calls = Math.min(CALLS_MAX, TURN_BYTES / bytes);
  const start = process.hrtime.bigint();
  while (process.hrtime.bigint() - start < WARM_UP_NS) for (const work of works.values()) keep(work(calls));
  return [...nanosecondsEach(works, calls, TURNS)].map(([row, value]) => ({ name: row, value, unit: 'ns' }));
}

await reportSections(
  'hash',
  SIZES.map(([name, bytes]) => [name, () => measure(name, bytes)]),
);
