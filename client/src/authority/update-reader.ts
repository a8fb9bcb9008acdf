import { applyStateDelta, RiposteError, type RollbackSim, stateDistance } from '@riposte/shared';
import { type Begin, UpdateCodec, type UpdateHead, updateHead } from '@riposte/shared/protocol';
import type { Meter } from '../session/measures.js';
import { LossCount } from './loss-count.js';

/** So far behind the authority, frames are run one by one however dear they are, so that what they emit is told. */
const CATCH_UP_FRAMES = 8;

/** What the updates did to the prediction. */
export interface Figures {
  /** Whole states that were taken in place of inputs: after a gap, or a difference. */
  statesTaken: number;
  /** Times that the same inputs gave another state here: a fault of determinism, or another game. */
  divergences: number;
  /** Frames that the authority stepped without this player's input. */
  missedFrames: number;
  /** Updates that told nothing new. */
  staleUpdates: number;
}

/** What became of an update. `jumped`: the present is another one now, and its right moment with it. `stale`: no news. */
export type Taken = 'taken' | 'jumped' | 'stale' | 'dropped';

/**
 * Puts a client's simulation right by the authority's updates. An update tells which inputs were stepped since the last
 * one: they overrule what was predicted, the own ones too, and the frames after the first difference run again. So
 * effects become final and facts are told as between peers. The state that comes along proves the result by its hash;
 * it is taken whole only where inputs are missing, or do not lead to it.
 */
export class UpdateReader<S, I> {
  readonly head: UpdateHead = updateHead();
  readonly figures: Figures = {
    statesTaken: 0,
    divergences: 0,
    missedFrames: 0,
    staleUpdates: 0,
  };
  /** The authority's word on every frame before this one is held, and the state before it is proven by its hash. */
  held: number;
  /** Nothing can be simulated or put right before a whole state has come. */
  wantsState: boolean;
  /** The match ends when the authority has stepped the frame before it; infinite until that is known. */
  endFrame: number;
  readonly loss = new LossCount();
  readonly #sim: RollbackSim<S, I>;
  readonly #meter: Meter<S>;
  readonly #me: number;
  readonly #codec: UpdateCodec;
  readonly #words: number;
  readonly #gone: boolean[];
  /** The newest update that was read. */
  #newest = -1;
  /** The newest update whose frames have not all run yet; -1 for none. What its state is, and what was predicted for it. */
  #unproven = -1;
  #hash = 0;
  #predicted: S | undefined;

  constructor(sim: RollbackSim<S, I>, begin: Begin, meter: Meter<S>) {
    const { words, bits } = sim.game.input;
    this.#sim = sim;
    this.#meter = meter;
    this.#me = begin.player;
    this.#words = words;
    this.#codec = new UpdateCodec(sim.players, words, bits);
    this.#gone = Array.from({ length: sim.players }, () => false);
    this.held = begin.frame;
    this.wantsState = begin.frame > 0;
    this.endFrame = begin.frames ?? Number.POSITIVE_INFINITY;
  }

  /** The authority plays on without this player. */
  get isGone(): boolean {
    return this.#gone[this.#me] === true;
  }

  take(nowMs: number, bytes: Uint8Array): Taken {
    const { head } = this;
    const state = this.#codec.decode(bytes, Math.max(this.held, this.#newest), head);
    if (state === undefined) return 'dropped';
    this.loss.take(head.number, head.frame > this.#newest);
    if (head.frame > this.#newest) {
      this.#newest = head.frame;
      this.figures.missedFrames += (head.missed - this.figures.missedFrames) & 0xffff;
    }
    const isNew = head.frame > this.held || (this.wantsState && head.frame === this.held);
    if (!isNew) {
      this.figures.staleUpdates++;
      return 'stale';
    }
    const hasGap = this.wantsState || head.frame - head.count > this.held;
    if (hasGap || this.#isTooFarBehind(head.frame, state.length > 0)) return this.#jump(nowMs, state);
    return this.#takeInputs(nowMs, state);
  }

  /** Goes on from the state that came along; without one, nothing goes on until one comes. */
  #jump(nowMs: number, sent: Uint8Array): Taken {
    const { head } = this;
    const state = this.#stateOf(sent);
    if (state !== undefined && this.takeState(nowMs, head.frame, state, head)) return 'jumped';
    this.wantsState = true;
    return 'stale';
  }

  /** The whole state of the update, of which some of the bytes are held here already. */
  #stateOf(sent: Uint8Array): Uint8Array | undefined {
    const { base } = this.head;
    if (sent.length === 0) return undefined;
    if (base < 0) return sent;
    try {
      return applyStateDelta(sent, this.#sim.game.state.encode(this.#sim.stateAt(base)));
    } catch (error) {
      if (!(error instanceof RiposteError)) throw error;
      return undefined;
    }
  }

  /** A machine that cannot run in time what it lacks goes on from the state, where one came along. */
  #isTooFarBehind(frame: number, hasState: boolean): boolean {
    const behind = frame - 1 - this.#sim.lastFrame();
    return hasState && behind > Math.max(CATCH_UP_FRAMES, this.#sim.replayLeft);
  }

  #takeInputs(nowMs: number, state: Uint8Array): Taken {
    const { head } = this;
    const sim = this.#sim;
    const wasBehind = sim.lastFrame() < head.frame - 1;
    this.#predicted = this.#wrongPrediction(head.frame, head.hash);
    this.#meter.took(nowMs, sim.lastFrame() - head.frame + 1);
    try {
      for (let player = 0; player < sim.players; player++) this.#overrule(player);
      for (; sim.lastFrame() < head.frame - 1 && sim.replayLeft >= 1; sim.replayLeft--) sim.advance();
    } catch (error) {
      // What contradicts itself, or names frames that cannot be: only a whole state leads out of it.
      if (!(error instanceof RiposteError)) throw error;
      this.wantsState = true;
      return 'stale';
    }
    this.#unproven = head.frame;
    this.#hash = head.hash;
    if (!this.prove(nowMs)) return this.#jump(nowMs, state);
    return wasBehind ? 'jumped' : 'taken';
  }

