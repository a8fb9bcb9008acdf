import {
  type CorrectionOptions,
  type CorrectionPlan,
  coordinatesOf,
  type Position,
  requireCorrectionOptions,
} from '@riposte/shared';
import { DisplayOffset } from './display-offset.js';
import { positionOf, shortestTurn } from './interpolation.js';

export interface DisplayOptions extends CorrectionOptions {
  /** The positions are angles in radians: numbers that are brought together the shorter way round. */
  readonly angle?: boolean;
  /** Corrections below this, close to each other, are merged into one; an eighth of `snapDistance` by default. */
  readonly smallDistance?: number;
}

/** The type of all positions of a kind: of 0, any number. */
type Kind<P extends Position> = P extends number ? number : P;

/**
 * Where to draw one thing whose logical position is corrected now and then. The logic never sees it: collisions and
 * the next prediction use the corrected state at once, and only the picture takes its time.
 *
 * Call `step` after each tick, `correct` when the present position turned out to be another one, `teleport` when the
 * thing jumped in the game's own rules, and `shown` for each picture.
 */
export class DisplayedPosition<P extends Position> {
  readonly #isAngle: boolean;
  readonly #offset: DisplayOffset;
  #position: Kind<P>;
  #previous: readonly number[];
  #current: readonly number[];

  /** Throws `TypeError` for a position, `RangeError` for an option. */
  constructor(position: Kind<P>, options: DisplayOptions) {
    this.#isAngle = options.angle ?? false;
    if (this.#isAngle && typeof position !== 'number') {
      throw new TypeError(`position is ${JSON.stringify(position)}; expected a number for an angle`);
    }
    requireCorrectionOptions(options);
    this.#offset = new DisplayOffset(options, options.smallDistance);
    this.#position = position;
    this.#current = coordinatesOf('position', position);
    this.#previous = this.#current;
  }

  /** The logical position, as it was last given. */
  get logical(): Kind<P> {
    return positionOf(this.#position, this.#current);
  }

  /** Corrections that were merged into the one before them. */
  get merged(): number {
    return this.#offset.merged;
  }

  #coordinates(position: Kind<P>): readonly number[] {
    const coordinates = coordinatesOf('position', position);
    if (coordinates.length === this.#current.length) return coordinates;
    throw new TypeError(`position has ${coordinates.length} coordinates; expected ${this.#current.length}`);
  }

  /** The game ticked: pictures now lie between the position before and this one. */
  step(position: Kind<P>): void {
    const next = this.#coordinates(position);
    this.#previous = this.#current;
    this.#current = next;
    this.#position = position;
  }

  /**
   * The present position, given by `step` before, is `position` in truth. The picture goes on from what it shows now.
   * `previous` is the corrected position of the tick before; by default it moves as the present one does.
   */
  correct(position: Kind<P>, nowMs: number, previous?: Kind<P>): CorrectionPlan<Kind<P>> {
    requireTime(nowMs);
    const next = this.#coordinates(position);
    const before = previous === undefined ? undefined : this.#coordinates(previous);
    const move = this.#between(this.#current, next);
    const plan = this.#offset.correct(move, next, nowMs);
    this.#previous = before ?? this.#previous.map((value, index) => value + move[index]!);
    this.#current = next;
    this.#position = position;
    return { ...plan, target: positionOf(position, plan.target) };
  }

  /** The thing is somewhere else at once: neither blended nor interpolated. */
  teleport(position: Kind<P>): void {
    const next = this.#coordinates(position);
    this.#previous = next;
    this.#current = next;
    this.#position = position;
    this.#offset.clear();
  }

  /** Where to draw: `alpha` of the way from the position before to the present one, 0 to 1, and what is left to blend. */
  shown(nowMs: number, alpha = 1): Kind<P> {
    requireTime(nowMs);
    const back = 1 - Math.min(1, Math.max(0, alpha));
    const way = this.#between(this.#current, this.#previous);
    const offset = this.#offset.at(nowMs);
    const coordinates = this.#current.map((value, index) => value + way[index]! * back + (offset[index] ?? 0));
    return positionOf(this.#position, this.#isAngle ? coordinates.map(shortestTurn) : coordinates);
  }

  #between(from: readonly number[], to: readonly number[]): readonly number[] {
    const way = to.map((value, index) => value - from[index]!);
    return this.#isAngle ? way.map(shortestTurn) : way;
  }
}

function requireTime(nowMs: number): void {
  if (!Number.isFinite(nowMs)) throw new TypeError(`nowMs is ${String(nowMs)}; expected a finite number`);
}
