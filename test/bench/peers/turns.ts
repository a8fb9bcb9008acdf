/**
 * Works measured in turns, each in a process of its own. An engine's compiler learns from all that runs in a process,
 * so engines that shared one would slow each other; and one process after the other would meet other weather.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { median, type Row } from '../measure.js';

/** Nanoseconds a frame of one turn; undefined once it is ready for the first. */
type Message = { readonly nanoseconds?: number };

const FLAG = '--contestant=';
/** Nanoseconds of frames that no one counts, until the compiler has done with them. */
const WARM_UP_NS = 500_000_000n;

/** One engine: set up and proven right by `prepare`, which returns what runs so many frames. */
export interface Entry {
  readonly name: string;
  /** Frames in a turn, about ten milliseconds: long enough to hold the garbage collections that it causes. */
  readonly frames: number;
  prepare(): Promise<(frames: number) => void>;
}

/** In a process that was started for one entry: serves its turns and returns true, at once. In the first process: false. */
export function servesEntry(entries: readonly Entry[]): boolean {
  const name = process.argv.find((argument) => argument.startsWith(FLAG))?.slice(FLAG.length);
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry === undefined) return false;
  void serve(entry);
  return true;
}

async function serve({ prepare, frames }: Entry): Promise<void> {
  const tell = (message: Message): void => void process.send?.(message);
  const run = await prepare();
  for (const start = process.hrtime.bigint(); process.hrtime.bigint() - start < WARM_UP_NS; ) run(frames);
  process.on('message', () => {
    const start = process.hrtime.bigint();
    run(frames);
    tell({ nanoseconds: Number(process.hrtime.bigint() - start) / frames });
  });
  tell({});
}

/** The next message of a child; rejects when it ends instead. */
function hear(child: ChildProcess, name: string): Promise<Message> {
  return new Promise((resolve, reject) => {
    const settle = (): void => void child.off('message', onMessage).off('exit', onExit);
    const onMessage = (message: Message): void => {
      settle();
      resolve(message);
    };
    const onExit = (code: number | null): void => {
      settle();
      reject(new Error(`the process of ${name} ended with ${code}`));
    };
    child.on('message', onMessage).on('exit', onExit);
  });
}

/**
 * Median nanoseconds a frame of each entry, over `rounds` of new processes with `turns` each (A B C A B C ...): a
 * compiler's luck in one process counts no more than in the others.
 */
export async function inTurns(entries: readonly Entry[], rounds: number, turns: number): Promise<Row[]> {
  const samples = new Map<string, number[]>(entries.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const children = new Map<string, ChildProcess>();
    try {
      for (const { name } of entries) {
        const child = fork(process.argv[1] ?? '', [`${FLAG}${name}`]);
        children.set(name, child);
        await hear(child, name);
      }
      for (let turn = 0; turn < turns; turn++) {
        for (const [name, child] of children) {
          child.send('turn');
          samples.get(name)?.push((await hear(child, name)).nanoseconds ?? Number.NaN);
        }
      }
    } finally {
      for (const child of children.values()) child.kill();
    }
  }
  return [...samples].map(([name, values]) => ({ name, value: median(values), unit: 'ns' }));
}