  /**
   * Once all frames of the newest update have run, compares what came of them with the authority's hash: what is equal is
   * held. False, and a state is wanted, where it is not.
   */
  prove(nowMs: number): boolean {
    const sim = this.#sim;
    const frame = this.#unproven;
    sim.settle();
    if (frame < 0 || sim.lastFrame() < frame - 1) return true;
    this.#unproven = -1;
    if (sim.hashAt(frame) !== this.#hash) {
      this.figures.divergences++;
      this.wantsState = true;
      return false;
    }
    if (this.#predicted !== undefined) this.#correct(nowMs, frame, this.#predicted);
    this.#settleThrough(frame);
    return true;
  }

  /** The predicted state before `frame`, where it is not the authority's. */
  #wrongPrediction(frame: number, hash: number): S | undefined {
    const sim = this.#sim;
    const isSimulated = frame <= sim.lastFrame() + 1 && frame > sim.lastFrame() + 1 - sim.history;
    return isSimulated && sim.hashAt(frame) !== hash ? sim.stateAt(frame) : undefined;
  }

  #correct(nowMs: number, frame: number, predicted: S): void {
    this.#meter.corrected(nowMs, stateDistance(this.#sim.game.state, predicted, this.#sim.stateAt(frame)), frame);
  }

  /** The inputs that this player was stepped with since the last update. */
  #overrule(player: number): void {
    const { frame, count } = this.head;
    const from = this.#codec.goneFrom[player]!;
    const first = this.held;
    const known = Math.min(frame, from) - first;
    if (this.#gone[player] === true) return;
    const at = (first - (frame - count) + 1) * this.#words;
    if (known > 0) this.#sim.putInputs(player, first, known, this.#codec.inputs[player]!, at, player === this.#me);
    if (from > frame) return;
    this.#gone[player] = true;
    if (player !== this.#me) this.#sim.disconnect(player, from);
  }

  /**
   * Takes a whole state as that before `frame`; `head` is the update that it came with. False, with nothing changed, for
   * one that is no state, or that came by itself and is not needed any more.
   */
  takeState(nowMs: number, frame: number, bytes: Uint8Array, head?: UpdateHead): boolean {
    const sim = this.#sim;
    if (!this.wantsState && head === undefined) return false;
    const { state: model } = sim.game;
    const state = model.create();
    try {
      model.decode(bytes, state);
      if (head !== undefined && model.hash(state) !== head.hash) return false;
      const predicted = this.#wrongPrediction(frame, model.hash(state));
      sim.reconcile(frame, state, head && head.count > 0 ? this.#before(head) : undefined);
      if (predicted !== undefined) this.#correct(nowMs, frame, predicted);
    } catch (error) {
      if (!(error instanceof RiposteError)) throw error;
      return false;
    }
    for (const [player, from] of this.#codec.goneFrom.entries()) {
      if (this.#gone[player] === true || from > frame) continue;
      this.#gone[player] = true;
      if (player !== this.#me) sim.disconnect(player, frame);
    }
    this.figures.statesTaken++;
    this.wantsState = false;
    this.#unproven = -1;
    this.#settleThrough(frame);
    return true;
  }

  /** Each player's input of the frame before the update's. */
  #before({ count }: UpdateHead): Int32Array {
    const before = new Int32Array(this.#sim.players * this.#words);
    for (const [player, inputs] of this.#codec.inputs.entries()) {
      before.set(inputs.subarray(count * this.#words, (count + 1) * this.#words), player * this.#words);
    }
    return before;
  }

  #settleThrough(frame: number): void {
    this.held = frame;
    const { outcome } = this.#sim;
    if (outcome !== undefined && outcome.frame < frame) this.endFrame = Math.min(this.endFrame, outcome.frame + 1);
  }
}
