import { RiposteError } from '../errors.js';
import type { Game } from '../game/game.js';
import type { FieldDifference } from '../state/model.js';
import { firstAbsenceDifference, goneIn } from './absences.js';
import type { InputTrack } from './input-track.js';
import { keyframeUpTo } from './keyframes.js';
import { hashBefore, type PartedFields, partedFields, startFields, UNKNOWN_FIELDS } from './parting.js';
import type { Recording } from './reader.js';
import { Resimulation } from './resimulation.js';
import { valueText } from './settings.js';
import { hashText, inputText } from './text.js';
import { PROGRESS_FRAMES, type ProgressOptions } from './verify.js';

/** Which recording's hashes a re-simulation of the common part gives. */
export type Agreement = 'a' | 'b' | 'both' | 'neither';

/** Stands for the input of a player who was not in the match. */
export const ABSENT_INPUT = 'absent';

/** The first difference between two recordings of one match. */
export interface Comparison extends PartedFields<FieldDifference> {
  readonly same: boolean;
  /**
   * `settings`: they did not start alike. `inputs`: a player pressed something else, or was in the match on one side
   * only (the network or the recorder).
   * `state`: from equal states and inputs came different states (the game is not deterministic).
   */
  readonly kind: null | 'settings' | 'inputs' | 'state';
  /**
   * The frame whose input or step differs: the states before it agree. Null for `settings` and when they are the same.
   * For states that differ before the first frame that both hold, that frame; `fieldsFrame` is the same one then.
   */
  readonly frame: number | null;
  /** Whose input differs, the lowest number when several do. */
  readonly player?: number;
  /**
   * What each holds there, as text: the setting, the input (`ABSENT_INPUT` where the player was not in the match), or the hash
   * of the state after the frame.
   */
  readonly a: string | null;
  readonly b: string | null;
  /** What each was recorded on, only where the two engines' `Math` is known to differ. */
  readonly engines?: { readonly a: string; readonly b: string };
  /** The frames that both hold. */
  readonly comparedFrames: number;
  /** Of the frames before the difference, and for `state` of the frame with it; null when no game was given, or no frame run. */
  readonly replayAgreesWith: Agreement | null;
}

function differingEngines({ header: a }: Recording, { header: b }: Recording): Pick<Comparison, 'engines'> {
  if (a.maths === undefined || b.maths === undefined || a.maths === b.maths) return {};
  return { engines: { a: a.engine, b: b.engine } };
}

/** Throws `other-match`, naming the part, unless both are of the same game, version and number of players. */
function requireOneMatch(a: Recording, b: Recording): void {
  const parts: [string, (recording: Recording) => string | number][] = [
    ['game', ({ header }) => header.gameId],
    ['game version', ({ header }) => header.gameVersion],
    ['tick rate', ({ header }) => header.tickRate],
    ['number of players', ({ header }) => header.players],
    ['words of an input', ({ header }) => header.inputWords],
  ];
  for (const [part, of] of parts) {
    if (of(a) === of(b)) continue;
    throw new RiposteError(
      'other-match',
      `not two recordings of one match: the ${part} is ${of(a)} in the first and ${of(b)} in the second`,
    );
  }
}

function settingDifferences(a: Recording, b: Recording): FieldDifference[] {
  const differences: FieldDifference[] = [];
  if (a.header.seed !== b.header.seed) differences.push({ path: 'seed', a: a.header.seed, b: b.header.seed });
  const aSettings = new Map(Object.entries(a.header.settings));
  const bSettings = new Map(Object.entries(b.header.settings));
  const names = [...new Set([...aSettings.keys(), ...bSettings.keys()])].sort();
  for (const name of names) {
    const difference = { path: `settings.${name}`, a: aSettings.get(name), b: bSettings.get(name) };
    if (!Object.is(difference.a, difference.b)) differences.push(difference);
  }
  return differences;
}

function settingText(path: string, value: unknown): string {
  return value === undefined ? `${path} is not set` : `${path} ${valueText(path, value)}`;
}

/** The frames from `from` up to, not including, `end`, which two recordings hold. */
interface Range {
  readonly from: number;
  readonly end: number;
}

