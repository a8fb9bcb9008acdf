import type { FrameTrace, RollbackMark } from './frame-trace.js';

/** What happened longer ago than this, in virtual milliseconds, is told of no more. */
const RECENT_MS = 1000;

/** Whose machine it is that something happened on. */
interface Told {
  readonly title: string;
  readonly trace: Pick<FrameTrace, 'head' | 'confirmed' | 'guessedAtStall' | 'rollbacks' | 'stalls'>;
}

const framesText = (count: number): string => (count === 1 ? '1 frame' : `${count} frames`);

/** What a side did within the last second, where single happenings go by too fast to be read. */
export function secondOf({ title, trace }: Told, nowMs: number): string {
  const depths = trace.rollbacks
    .filter(({ atMs }) => atMs > nowMs - RECENT_MS)
    .map(({ first, last }) => last - first + 1);
  const waits = trace.stalls.filter((atMs) => atMs > nowMs - RECENT_MS).length;
  const guesses =
    depths.length === 0
      ? 'no wrong guess in the last second'
      : `${depths.length} wrong guess${depths.length === 1 ? '' : 'es'} in the last second, ` +
        `${framesText(Math.max(...depths))} back at most`;
  return `${title}’s machine: ${guesses}${waits === 0 ? '' : `; ${waits} times it had to wait`}.`;
}

/** The newest thing that happened to a side, as one says it. */
export function newestOf({ title, trace }: Told, nowMs: number): string {
  const rollback = trace.rollbacks.at(-1);
  const stalledMs = trace.stalls.at(-1) ?? Number.NEGATIVE_INFINITY;
  const rolledBackMs = rollback?.atMs ?? Number.NEGATIVE_INFINITY;
  if (Math.max(stalledMs, rolledBackMs) <= nowMs - RECENT_MS) {
    return `${title}’s machine had no wrong guess for a second: nothing had to run again.`;
  }
  if (stalledMs > rolledBackMs || rollback === undefined) {
    const guessed = framesText(trace.guessedAtStall);
    const isWaiting = trace.head - trace.confirmed >= trace.guessedAtStall;
    if (isWaiting) return `${title}’s machine waits: its newest ${guessed} are guesses, and no more may be.`;
    return `${title}’s machine had to wait: its newest ${guessed} were guesses, and no more might be.`;
  }
  return rollbackText(title, rollback);
}

function rollbackText(title: string, { first, last, cause }: RollbackMark): string {
  const back = `${title}’s machine went back ${framesText(last - first + 1)}`;
  if (cause === null) return `${back}, and ran to the present again.`;
  const pressed = cause.pressed === '-' ? 'pressed nothing' : `pressed ${cause.pressed.replaceAll('+', ' + ')}`;
  if (cause.isOwn)
    return `${back}: its own press for frame ${first} came to the authority too late, and does not count.`;
  return `${back}: in frame ${first} ${cause.who} ${pressed}, unlike guessed.`;
}
