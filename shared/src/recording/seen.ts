import type { Game } from '../game/game.js';
import { copyWords, repeatLast } from '../input/predictor.js';
import { FRAME_NEVER } from '../input/timeline.js';
import { Stepper } from '../rollback/stepper.js';
import { goneIn } from './absences.js';
import type { EventBody } from './events.js';
import type { Recording } from './reader.js';

type Rollback = Extract<EventBody, { kind: 'rollback' }> & { readonly frame: number };

/**
 * What the page of the recording peer showed: each state as it was when its frame first ran, with what was then
 * predicted of the inputs that rollbacks put right later.
 */
export class SeenRun<S, I> {
  readonly #game: Game<S, I>;
  readonly #recording: Recording;
  readonly #rollbacks: readonly Rollback[];
  readonly #depthMax: number;
  readonly #stepper: Stepper<S, I>;
  readonly #state: S;
  /** By player: the first frame whose input was not known yet. */
  readonly #wrongFrom: Int32Array;
  readonly #words: Int32Array;
  readonly #last: Int32Array;

  constructor(game: Game<S, I>, recording: Recording) {
    const { players } = recording.header;
    this.#game = game;
    this.#recording = recording;
    this.#rollbacks = recording.events.flatMap((event) =>
      event.kind === 'rollback' && event.player < players ? [event] : [],
    );
    this.#depthMax = this.#rollbacks.reduce((depth, { frame, first }) => Math.max(depth, frame - first), 0);
    this.#stepper = new Stepper(game, players);
    this.#state = game.state.create();
    this.#wrongFrom = new Int32Array(players);
    this.#words = new Int32Array(game.input.words);
    this.#last = new Int32Array(game.input.words);
  }

  /** The frame up to which the state that was shown before `frame` was already right: `show` goes on from there. */
  baseOf(frame: number): number {
    const head = frame - 1;
    this.#wrongFrom.fill(FRAME_NEVER);
    let base = frame;
    for (let at = this.#firstFrom(head); at < this.#rollbacks.length; at++) {
      const rollback = this.#rollbacks[at]!;
      if (rollback.frame > head + this.#depthMax) break;
      if (rollback.first > head || rollback.first < this.#recording.firstFrame) continue;
      const { player, first } = rollback;
      this.#wrongFrom[player] = Math.min(this.#wrongFrom[player]!, first);
      base = Math.min(base, first);
    }
    return base;
  }

  /** The first rollback after frame `head` had run. */
  #firstFrom(head: number): number {
    let low = 0;
    let high = this.#rollbacks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rollbacks[middle]!.frame < head) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * The state before `frame` as it was shown. `right` is the recorded state before `baseOf(frame)`. What is returned is
   * reused by the next call. Throws what the game throws.
   */
  show(frame: number, right: S): S {
    const base = this.baseOf(frame);
    this.#game.state.copy(right, this.#state);
    for (let now = base; now < frame; now++) {
      for (let player = 0; player < this.#wrongFrom.length; player++) this.#press(player, now);
      this.#stepper.step(this.#state, now);
    }
    return this.#state;
  }

  #press(player: number, frame: number): void {
    const { absences, firstFrame, inputs } = this.#recording;
    const track = inputs[player]!;
    const wrongFrom = this.#wrongFrom[player]!;
    const known = Math.min(frame, wrongFrom - 1);
    this.#stepper.connect(player, known < firstFrame || (goneIn(absences, known) & (1 << player)) === 0);
    if (known < firstFrame) this.#last.set(this.#game.input.neutral);
    else track.read(known, this.#last, 0);
    const words = this.#last.length;
    if (known === frame) copyWords(this.#last, 0, this.#words, 0, words);
    else (this.#game.predictor ?? repeatLast)(this.#last, 0, frame - known, this.#words, 0, words);
    this.#stepper.press(player, this.#words, 0);
  }
}
