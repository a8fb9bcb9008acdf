import { type Game, RiposteError, RollbackSim, type SimOptions } from '@riposte/shared';
import type { Welcome } from '@riposte/shared/protocol';
import type { Agreed } from './handshake.js';
import type { RollbackDriver } from './rollback-driver.js';

/** Bytes of state in one message: far below what any browser takes. */
const CHUNK_BYTES = 16_384;
/** Marks a reliable message as a chunk of state; text messages begin with a brace. */
const CHUNK_MARK = 0;

export function isStateChunk(bytes: Uint8Array): boolean {
  return bytes[0] === CHUNK_MARK;
}

/**
 * The running match for a player who lost it, or for a spectator, over a connection of this epoch: what to tell, and the
 * state's messages that follow. A spectator needs no inputs that are not final.
 */
export function describeMatch<S, I>(
  { sim, checker }: Pick<RollbackDriver<S, I>, 'sim' | 'checker'>,
  player: number | undefined,
  epoch: number,
  agreed: Agreed,
): { readonly welcome: Welcome; readonly chunks: Uint8Array[] } {
  const frame = checker.newest + 1;
  const state = sim.stateAt(frame);
  const bytes = sim.game.state.encode(state);
  const players = Array.from({ length: sim.players }, (_, player) => player);
  const welcome: Welcome = {
    type: 'welcome',
    epoch,
    seed: agreed.seed,
    settings: { ...agreed.settings },
    names: [...agreed.names],
    inputDelays: [...agreed.inputDelays],
    frames: Number.isFinite(agreed.frames) ? agreed.frames : null,
    frame,
    holds: player === undefined ? -1 : sim.heldThrough(player),
    chain: checker.chainOf(frame - 1) ?? 0,
    hash: sim.game.state.hash(state),
    bytes: bytes.length,
    before: players.map((each) => inputsOf(sim, each, frame - 1, frame - 1)),
    inputs: players.map((each) => (player === undefined ? [] : inputsAfter(sim, each, frame))),
    absences: players.map((each) =>
      // Also one that ends just there: until the player is heard, its end may be put off.
      player === undefined ? absenceAt(sim, each, frame) : sim.absenceAfter(each, frame - 1),
    ),
  };
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const part = bytes.subarray(at, at + CHUNK_BYTES);
    const chunk = new Uint8Array(part.length + 1);
    chunk[0] = CHUNK_MARK;
    chunk.set(part, 1);
    chunks.push(chunk);
  }
  return { welcome, chunks };
}

/** Whether a player is in the match at `frame`: of later absences a spectator is told when they come. */
function absenceAt<S, I>(sim: RollbackSim<S, I>, player: number, frame: number): [number, null] | null {
  return sim.isGone(player, frame) ? [frame, null] : null;
}

/** A player's inputs from `frame` on; of one who is not there then, those since it is again. */
function inputsAfter<S, I>(sim: RollbackSim<S, I>, player: number, frame: number): number[] {
  const absence = sim.absenceAfter(player, frame);
  if (absence === null) return inputsOf(sim, player, frame, sim.heldThrough(player));
  const [goneFrom, backFrom] = absence;
  if (goneFrom > frame) return inputsOf(sim, player, frame, goneFrom - 1);
  return backFrom === null ? [] : inputsOf(sim, player, backFrom, sim.heldThrough(player));
}

function inputsOf<S, I>(sim: RollbackSim<S, I>, player: number, first: number, last: number): number[] {
  const words = new Int32Array(sim.game.input.words);
  const all: number[] = [];
  for (let frame = first; frame <= last; frame++) {
    if (!sim.readInput(player, frame, words, 0)) words.set(sim.game.input.neutral);
    all.push(...words);
  }
  return all;
}

/** Takes in a running match: the welcome first, then its state piece by piece. */
export class StateReceiver<S, I> {
  readonly welcome: Welcome;
  readonly #game: Game<S, I>;
  readonly #bytes: Uint8Array;
  #filled = 0;

  constructor(game: Game<S, I>, welcome: Welcome) {
    this.welcome = welcome;
    this.#game = game;
    this.#bytes = new Uint8Array(welcome.bytes);
  }

  /** Takes the next piece; true once all are there. Throws `bad-state` for more than was announced. */
  take(chunk: Uint8Array): boolean {
    const part = chunk.subarray(1);
    if (this.#filled + part.length > this.#bytes.length) {
      throw new RiposteError('bad-state', `more than the ${this.#bytes.length} bytes of state that were announced`);
    }
    this.#bytes.set(part, this.#filled);
    this.#filled += part.length;
    return this.isComplete;
  }

  get isComplete(): boolean {
    return this.#filled === this.#bytes.length;
  }

  /** What the players had agreed on. */
  get agreed(): Agreed {
    const { seed, settings, names, inputDelays, frames } = this.welcome;
    return { seed, settings, names, inputDelays, frames: frames ?? Number.POSITIVE_INFINITY };
  }

  /** The state at the frame of the welcome. Throws `bad-state` for one that is not whole. */
  state(): S {
    const { hash, before, inputs } = this.welcome;
    const { input, state: model } = this.#game;
    const state = model.create();
    model.decode(this.#bytes, state);
    const found = model.hash(state);
    if (found !== hash || before.some(({ length }) => length !== input.words) || inputs.length !== before.length) {
      throw new RiposteError('bad-state', `the state that arrived has hash ${found}; expected ${hash}`);
    }
    return state;
  }

  /** The match at the frame of the welcome, with every input that came along. Throws `bad-state` for one that is not whole. */
  simulation(options: SimOptions): RollbackSim<S, I> {
    const { seed, settings, frame, before, inputs, absences } = this.welcome;
    const words = this.#game.input.words;
    const sim = new RollbackSim(this.#game, { ...options, players: before.length, seed, settings });
    const state = this.state();
    const last = Int32Array.from(before.flat());
    // Whoever is not there is known to be so from its own frame on, as all others know it.
    const gone = absences.flatMap((absence, player) =>
      absence === null || absence[0] > frame ? [] : [{ player, from: absence[0] }],
    );
    for (const { player, from } of gone.sort((one, other) => one.from - other.from)) {
      sim.reconcile(from, state, from === frame ? last : undefined);
      sim.disconnect(player, from);
    }
    sim.reconcile(frame, state, last);
    for (const [player, flat] of inputs.entries()) {
      const [goneFrom, backFrom] = absences[player] ?? [null, null];
      const isGone = goneFrom !== null && goneFrom <= frame;
      if (isGone && backFrom !== null) sim.admit(player, backFrom);
      const first = isGone ? (backFrom ?? frame) : frame;
      if (flat.length > 0) sim.putInputs(player, first, Math.floor(flat.length / words), Int32Array.from(flat), 0);
      if (goneFrom === null || isGone) continue;
      sim.disconnect(player, goneFrom);
      if (backFrom !== null) sim.admit(player, backFrom);
    }
    return sim;
  }
}
