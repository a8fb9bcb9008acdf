import { compareRecordings, type Recording, RiposteError } from '@riposte/shared';
import { SeenRun } from '@riposte/shared/debugging';
import { type Finding, frameOf } from './analysis.js';
import type { InspectedGame } from './games.js';
import type { Opened, ReadFile } from './opened.js';
import { RecordedRun } from './recorded-run.js';

export const SIDES_MAX = 2;

/** Looks for the first difference beside the page, so that the page stays smooth. Rejects when `signal` is aborted. */
export type Analyst = (
  files: readonly Uint8Array[],
  gameId: string,
  onProgress: (done: number, total: number) => void,
  signal: AbortSignal,
) => Promise<Finding>;

/** What is known of one side at the frame that is looked at. */
export type SideState =
  | { readonly kind: 'state'; readonly state: unknown; readonly isRecorded: boolean }
  | { readonly kind: 'none'; readonly why: string };

/** What the page shows. */
export interface InspectionView {
  /** None, A alone, or A and B: two peers' recordings of one match. */
  readonly sides: readonly Opened[];
  /** What they are run and drawn with; null when this page does not have it, or it is another version. */
  readonly game: InspectedGame | null;
  /** Why there is no game, as a sentence. */
  readonly gameProblem: string | null;
  /** The state before this frame is looked at. */
  readonly frame: number;
  /** The first and the last frame that can be looked at. */
  readonly firstFrame: number;
  readonly lastFrame: number;
  readonly isPlaying: boolean;
  /** The states are shown as the pages showed them then, with what they predicted; else as they turned out. */
  readonly isAsSeen: boolean;
  /** False while the way to `frame` is still being run. */
  readonly isSettled: boolean;
  readonly finding: Finding | null;
  /** Of the search for the first difference, 0 to 1; null when it is over. */
  readonly progress: number | null;
  /** Why files were refused, as sentences. */
  readonly refusals: readonly string[];
}

const EMPTY: InspectionView = {
  sides: [],
  game: null,
  gameProblem: null,
  frame: 0,
  firstFrame: 0,
  lastFrame: 0,
  isPlaying: false,
  isAsSeen: false,
  isSettled: true,
  finding: null,
  progress: null,
  refusals: [],
};

/**
 * One or two recordings that are looked at, frame by frame. No DOM, no clock: who draws calls `tick` with the time and
 * a bound on the work, again and again while `needsTicks`.
 */
export class Inspection {
  readonly #games: readonly InspectedGame[];
  readonly #analyst: Analyst;
  readonly #listeners = new Set<() => void>();
  #view: InspectionView = EMPTY;
  #runs: readonly RecordedRun<unknown, unknown>[] = [];
  /** Undefined for a side that has no rollbacks. */
  #seen: readonly (SeenRun<unknown, unknown> | undefined)[] = [];
  #search: AbortController | null = null;
  /** The frame to look at first, before there is anything to look at. */
  #wanted: number | null = null;
  /** When and where the playing began; null before its first tick. */
  #playedFrom: { readonly nowMs: number; readonly frame: number } | null = null;

  constructor(games: readonly InspectedGame[], analyst: Analyst) {
    this.#games = games;
    this.#analyst = analyst;
  }

  get view(): InspectionView {
    return this.#view;
  }

  get needsTicks(): boolean {
    return this.#view.isPlaying || !this.#view.isSettled;
  }

  /** Calls `listener` at every change; returns a function that stops that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #show(changes: Partial<InspectionView>): void {
    this.#view = { ...this.#view, ...changes };
    for (const listener of this.#listeners) listener();
  }

  /** Opens files: one takes the free place, two take both. What cannot be opened is refused in words. */
  add(files: readonly ReadFile[]): void {
    const refusals = files.flatMap((file) => ('refusal' in file ? [file.refusal] : []));
    const opened = files.flatMap((file) => ('opened' in file ? file.opened : []));
    if (opened.length > SIDES_MAX) {
      refusals.push(`${opened.length} recordings were given; the first ${SIDES_MAX} are shown.`);
    }
    const [first, second] = opened;
    const held = this.#view.sides;
    if (first === undefined) this.#show({ refusals });
    else if (second !== undefined) this.#look([first], second, refusals);
    else if (held.length === 0) this.#look([], first, refusals);
    else if (held.length < SIDES_MAX) this.#look(held, first, refusals);
    else this.#show({ refusals: [...refusals, `${first.name} has no place beside A and B. Close one of them first.`] });
  }

