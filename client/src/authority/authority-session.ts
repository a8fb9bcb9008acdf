import { PLAYERS_MAX, RiposteError, RollbackSim, requireInteger, type SimRecorder, stateDelta } from '@riposte/shared';
import {
  type AuthorityMessage,
  type Join,
  parseAuthorityMessage,
  parseControl,
  UpdateCodec,
  updateHead,
  WIRE_VERSION,
} from '@riposte/shared/protocol';
import { foreignWire, otherRelease } from '../session/handshake.js';
import type { Spread } from '../session/samples.js';
import type { EndCause } from '../session/session-types.js';
import type { Channel } from '../transport/transport.js';
import { type AuthorityOptions, type AuthorityOutput, UPDATES_PER_SECOND_DEFAULT } from './authority-types.js';
import { PlayerSeat } from './player-seat.js';
import { statePieces } from './state-pieces.js';

/** From everybody's arrival to frame 0: the farthest client's first input must be here by then. */
const START_MS = 500;
/** A machine that was away steps no more than this at once; what lies beyond is not made up for: all clients wait. */
const BEHIND_FRAMES_MAX = 15;
/** How long the end is repeated to those who have not said that they have it. */
const BYE_MS = 3000;
/** Whole states over the reliable lane, for one client: one under way at a time, by any usual link. */
const STATE_EVERY_MS = 1000;
/** Words about refused inputs, for one client: more would fill its lane. */
const DENIALS_MAX = 200;