/** The first frame of the range in which two tracks differ; its end when none does. */
function firstInputDifference(a: InputTrack, b: InputTrack, { from, end }: Range): number {
  if (from >= end) return end;
  const { words } = a;
  const inputs = new Int32Array(2 * words);
  let aRun = a.runAt(from);
  let bRun = b.runAt(from);
  for (let frame = from; frame < end; ) {
    a.readRun(aRun, inputs, 0);
    b.readRun(bRun, inputs, words);
    for (let word = 0; word < words; word++) if (inputs[word] !== inputs[words + word]) return frame;
    const aNext = a.startOf(aRun + 1);
    const bNext = b.startOf(bRun + 1);
    frame = Math.min(aNext, bNext);
    if (aNext === frame) aRun++;
    if (bNext === frame) bRun++;
  }
  return end;
}

function firstHashDifference(a: Recording, b: Recording, { from, end }: Range): number {
  for (let frame = from; frame < end; frame++) {
    if (a.hashes[frame - a.firstFrame] !== b.hashes[frame - b.firstFrame]) return frame;
  }
  return end;
}

function agreementOf(a: boolean, b: boolean): Agreement {
  if (a && b) return 'both';
  if (a) return 'a';
  return b ? 'b' : 'neither';
}

/** What came of running frames again. */
interface Replayed<S> {
  readonly agreement: Agreement;
  /** The state after the last frame that was run. */
  readonly state: S;
}

/** Runs `source` from its first frame up to `end` again; says whose hashes that gives. */
function runAgain<S, I>(
  game: Game<S, I>,
  source: Recording,
  [a, b]: readonly [Recording, Recording],
  end: number,
  { onProgress }: ProgressOptions,
): Replayed<S> {
  const simulation = new Resimulation(game, source);
  const { firstFrame } = source;
  /** Runs on while the hashes are those of `recording`. */
  const holds = (recording: Recording): boolean => {
    while (simulation.frame < end) {
      const done = simulation.frame - firstFrame;
      onProgress?.(done, end - firstFrame);
      const until = Math.min(end, simulation.frame + PROGRESS_FRAMES);
      if (!simulation.runWhileEqual(recording.hashes, recording.firstFrame, until)) return false;
    }
    return true;
  };
  const withA = holds(a);
  // All up to here but the last were those of A.
  const last = simulation.frame - 1;
  const parted = firstHashDifference(a, b, { from: firstFrame, end: last });
  const isB = parted === last && (last < firstFrame || simulation.hash() === b.hashes[last - b.firstFrame]);
  const withB = isB && (withA || holds(b));
  return { agreement: agreementOf(withA, withB), state: simulation.state };
}

/** The first frame of the range in which some player's inputs or absences differ, and the lowest such player. */
function firstInputsDifference(a: Recording, b: Recording, { from, end }: Range): { frame: number; player: number } {
  let frame = end;
  let player = -1;
  for (const [seat, track] of a.inputs.entries()) {
    const first = firstInputDifference(track, b.inputs[seat]!, { from, end: frame });
    if (first === frame) continue;
    frame = first;
    player = seat;
  }
  const absence = firstAbsenceDifference(a.absences, b.absences, from, Math.min(end, frame + 1));
  if (absence > frame || absence === end) return { frame, player };
  const other = goneIn(a.absences, absence) ^ goneIn(b.absences, absence);
  return { frame: absence, player: 31 - Math.clz32(other & -other) };
}

/** Of the states before frame `from`: which one comes of the game's start, or of running the longer recording up to it. */
function startAgreement<S, I>(
  game: Game<S, I>,
  [a, b]: readonly [Recording, Recording],
  from: number,
): Agreement | null {
  const earlier = a.firstFrame <= b.firstFrame ? a : b;
  if (from > 0 && earlier.firstFrame === from) return null;
  const simulation = new Resimulation(game, earlier, from > 0 ? keyframeUpTo(earlier.keyframes, from - 1) : undefined);
  while (simulation.frame < from) simulation.advance();
  const computed = simulation.hash();
  return agreementOf(computed === hashBefore(a, from), computed === hashBefore(b, from));
}

/**
 * Finds where two peers' recordings of one match part, over the frames that both hold: settings first, then the
 * earliest frame that differs, inputs before state at one frame. With the game it also runs those frames again, inputs
 * read as the game names them, and where states part it names the fields, as far as the recordings tell.
 * Throws `other-match` for recordings of different games or versions; `other-game` when `game` is not theirs;
 * `bad-game` when the game throws.
 */