  /** Tells why something could not be opened. */
  refuse(reason: string): void {
    this.#show({ refusals: [...this.#view.refusals, reason] });
  }

  /** Closes side 0 (A) or 1 (B); B becomes A then. */
  close(side: number): void {
    const [left] = this.#view.sides.filter((_, at) => at !== side);
    this.cancelSearch();
    if (left === undefined) {
      this.#runs = [];
      this.#seen = [];
      this.#show(EMPTY);
    } else {
      this.#look([], left, []);
    }
  }

  #look(held: readonly Opened[], added: Opened, refusals: readonly string[]): void {
    const [a] = held;
    let sides = [...held, added];
    let finding: Finding | null = null;
    if (a !== undefined) {
      try {
        // Without the game this takes no time: the search that does only adds to it.
        finding = { kind: 'comparison', result: compareRecordings(a.recording, added.recording) };
      } catch (error) {
        if (!(error instanceof RiposteError)) throw error;
        refusals = [...refusals, `${added.name} was left out: ${error.message}.`];
        sides = [a];
        if (this.#view.sides[0] === a) {
          this.#show({ refusals });
          return;
        }
      }
    }
    this.cancelSearch();
    const { game, gameProblem, runs } = this.#gameOf(sides);
    this.#runs = runs;
    this.#seen = sides.map(({ recording }) => {
      const hasRollbacks = game !== null && recording.events.some(({ kind }) => kind === 'rollback');
      return hasRollbacks ? new SeenRun(game.game, recording) : undefined;
    });
    const isAsSeen = this.#view.isAsSeen && this.hasRollbacks;
    const firstFrame = Math.min(...sides.map(({ recording }) => recording.firstFrame));
    const lastFrame = Math.max(...sides.map(({ recording }) => recording.firstFrame + recording.frames));
    const wanted = this.#wanted ?? (this.#view.sides.length > 0 ? this.#view.frame : firstFrame);
    this.#wanted = null;
    const frame = Math.max(firstFrame, Math.min(lastFrame, wanted));
    const range = { frame, firstFrame, lastFrame, isPlaying: false, isAsSeen, isSettled: runs.length === 0 };
    this.#show({ sides, game, gameProblem, ...range, finding, refusals });
    if (game !== null) void this.#startSearch(sides, game.game.id, finding);
  }

  /** The game of the recordings and a run of each; or why there is none. */
  #gameOf(sides: readonly Opened[]): {
    game: InspectedGame | null;
    gameProblem: string | null;
    runs: readonly RecordedRun<unknown, unknown>[];
  } {
    const { gameId, gameVersion } = sides[0]!.recording.header;
    const inspected = this.#games.find(({ game }) => game.id === gameId);
    const none = (gameProblem: string) => ({ game: null, gameProblem, runs: [] });
    if (inspected === undefined) {
      const known = new Intl.ListFormat('en').format(new Set(this.#games.map(({ game }) => game.id)));
      return none(
        `The recording is of ${gameId} ${gameVersion}, and this page has ${known}. ` +
          'Inputs and hashes are shown as they are written. To run and draw it: npx riposte inspect FILE --game GAME.ts',
      );
    }
    try {
      return {
        game: inspected,
        gameProblem: null,
        runs: sides.map(({ recording }) => new RecordedRun(inspected.game, recording)),
      };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return none(`The recording cannot be run here: ${error.message}.`);
    }
  }

  async #startSearch(sides: readonly Opened[], gameId: string, known: Finding | null): Promise<void> {
    const search = new AbortController();
    this.#search = search;
    this.#show({ progress: 0 });
    const onProgress = (done: number, total: number): void => {
      if (!search.signal.aborted) this.#show({ progress: done / Math.max(1, total) });
    };
    let finding = known;
    try {
      const files = sides.map(({ bytes }) => bytes);
      finding = await this.#analyst(files, gameId, onProgress, search.signal);
    } catch (error) {
      if (search.signal.aborted) return;
      finding ??= { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
    }
    if (search.signal.aborted) return;
    this.#search = null;
    this.#show({ finding, progress: null });
  }

  /** Gives up the search for the first difference; what is known by then stays. */
  cancelSearch(): void {
    if (this.#search === null) return;
    this.#search.abort();
    this.#search = null;
    this.#show({ progress: null });
  }

  /** Looks at `frame`, or at the nearest that is held; before anything is opened, remembers it. */
  seek(frame: number): void {
    const { sides, firstFrame, lastFrame } = this.#view;
    if (sides.length === 0) {
      this.#wanted = frame;
      return;
    }
    const held = Math.max(firstFrame, Math.min(lastFrame, Math.round(frame)));
    this.#playedFrom = null;
    this.#goTo(held, {});
  }

  #goTo(frame: number, changes: Partial<InspectionView>): void {
    this.#show({ ...changes, frame, isSettled: this.#runs.length === 0 });
  }

  /** Goes `frames` on, or back. Stops the playing. */
  step(frames: number): void {
    this.pause();
    this.seek(this.#view.frame + frames);
  }

  /** Goes to where the first difference shows; nowhere when there is none. */
  seekDifference(): void {
    const frame = this.differenceFrame;
    if (frame === null) return;
    this.pause();
    this.seek(frame);
  }

  get differenceFrame(): number | null {
    return this.#view.finding === null ? null : frameOf(this.#view.finding);
  }

  /** Plays on in real time; from the start when it stands at the end. */
  play(): void {
    const { frame, firstFrame, lastFrame, isPlaying } = this.#view;
    if (isPlaying || firstFrame === lastFrame) return;
    this.#playedFrom = null;
    if (frame === lastFrame) this.#goTo(firstFrame, { isPlaying: true });
    else this.#show({ isPlaying: true });
  }

  /** A side tells which frames were run again, so that they can be shown as they were seen. */
  get hasRollbacks(): boolean {
    return this.#seen.some((seen) => seen !== undefined);
  }

  /** Shows the states as the pages showed them, or as they turned out. */
  showAsSeen(isAsSeen: boolean): void {
    if (this.hasRollbacks) this.#goTo(this.#view.frame, { isAsSeen });
  }

  pause(): void {
    if (this.#view.isPlaying) this.#show({ isPlaying: false });
  }

  /** Plays up to the time `nowMs`, and runs what is to be shown until `isLate`. */
  tick(nowMs: number, isLate: () => boolean): void {
    const { isPlaying, lastFrame } = this.#view;
    // A game slower than its own rate is waited for: the picture then plays late instead of never.
    if (isPlaying && this.#view.isSettled) {
      this.#playedFrom ??= { nowMs, frame: this.#view.frame };
      const { tickRate } = this.#view.sides[0]!.recording.header;
      const played = this.#playedFrom.frame + Math.floor(((nowMs - this.#playedFrom.nowMs) * tickRate) / 1000);
      const frame = Math.min(lastFrame, played);
      if (frame !== this.#view.frame) this.#goTo(frame, { isPlaying: frame < lastFrame });
    }
    if (this.#view.isSettled) return;
    const { frame } = this.#view;
    const isThere = this.#runs.map((run, side) => {
      const held = Math.max(run.firstFrame, Math.min(run.lastFrame, frame));
      return run.seek(this.#seenOn(side)?.baseOf(held) ?? held, isLate);
    });
    if (isThere.every(Boolean)) this.#show({ isSettled: true });
  }

  #seenOn(side: number): SeenRun<unknown, unknown> | undefined {
    return this.#view.isAsSeen ? this.#seen[side] : undefined;
  }

  /** Side 0's or 1's state before the frame that is looked at; of a frame on the way there while it is not settled. */
  stateOf(side: number): SideState {
    const { frame, gameProblem } = this.#view;
    const run = this.#runs[side];
    if (run === undefined) return { kind: 'none', why: gameProblem ?? 'Nothing is opened here.' };
    if (frame < run.firstFrame || frame > run.lastFrame) {
      return { kind: 'none', why: `This recording has frames ${run.firstFrame} to ${run.lastFrame}.` };
    }
    if (run.problem !== null) return { kind: 'none', why: `${run.problem}.` };
    const seen = this.#seenOn(side);
    // On the way to the frame there is only what turned out.
    if (seen === undefined || run.frame !== seen.baseOf(frame)) {
      return { kind: 'state', state: run.state, isRecorded: run.isRecorded };
    }
    try {
      return { kind: 'state', state: seen.show(frame, run.state), isRecorded: run.isRecorded };
    } catch (error) {
      return { kind: 'none', why: `The game threw on what was predicted: ${String(error)}.` };
    }
  }

  /** One player's words in the frame that is looked at; undefined after the last. */
  inputAt(recording: Recording, player: number): Int32Array | undefined {
    const { frame } = this.#view;
    const track = recording.inputs[player];
    if (track === undefined || frame < track.firstFrame || frame >= track.endFrame) return undefined;
    const words = new Int32Array(track.words);
    track.read(frame, words, 0);
    return words;
  }
}
