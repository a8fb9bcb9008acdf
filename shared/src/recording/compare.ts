import { RiposteError } from '../errors.js';
import type { Game } from '../game/game.js';
import type { FieldDifference } from '../state/model.js';
import type { InputTrack } from './input-track.js';
import type { Recording } from './reader.js';
import { Resimulation } from './resimulation.js';
import { valueText } from './settings.js';
import { hashText, inputText } from './text.js';
import { PROGRESS_FRAMES, type ProgressOptions } from './verify.js';

/** Which recording's hashes a re-simulation of the common part gives. */
export type Agreement = 'a' | 'b' | 'both' | 'neither';

/** The first difference between two recordings of one match. */
export interface Comparison {
  readonly same: boolean;
  /**
   * `settings`: they did not start alike. `inputs`: a player pressed something else (the network or the recorder).
   * `state`: from equal states and inputs came different states (the game is not deterministic).
   */
  readonly kind: null | 'settings' | 'inputs' | 'state';
  /** The frame whose input or step differs: the states before it agree. Null for `settings` and when they are the same. */
  readonly frame: number | null;
  /** Whose input differs, the lowest number when several do. */
  readonly player?: number;
  /** What each holds there, as text: the setting, the input, or the hash of the state after the frame. */
  readonly a: string | null;
  readonly b: string | null;
  /** The settings that differ, or where the states do; empty when the differing state is not known. */
  readonly fields: readonly FieldDifference[];
  /** The frames that both hold. */
  readonly comparedFrames: number;
  /** Of the frames before the difference, and for `state` of the frame with it; null when no game was given. */
  readonly replayAgreesWith: Agreement | null;
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

/** The first frame below `frames` in which two tracks differ; `frames` when none does. */
function firstInputDifference(a: InputTrack, b: InputTrack, frames: number): number {
  const { words } = a;
  const inputs = new Int32Array(2 * words);
  let aRun = 0;
  let bRun = 0;
  for (let frame = 0; frame < frames; ) {
    a.readRun(aRun, inputs, 0);
    b.readRun(bRun, inputs, words);
    for (let word = 0; word < words; word++) if (inputs[word] !== inputs[words + word]) return frame;
    const aNext = a.startOf(aRun + 1);
    const bNext = b.startOf(bRun + 1);
    frame = Math.min(aNext, bNext);
    if (aNext === frame) aRun++;
    if (bNext === frame) bRun++;
  }
  return frames;
}

function firstHashDifference(a: Recording, b: Recording, frames: number): number {
  for (let frame = 0; frame < frames; frame++) if (a.hashes[frame] !== b.hashes[frame]) return frame;
  return frames;
}

function agreementOf(a: boolean, b: boolean): Agreement {
  if (a && b) return 'both';
  if (a) return 'a';
  return b ? 'b' : 'neither';
}

/** Runs the first `frames` frames of `source` again; says whose hashes they give. */
function replayAgreement<S, I>(
  game: Game<S, I>,
  source: Recording,
  [a, b]: readonly [Recording, Recording],
  frames: number,
  { onProgress }: ProgressOptions,
): Agreement {
  const simulation = new Resimulation(game, source);
  let withA = true;
  let withB = true;
  for (let frame = 0; frame < frames && (withA || withB); frame++) {
    if (frame % PROGRESS_FRAMES === 0) onProgress?.(frame, frames);
    const computed = simulation.advance();
    if (computed !== a.hashes[frame]) withA = false;
    if (computed !== b.hashes[frame]) withB = false;
  }
  return agreementOf(withA, withB);
}

/** The first frame below `frames` in which some player's inputs differ, and the lowest such player. */
function firstInputsDifference(a: Recording, b: Recording, frames: number): { frame: number; player: number } {
  let frame = frames;
  let player = -1;
  for (const [seat, track] of a.inputs.entries()) {
    const first = firstInputDifference(track, b.inputs[seat]!, frame);
    if (first === frame) continue;
    frame = first;
    player = seat;
  }
  return { frame, player };
}

/**
 * Finds where two peers' recordings of one match part: settings first, then the earliest frame that differs, inputs
 * before state at one frame. With the game it also runs the common part again, and inputs read as the game names them.
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
  const comparedFrames = Math.min(a.frames, b.frames);
  const agreement = (source: Recording, pair: readonly [Recording, Recording], frames: number) =>
    game === undefined ? null : replayAgreement(game, source, pair, frames, options);

  const settings = settingDifferences(a, b);
  const setting = settings[0];
  if (setting !== undefined) {
    // Each from its own start: does either hold together by itself?
    const byA = agreement(a, [a, a], comparedFrames);
    const byB = agreement(b, [b, b], comparedFrames);
    const differing = { a: settingText(setting.path, setting.a), b: settingText(setting.path, setting.b) };
    const replayAgreesWith = byA === null ? null : agreementOf(byA === 'both', byB === 'both');
    return {
      same: false,
      kind: 'settings',
      frame: null,
      ...differing,
      fields: settings,
      comparedFrames,
      replayAgreesWith,
    };
  }

  const inputs = firstInputsDifference(a, b, comparedFrames);
  const stateFrame = firstHashDifference(a, b, comparedFrames);
  const frame = Math.min(inputs.frame, stateFrame);
  const common = { frame, fields: [], comparedFrames };
  if (frame === comparedFrames) {
    const replayAgreesWith = agreement(a, [a, b], frame);
    return { same: true, kind: null, ...common, frame: null, a: null, b: null, replayAgreesWith };
  }
  if (inputs.frame === frame) {
    const { player } = inputs;
    const pressed = new Int32Array(a.header.inputWords);
    const textOf = (recording: Recording) => {
      recording.inputs[player]!.read(frame, pressed, 0);
      return inputText(game?.input, pressed, 0, pressed.length);
    };
    const replayAgreesWith = agreement(a, [a, b], frame);
    return { same: false, kind: 'inputs', ...common, player, a: textOf(a), b: textOf(b), replayAgreesWith };
  }
  const differing = { a: hashText(a.hashes[frame]!), b: hashText(b.hashes[frame]!) };
  const replayAgreesWith = agreement(a, [a, b], frame + 1);
  return { same: false, kind: 'state', ...common, ...differing, replayAgreesWith };
}