export function compareRecordings<S, I>(
  a: Recording,
  b: Recording,
  game?: Game<S, I>,
  options: ProgressOptions = {},
): Comparison {
  requireOneMatch(a, b);
  const pair = [a, b] as const;
  const from = Math.max(a.firstFrame, b.firstFrame);
  const end = Math.max(from, Math.min(a.firstFrame + a.frames, b.firstFrame + b.frames));
  const comparedFrames = end - from;
  const engines = differingEngines(a, b);

  const settings = settingDifferences(a, b);
  const setting = settings[0];
  if (setting !== undefined) {
    return {
      same: false,
      kind: 'settings',
      frame: null,
      a: settingText(setting.path, setting.a),
      b: settingText(setting.path, setting.b),
      ...UNKNOWN_FIELDS,
      fields: settings,
      ...engines,
      comparedFrames,
      replayAgreesWith: game === undefined ? null : agreementByThemselves(game, pair, end, options),
    };
  }

  const replayed = (until: number) => {
    // The later one starts where the frames that both hold do.
    const source = a.firstFrame === from ? a : b;
    return game === undefined || comparedFrames === 0 ? undefined : runAgain(game, source, pair, until, options);
  };
  const [aStart, bStart] = [hashBefore(a, from), hashBefore(b, from)];
  if (aStart !== undefined && bStart !== undefined && aStart !== bStart) {
    const differing = { a: hashText(aStart), b: hashText(bStart), ...engines, comparedFrames };
    const parted = game === undefined ? UNKNOWN_FIELDS : startFields(game, pair, from);
    const replayAgreesWith = game === undefined ? null : startAgreement(game, pair, from);
    return { same: false, kind: 'state', frame: from, ...differing, ...parted, replayAgreesWith };
  }
  const inputs = firstInputsDifference(a, b, { from, end });
  const frame = Math.min(inputs.frame, firstHashDifference(a, b, { from, end }));
  const common = { frame, ...UNKNOWN_FIELDS, ...engines, comparedFrames };
  if (frame === end) {
    const replayAgreesWith = replayed(end)?.agreement ?? null;
    return { same: true, kind: null, ...common, frame: null, a: null, b: null, replayAgreesWith };
  }
  if (inputs.frame === frame) {
    const { player } = inputs;
    const pressed = new Int32Array(a.header.inputWords);
    const textOf = (recording: Recording) => {
      if ((goneIn(recording.absences, frame) & (1 << player)) !== 0) return ABSENT_INPUT;
      recording.inputs[player]!.read(frame, pressed, 0);
      return inputText(game?.input, pressed, 0, pressed.length);
    };
    const replayAgreesWith = replayed(frame)?.agreement ?? null;
    return { same: false, kind: 'inputs', ...common, player, a: textOf(a), b: textOf(b), replayAgreesWith };
  }
  const differing = { a: hashText(hashBefore(a, frame + 1)!), b: hashText(hashBefore(b, frame + 1)!) };
  const again = replayed(frame + 1);
  const parted = again === undefined || game === undefined ? UNKNOWN_FIELDS : partingOf(game, pair, frame, again);
  const replayAgreesWith = again?.agreement ?? null;
  return { same: false, kind: 'state', ...common, ...differing, ...parted, replayAgreesWith };
}

function partingOf<S, I>(
  game: Game<S, I>,
  pair: readonly [Recording, Recording],
  frame: number,
  { agreement, state }: Replayed<S>,
): PartedFields<FieldDifference> {
  const side = agreement === 'a' || agreement === 'b' ? { side: agreement, state } : undefined;
  return partedFields(game, pair, frame, side);
}

/** Whether each holds together by itself, from its own start: recordings with other settings have no common one. */
function agreementByThemselves<S, I>(
  game: Game<S, I>,
  [a, b]: readonly [Recording, Recording],
  end: number,
  options: ProgressOptions,
): Agreement {
  const holds = (recording: Recording) =>
    runAgain(game, recording, [recording, recording], Math.min(end, recording.firstFrame + recording.frames), options)
      .agreement === 'both';
  return agreementOf(holds(a), holds(b));
}
