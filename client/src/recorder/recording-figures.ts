import type { RecordedEvent, Recording } from '@riposte/shared';

/** Of what was measured. */
export interface Spread {
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

/** What the events of a recording come to. */
export interface RecordingFigures {
  readonly rollbacks: {
    readonly count: number;
    /** The deepest, and the frames that were run again in all. */
    readonly maxFrames: number;
    readonly resimulatedFrames: number;
  };
  /** Ticks that could not advance. */
  readonly stalledTicks: number;
  /** Null where no other player was measured. */
  readonly rttMs: Spread | null;
  /** How many corrections were measured, and how large they were: all beside an authority, some of those between peers. */
  readonly corrections: { readonly count: number; readonly size: Spread | null };
  /** Milliseconds of each second that frames took to run again, and the age of others' inputs, in frames; null where not measured. */
  readonly resimulationMs: Spread | null;
  readonly inputAge: Spread | null;
  /** Frames that were simulated and not confirmed, and how many might be. */
  readonly predictedFrames: Spread | null;
  readonly window: Spread | null;
  readonly effects: { readonly started: number; readonly cancelled: number };
  readonly facts: number;
}

/** One rollback of a match. */
export interface Correction {
  /** The last frame that was simulated. */
  readonly frame: number;
  readonly depth: number;
}

/** The rollbacks of a match: one that several players caused together is told once for each of them. */
export function correctionsOf({ events }: Recording): Correction[] {
  const corrections: { frame: number; depth: number }[] = [];
  let last: { frame: number; depth: number } | undefined;
  let players = 0;
  for (const event of events) {
    if (event.kind !== 'rollback') continue;
    const { frame } = event;
    const depth = frame - event.first + 1;
    const player = 1 << event.player;
    if (last?.frame === frame && (players & player) === 0) {
      last.depth = Math.max(last.depth, depth);
    } else {
      last = { frame, depth };
      corrections.push(last);
      players = 0;
    }
    players |= player;
  }
  return corrections;
}

export function figuresOf(recording: Recording): RecordingFigures {
  const corrections = correctionsOf(recording);
  const rtts: number[] = [];
  const sizes: number[] = [];
  const costs: number[] = [];
  const ages: number[] = [];
  const predicted: number[] = [];
  const windows: number[] = [];
  let stalledTicks = 0;
  let started = 0;
  let cancelled = 0;
  let facts = 0;
  for (const event of recording.events) {
    if (event.kind === 'sample') rtts.push(event.rttMs);
    else if (event.kind === 'stall') stalledTicks += event.ticks;
    else if (event.kind === 'correction') sizes.push(event.distance);
    else if (event.kind === 'work') {
      costs.push(event.resimulationMs);
      ages.push(event.inputAge);
      predicted.push(event.predictedFrames);
      windows.push(event.window);
    } else if (event.kind === 'fact') facts++;
    else if (event.kind === 'effect' && event.phase === 'start') started++;
    else if (event.kind === 'effect') cancelled++;
  }
  return {
    rollbacks: {
      count: corrections.length,
      maxFrames: corrections.reduce((most, { depth }) => Math.max(most, depth), 0),
      resimulatedFrames: corrections.reduce((sum, { depth }) => sum + depth, 0),
    },
    stalledTicks,
    rttMs: spreadOf(rtts),
    corrections: { count: sizes.length, size: spreadOf(sizes) },
    resimulationMs: spreadOf(costs),
    inputAge: spreadOf(ages),
    predictedFrames: spreadOf(predicted),
    window: spreadOf(windows),
    effects: { started, cancelled },
    facts,
  };
}

function spreadOf(values: readonly number[]): Spread | null {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const [median, p95, max] = [at(0.5), at(0.95), at(1)];
  return median === undefined || p95 === undefined || max === undefined ? null : { median, p95, max };
}

/** One event as people read it. */
export function eventText(event: RecordedEvent): string {
  switch (event.kind) {
    case 'rollback':
      return `rollback of ${event.frame - event.first + 1} for player ${event.player}`;
    case 'stall':
      return `stall of ${event.ticks}`;
    case 'delay':
      return `input delay ${event.inputDelay}`;
    case 'link':
      return `link to player ${event.player} ${event.isUp ? 'up' : 'down'}`;
    case 'presence':
      return `player ${event.player} ${event.presence}`;
    case 'effect':
      return `${event.name} ${event.phase} of ${event.of}`;
    case 'fact':
      return `${event.name} fact of ${event.of}`;
    case 'sample':
      return `player ${event.player} at ${event.rttMs} ms, speed ${event.speed}, lead ${event.lead}`;
    case 'correction':
      return `corrected by ${event.distance} at ${event.of}`;
    case 'work':
      return `${event.resimulatedFrames} frames again in ${event.resimulationMs} ms, inputs ${event.inputAge} frames old, ${event.predictedFrames} of ${event.window} predicted`;
    case 'desync':
      return `desync at ${event.of}`;
    case 'lost':
      return `${event.events} events lost`;
  }
}
