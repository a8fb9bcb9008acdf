import { execFileSync } from 'node:child_process';

/** One figure of a benchmark. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** Work on `count` units; returns something that depends on all of it, so that nothing is optimised away. */
export type Work = (count: number) => number;

let sink = 0;

/** Keeps results alive that nobody reads. */
export function keep(value: number): void {
  sink = (sink + value) | 0;
}

/** The middle one of all values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Microseconds of processor time that `count` units of a work take. */
function processorUs(work: Work, count: number): number {
  const start = process.cpuUsage();
  keep(work(count));
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/**
 * Median nanoseconds of processor time a unit of each work, measured in turns (A B C A B C ...) so that all of them
 * meet the same weather on a shared machine, where the time on the wall counts the other programs too. Each turn runs
 * `count` units, after two turns that are not counted.
 */
export function nanosecondsEach(works: ReadonlyMap<string, Work>, count: number, turns: number): Map<string, number> {
  const samples = new Map<string, number[]>([...works.keys()].map((name) => [name, []]));
  for (let turn = -2; turn < turns; turn++) {
    for (const [name, work] of works) {
      const spentUs = processorUs(work, count);
      if (turn >= 0) samples.get(name)?.push((spentUs * 1000) / count);
    }
  }
  return new Map([...samples].map(([name, values]) => [name, median(values)]));
}

/**
 * How many times the processor time of a base a work takes: the middle one of many short turns, in which what slows the
 * machine for a while falls on both. Four of each are made, in an order that favours neither, and all run in each turn: what
 * is made first is some percent slower or faster for good.
 */
export function timesOf(make: (isBase: boolean) => Work, count: number, turns: number): number {
  const works = [true, false, false, true, false, true, true, false].map((isBase) => ({ isBase, work: make(isBase) }));
  const ratios: number[] = [];
  for (let turn = -turns / 4; turn < turns; turn++) {
    let own = 0;
    let base = 0;
    for (const { isBase, work } of works) {
      const spentUs = processorUs(work, count);
      if (isBase) base += spentUs;
      else own += spentUs;
    }
    if (turn >= 0) ratios.push(own / base);
  }
  return median(ratios);
}

/** Units before the first span: engines have compiled by then what they will. */
const WARM = 100_000;
/** Units of a span: a young heap is collected less often than that. */
const SPAN = 1000;

/** How much the heap grows over a span of `count` units, asking for its size included: the middle one of `spans`. */
function growth(work: Work, count: number, spans: number): number {
  const grown: number[] = [];
  for (let span = 0; span < spans; span++) {
    const before = process.memoryUsage().heapUsed;
    keep(work(count));
    grown.push(process.memoryUsage().heapUsed - before);
  }
  return median(grown);
}

/**
 * Bytes of garbage a unit of work leaves in steady state, without those of the measuring itself. Spans are short: a
 * collection falls into some of them, and over the whole it would hide what was allocated before it.
 */
export function garbageEach(work: Work, count: number): number {
  keep(work(WARM));
  const spans = Math.ceil(count / SPAN);
  const own = growth(() => 0, 0, spans);
  return (growth(work, SPAN, spans) - own) / SPAN;
}

/** Prints rows for people, or the JSON object of them. */
export function report(bench: string, rows: readonly Row[]): void {
  const rounded = rows.map((row) => ({ ...row, value: Number(row.value.toPrecision(4)) }));
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify({ bench, rows: rounded }));
    return;
  }
  console.log(bench);
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, value, unit } of rounded)
    console.log(`  ${name.padEnd(width)}  ${String(value).padStart(9)} ${unit}`);
}

/**
 * Measures each section in a process of its own, as a page runs one game and no other: what the engine learned from
 * one would slow the next.
 */
export async function reportSections(
  bench: string,
  sections: readonly (readonly [string, () => Row[]])[],
): Promise<void> {
  const only = process.argv.find((argument) => argument.startsWith('--section='))?.slice('--section='.length);
  if (only !== undefined) {
    const section = sections.find(([name]) => name === only);
    console.log(JSON.stringify(section?.[1]() ?? []));
    return;
  }
  const rows: Row[] = [];
  for (const [name] of sections) {
    const args = [...process.execArgv, process.argv[1] ?? '', `--section=${name}`];
    rows.push(...JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })));
  }
  report(bench, rows);
}