const WRONG_MODE = {
  code: 'authority',
  message: 'This room is run by an authority: open the link that it gave, which has authority=1.',
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** How one player's inputs came, as the authority sees it. */
export interface SeatFigures {
  readonly name: string;
  /** Milliseconds from an input's arrival to its frame's step; negative for those that came too late. */
  readonly slackMs: Spread;
  /** Frames that were stepped without this player's input; inputs that came after their frame. */
  readonly missed: number;
  readonly late: number;
  /** Inputs that broke the rules. */
  readonly refused: number;
  readonly droppedPackets: number;
}

/**
 * The side that has the last word, sans I/O: owns the state of a game, steps each frame on time by its own clock with
 * the inputs that are there, and tells every player what it stepped. Call `open` when both lanes to a player's page can
 * send, `receive` for all that arrives, `closed` when that connection ends, and `poll` a few times in each frame.
 */
export class AuthoritySession<S, I> {
  readonly sim: RollbackSim<S, I>;
  readonly seats: readonly PlayerSeat<S, I>[];
  readonly updatesPerSecond: number;
  readonly #options: AuthorityOptions<S, I>;
  readonly #output: AuthorityOutput;
  readonly #frameMs: number;
  readonly #codec: UpdateCodec;
  readonly #update = updateHead();
  readonly #words: Int32Array;
  readonly #input: I;
  #recorder: SimRecorder<S, I> | undefined;
  #state: 'waiting' | 'running' | 'ended' = 'waiting';
  /** When the next frame is stepped, and the next updates leave. */
  #nextMs = Number.NaN;
  #updateMs = Number.NaN;
  #endFrame: number;
  #completeMs = Number.NaN;
  #droppedMessages = 0;

  /** Throws `bad-argument` for an option out of range. */
  constructor(options: AuthorityOptions<S, I>, output: AuthorityOutput) {
    const { game, seed, settings, frames, updatesPerSecond = UPDATES_PER_SECOND_DEFAULT } = options;
    requireInteger('updatesPerSecond', updatesPerSecond, 1, game.tickRate);
    requireInteger('players', game.players, 1, PLAYERS_MAX);
    this.#options = options;
    this.#output = output;
    this.updatesPerSecond = Math.min(updatesPerSecond, game.tickRate);
    this.#frameMs = 1000 / game.tickRate;
    this.#endFrame = frames ?? Number.POSITIVE_INFINITY;
    this.sim = new RollbackSim(game, { seed, ...(settings !== undefined && { settings }), saving: 'every' });
    this.seats = Array.from({ length: game.players }, (_, player) => new PlayerSeat(player, game));
    this.#codec = new UpdateCodec(game.players, game.input.words, game.input.bits);
    this.#words = new Int32Array(game.input.words);
    this.#input = game.input.create();
  }

  /** The frame that is stepped next: all before it are final. */
  get frame(): number {
    return this.sim.lastFrame() + 1;
  }

  get isComplete(): boolean {
    return this.frame >= this.#endFrame;
  }

  /** Messages that were none. */
  get droppedMessages(): number {
    return this.#droppedMessages;
  }

  figures(nowMs: number): SeatFigures[] {
    return this.seats.map((seat) => ({
      name: seat.name ?? '',
      slackMs: seat.slack.spread(nowMs),
      missed: seat.missed,
      late: seat.late,
      refused: seat.refused,
      droppedPackets: seat.dropped,
    }));
  }

  #seat(player: number): PlayerSeat<S, I> {
    const seat = this.seats[player];
    if (seat !== undefined) return seat;
    throw new RiposteError('bad-argument', `player is ${player}; expected 0 to ${this.seats.length - 1}`);
  }

  #send(player: number, message: AuthorityMessage): void {
    this.#output.send(player, 'reliable', encoder.encode(JSON.stringify(message)));
  }

  /** Takes bytes from a player. Never throws for them: what is none of ours is counted and dropped. */
  receive(nowMs: number, player: number, channel: Channel, bytes: Uint8Array): void {
    const seat = this.#seat(player);
    if (this.#state === 'ended' || seat.isGone) return;
    if (channel === 'unreliable') {
      if (this.#state === 'running') seat.receive(nowMs, bytes, this.frame, this.#nextMs - nowMs);
      return;
    }
    const text = decoder.decode(bytes);
    const message = parseAuthorityMessage(text);
    if (message?.type === 'join') this.#join(nowMs, seat, message);
    else if (message?.type === 'bye') {
      if (message.reason === 'finished') seat.isDone = true;
      else this.#lose(seat);
    } else {
      this.#droppedMessages++;
      const foreign = foreignWire(text);
      // A page that looks for another peer understands a refusal.
      if (parseControl(text)?.type === 'hello') this.#send(player, { type: 'refuse', ...WRONG_MODE });
      else if (foreign !== undefined) this.#send(player, { type: 'refuse', ...foreignPage(foreign) });
    }
  }

  #join(nowMs: number, seat: PlayerSeat<S, I>, message: Join): void {
    const refusal = refusalOf(this.#options, message);
    if (refusal !== undefined) {
      this.#send(seat.player, { type: 'refuse', ...refusal });
      return;
    }
    const isNew = seat.name === undefined;
    seat.join(nowMs, message.name);
    this.#send(seat.player, { type: 'ready' });
    if (isNew) this.#output.event({ type: 'joined', player: seat.player, name: message.name });
    if (this.#state === 'running') this.#begin(nowMs, seat);
    else if (this.seats.every(({ name }) => name !== undefined)) this.#start(nowMs);
  }

  get #names(): string[] {
    return this.seats.map(({ name }) => name ?? '');
  }

  #start(nowMs: number): void {
    this.#state = 'running';
    this.#nextMs = nowMs + START_MS;
    this.#updateMs = this.#nextMs;
    this.#recorder = this.#options.record?.(this.#names).recorderOf(this.sim);
    for (const seat of this.seats) {
      seat.link?.heard(nowMs);
      this.#begin(nowMs, seat);
    }
    this.#output.event({ type: 'running' });
  }

  #begin(nowMs: number, { player }: PlayerSeat<S, I>): void {
    const { seed, settings, frames } = this.#options;
    this.#send(player, {
      type: 'begin',
      player,
      frame: this.frame,
      inMs: Math.max(0, this.#nextMs - nowMs),
      seed,
      settings: { ...settings },
      names: this.#names,
      frames: frames ?? null,
      updatesPerSecond: this.updatesPerSecond,
    });
  }

  /** The connection to a player ended: it may come back until the wait for it is over. */
  closed(player: number): void {
    const seat = this.#seat(player);
    seat.link?.closed();
    // Before the match the seat is free again.
    if (this.#state === 'waiting') seat.name = undefined;
  }

  /** Steps the frames that are due, and sends the updates that are. Throws what the game throws; the match is over then. */
  poll(nowMs: number): void {
    if (this.#state !== 'running') return;
    for (const seat of this.seats) this.#watch(nowMs, seat);
    const behind = Math.floor((nowMs - this.#nextMs) / this.#frameMs);
    if (behind > BEHIND_FRAMES_MAX) this.#nextMs = nowMs - BEHIND_FRAMES_MAX * this.#frameMs;
    try {
      while (this.#state === 'running' && this.#nextMs <= nowMs && !this.isComplete) {
        this.#step();
        this.#nextMs += this.#frameMs;
      }
    } catch (error) {
      this.fail('The game stopped on a fault at the authority.');
      throw error;
    }
    if (nowMs >= this.#updateMs) {
      const everyMs = 1000 / this.updatesPerSecond;
      this.#updateMs += everyMs * Math.ceil((nowMs - this.#updateMs + 1) / everyMs);
      this.#tellAll(nowMs);
    }
    if (this.isComplete) this.#finish(nowMs);
  }

  #watch(nowMs: number, seat: PlayerSeat<S, I>): void {
    if (seat.isGone || seat.link === undefined) return;
    const link = seat.link.poll(nowMs);
    if (link === 'lost') {
      this.#lose(seat);
      return;
    }
    if (seat.isInterrupted === (link === 'interrupted')) return;
    seat.isInterrupted = !seat.isInterrupted;
    this.#output.event({ type: seat.isInterrupted ? 'interrupted' : 'back', player: seat.player });
  }

  /** A player is gone from the next frame on; the others play on. */
  #lose(seat: PlayerSeat<S, I>): void {
    if (seat.isGone) return;
    if (this.#state === 'waiting') {
      seat.name = undefined;
      return;
    }
    seat.isGone = true;
    this.sim.disconnect(seat.player, this.frame);
    this.#codec.goneFrom[seat.player] = this.frame;
    this.#output.event({ type: 'gone', player: seat.player });
    if (this.seats.every(({ isGone, isDone }) => isGone || isDone)) this.#end('peer-left', 'All players left.');
  }

  #step(): void {
    const { sim } = this;
    const { frame } = this;
    for (const seat of this.seats) {
      if (!seat.isGone) this.#press(frame, seat);
    }
    sim.advance();
    this.#recorder?.finalBefore(frame + 1);
    if (sim.outcome?.frame === frame) this.#endFrame = Math.min(this.#endFrame, frame + 1);
  }

  #press(frame: number, seat: PlayerSeat<S, I>): void {
    const { game } = this.sim;
    const words = this.#words;
    if (seat.take(frame, words) && game.refuses !== undefined) {
      game.input.decode(words, 0, this.#input);
      const reason = game.refuses(this.sim.state, seat.player, this.#input);
      if (reason !== undefined) {
        words.set(game.input.neutral);
        if (seat.refused++ < DENIALS_MAX)
          this.#send(seat.player, { type: 'denied', frame, reason: reason.slice(0, 256) });
      }
    }
    this.sim.putInput(seat.player, frame, words, 0);
  }

  #tellAll(nowMs: number): void {
    const state = this.sim.game.state.encode(this.sim.state);
    for (const seat of this.seats) {
      if (seat.name !== undefined && !seat.isGone) this.#tell(nowMs, seat, state);
    }
  }

  #tell(nowMs: number, seat: PlayerSeat<S, I>, state: Uint8Array): void {
    const { sim } = this;
    const { frame } = this;
    const update = this.#update;
    const codec = this.#codec;
    const words = this.#words.length;
    update.frame = frame;
    update.count = Math.min(frame - seat.held, frame, codec.framesMax);
    update.hash = sim.hashAt(frame);
    seat.describe(nowMs, frame, update);
    for (const [player, inputs] of codec.inputs.entries()) {
      sim.readInput(player, frame - update.count, inputs, words, update.count);
    }
    const delta = this.#deltaFor(seat, state);
    update.base = delta === undefined ? -1 : seat.held;
    this.#output.send(seat.player, 'unreliable', codec.encode(update, delta ?? state));
    if (!seat.wantsState || codec.carriesState || nowMs - seat.stateSentMs < STATE_EVERY_MS) return;
    seat.stateSentMs = nowMs;
    for (const piece of statePieces(frame, state)) this.#output.send(seat.player, 'reliable', piece);
  }

  /** The state as its difference from the one that the player has said it holds, where that is known here and shorter. */
  #deltaFor({ held, wantsState }: PlayerSeat<S, I>, state: Uint8Array): Uint8Array | undefined {
    const { sim, frame } = this;
    if (wantsState || held >= frame || held <= frame - sim.history) return undefined;
    const delta = stateDelta(state, sim.game.state.encode(sim.stateAt(held)));
    return delta !== undefined && delta.length < state.length ? delta : undefined;
  }

  /** Repeats the end until all have it. */
  #finish(nowMs: number): void {
    if (Number.isNaN(this.#completeMs)) this.#completeMs = nowMs;
    const isTold = this.seats.every(({ isGone, isDone }) => isGone || isDone);
    if (isTold || nowMs - this.#completeMs > BYE_MS) this.#end('finished', 'The match is over.');
  }

  /** Ends the match from this side. */
  leave(): void {
    this.#end('left', 'The authority ended the match.');
  }

  /** Stops on a fault of the game. */
  fail(message: string): void {
    this.#end('game-fault', message);
  }

  #end(cause: EndCause, message: string): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    const reason = cause === 'finished' ? 'finished' : cause === 'game-fault' ? 'fault' : 'left';
    for (const { player, isGone, name } of this.seats)
      if (!isGone && name !== undefined) this.#send(player, { type: 'bye', reason });
    this.#recorder?.writer.end(cause);
    this.#output.event({ type: 'ended', cause, message });
  }
}

/** Why a page of another release is refused. */
const foreignPage = (wire: number) => otherRelease(wire, WIRE_VERSION, 'The page and the authority', 'the page');

/** What does not fit between an authority and who wants to play; undefined when they do. */
function refusalOf<S, I>(
  { game }: AuthorityOptions<S, I>,
  join: Join,
): { readonly code: string; readonly message: string } | undefined {
  if (join.wire !== WIRE_VERSION) return foreignPage(join.wire);
  if (join.game !== game.id) {
    return {
      code: 'game',
      message: `The page opened ${join.game}, but this room plays ${game.id}: open the same game.`,
    };
  }
  if (join.version !== game.version || join.tickRate !== game.tickRate || join.inputBits !== game.input.bits) {
    return {
      code: 'version',
      message: `The page and the authority have different versions of ${game.id} (${join.version} and ${game.version}): reload the page.`,
    };
  }
  return undefined;
}
