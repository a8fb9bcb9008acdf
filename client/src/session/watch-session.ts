import {
  DesyncChecker,
  type EffectQueue,
  type Game,
  type PeerComparison,
  PLAYERS_MAX,
  type RecordingWriter,
  RiposteError,
  type RollbackSim,
  requireInteger,
  type SimRecorder,
} from '@riposte/shared';
import {
  type ControlMessage,
  decodeFeedHead,
  decodeFeedInputs,
  EPOCHS,
  encodeFeedAck,
  FEED_ACK_BYTES,
  feedHead,
  feedWords,
  parseControl,
  WIRE_VERSION,
} from '@riposte/shared/protocol';
import type { RecordedMatch } from '../recorder/match-recording.js';
import type { Channel } from '../transport/transport.js';
import { WATCH_DELAY_MAX } from './delays.js';
import type { FeedSource } from './feed.js';
import { FrameLog } from './frame-log.js';
import type { Agreed } from './handshake.js';
import { LinkWatch, RESUME_MS } from './link-watch.js';
import { Pacer, STEPS_PER_DRAW_MAX } from './pacer.js';
import { isStateChunk, StateReceiver } from './state-transfer.js';

/** Frames that come between two packets, and their jitter: less would stand still now and then. */
const SPARE_FRAMES = 6;
/** Farther behind than this, frames are run as fast as a page may; nearer, so little faster that nobody sees it. */
const BEHIND_FRAMES = 30;
const SPEED_PER_FRAME = 0.01;
const SPEED_CHANGE_MAX = 0.1;
const REPEAT_MS = 500;

export type WatchEvent =
  | { readonly type: 'running' }
  /** The source is silent, or its connection is closed: another one is wanted. */
  | { readonly type: 'interrupted' }
  | { readonly type: 'desync'; readonly frame: number }
  | {
      readonly type: 'ended';
      readonly cause: 'finished' | 'lost' | 'refused' | 'left' | 'game-fault';
      readonly message: string;
    };

export interface WatchOptions<S, I> {
  readonly game: Game<S, I>;
  /** Frames behind the newest final one, 0 to `WATCH_DELAY_MAX`. */
  readonly delay?: number | undefined;
  readonly record?: ((match: RecordedMatch) => RecordingWriter) | undefined;
}

export interface WatchOutput {
  send(channel: Channel, bytes: Uint8Array): void;
  event(event: WatchEvent): void;
}

/** What a spectator has of the match, from the state that it was given on. */
interface Watched<S, I> {
  readonly agreed: Agreed;
  readonly sim: RollbackSim<S, I>;
  readonly checker: DesyncChecker;
  readonly comparison: PeerComparison;
  readonly log: FrameLog;
  readonly recorder: SimRecorder<S, I> | undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * One spectator of a match, sans I/O: it is told the match by one source at a time, a player or another spectator, and
 * simulates its final frames. `open` for each connection to a source, `receive` for what arrives, `closed` when it ends,
 * and in each frame of the page `dueTicks` and then `tick` as many times.
 */
export class WatchSession<S, I> {
  readonly #options: WatchOptions<S, I>;
  readonly #output: WatchOutput;
  readonly #delay: number;
  readonly #pacer: Pacer;
  readonly #head = feedHead();
  readonly #inputs: Int32Array;
  readonly #frame: Int32Array;
  readonly #ack = new Uint8Array(FEED_ACK_BYTES);
  #watched: Watched<S, I> | undefined;
  #receiver: StateReceiver<S, I> | undefined;
  #link: LinkWatch | undefined;
  #epoch = 0;
  #askedMs = Number.NaN;
  #isServed = false;
  #isInterrupted = false;
  #isEnded = false;
  #newest = -1;
  /** The last frame there will be; infinite while that is not known. */
  #lastFrame = Number.POSITIVE_INFINITY;
  #isOver: 'finished' | 'left' = 'finished';
  #droppedPackets = 0;
  #desyncFrame: number | undefined;

  /** Throws `bad-argument` for a delay out of range. */
  constructor(options: WatchOptions<S, I>, output: WatchOutput) {
    const { game, delay = 0 } = options;
    requireInteger('delay', delay, 0, WATCH_DELAY_MAX);
    this.#options = options;
    this.#output = output;
    this.#delay = delay;
    this.#pacer = new Pacer(game.tickRate, STEPS_PER_DRAW_MAX);
    this.#inputs = new Int32Array(feedWords(game.input.words));
    this.#frame = new Int32Array(PLAYERS_MAX * game.input.words);
  }

  get sim(): RollbackSim<S, I> | undefined {
    return this.#watched?.sim;
  }

  /** What others can be told of the match; undefined before it is known here. */
  get source(): FeedSource<S, I> | undefined {
    const watched = this.#watched;
    return watched && { agreed: watched.agreed, driver: watched, newest: watched.log.newest, log: watched.log };
  }

  get agreed(): Agreed | undefined {
    return this.#watched?.agreed;
  }

  /** The newest frame that is shown; -1 before the first. */
  get frame(): number {
    return this.#watched?.checker.newest ?? -1;
  }

  /** The newest final frame that is known to be. */
  get newest(): number {
    return this.#newest;
  }

  get droppedPackets(): number {
    return this.#droppedPackets;
  }

  get desync(): { readonly frame: number } | null {
    return this.#desyncFrame === undefined ? null : { frame: this.#desyncFrame };
  }

  get comparedFrames(): number {
    return this.#watched === undefined ? 0 : this.#watched.comparison.comparedThrough + 1;
  }

  alpha(nowMs: number): number {
    return this.#pacer.alpha(nowMs);
  }

  collectEffects(isLast = false): EffectQueue | undefined {
    return this.#watched?.sim.collectEffects(this.frame, isLast);
  }

  /** Both lanes of a connection to a source can send. */
  open(nowMs: number): void {
    if (this.#isEnded) return;
    this.#link = new LinkWatch(nowMs, RESUME_MS);
    this.#receiver = undefined;
    this.#isServed = false;
    this.#epoch++;
    this.#ask(nowMs);
  }

  #ask(nowMs: number): void {
    const { game } = this.#options;
    this.#askedMs = nowMs;
    this.#send({
      type: 'watch',
      wire: WIRE_VERSION,
      game: game.id,
      version: game.version,
      tickRate: game.tickRate,
      inputBits: game.input.bits,
      holds: this.#watched?.log.newest ?? -1,
      epoch: this.#epoch,
    });
  }

  #send(message: ControlMessage): void {
    this.#output.send('reliable', encoder.encode(JSON.stringify(message)));
  }

  /** Takes bytes from the source. Never throws for them: a bad packet is counted and dropped. */
  receive(nowMs: number, channel: Channel, bytes: Uint8Array): void {
    if (this.#isEnded) return;
    if (channel === 'unreliable') {
      if (this.#takeFrames(bytes)) this.#hear(nowMs);
      else this.#droppedPackets++;
      return;
    }
    if (this.#receiver !== undefined && isStateChunk(bytes)) {
      this.#takeState(nowMs, this.#receiver, bytes);
      return;
    }
    const message = parseControl(decoder.decode(bytes));
    if (message?.type === 'welcome') {
      this.#receiver = new StateReceiver(this.#options.game, message);
      this.#hear(nowMs);
    } else if (message?.type === 'refuse') {
      this.#end('refused', message.message);
    } else if (message?.type === 'bye') {
      this.#receiveBye(message);
    } else {
      this.#droppedPackets++;
    }
  }

  #hear(nowMs: number): void {
    this.#isServed = true;
    this.#link?.heard(nowMs);
    if (!this.#isInterrupted || this.#watched === undefined) return;
    this.#isInterrupted = false;
    this.#output.event({ type: 'running' });
  }

  #takeState(nowMs: number, receiver: StateReceiver<S, I>, chunk: Uint8Array): void {
    this.#hear(nowMs);
    try {
      if (!receiver.take(chunk)) return;
      const { frame, chain, before, epoch } = receiver.welcome;
      const { agreed } = receiver;
      const sim = receiver.simulation({ maxPrediction: 0 });
      const checker = new DesyncChecker(undefined, frame, chain);
      const { words } = this.#options.game.input;
      const recorder = this.#options.record?.({ ...agreed, firstFrame: frame }).recorderOf(sim);
      const log = new FrameLog(sim.players, words, frame, Int32Array.from(before.flat()));
      const isFirst = this.#watched === undefined;
      this.#watched = { agreed, sim, checker, comparison: checker.against(), log, recorder };
      this.#epoch = epoch;
      this.#newest = Math.max(this.#newest, frame - 1);
      this.#pacer.start(nowMs);
      if (isFirst) this.#output.event({ type: 'running' });
    } catch (error) {
      if (!(error instanceof RiposteError)) throw error;
      this.#end('lost', `The running match could not be taken over: ${error.message}`);
    }
    this.#receiver = undefined;
  }

  #takeFrames(bytes: Uint8Array): boolean {
    const watched = this.#watched;
    const head = this.#head;
    if (watched === undefined || !decodeFeedHead(bytes, head) || head.epoch !== this.#epoch % EPOCHS) return false;
    const { log } = watched;
    const { words, bits } = this.#options.game.input;
    const stride = (head.count + 1) * words;
    const last = head.firstFrame + head.count - 1;
    if (head.firstFrame > log.newest + 1 || head.firstFrame < log.first) return head.firstFrame < log.first;
    for (let player = 0; player < log.players; player++) {
      log.read(player, head.firstFrame - 1, this.#inputs, player * stride);
    }
    if (!decodeFeedInputs(bytes, head, this.#inputs, log.players, words, bits)) return false;
    const frame = this.#frame;
    for (let next = log.newest + 1; next <= last && this.#hasRoom(watched); next++) {
      for (let player = 0; player < log.players; player++) {
        const at = player * stride + (next - head.firstFrame + 1) * words;
        for (let word = 0; word < words; word++) frame[player * words + word] = this.#inputs[at + word]!;
      }
      log.put(frame.subarray(0, log.players * words), head.gone);
    }
    this.#newest = Math.max(this.#newest, head.newest, log.newest);
    if (head.chainFrame >= 0) log.putChain(head.chainFrame, head.chain);
    encodeFeedAck(this.#epoch, log.newest, this.#ack);
    this.#output.send('unreliable', this.#ack);
    return true;
  }

  /** No frame is overwritten that is still to be shown. */
  #hasRoom({ log, checker }: Watched<S, I>): boolean {
    return log.newest - checker.newest < WATCH_DELAY_MAX + 300;
  }

  #receiveBye({ reason, frame }: Extract<ControlMessage, { type: 'bye' }>): void {
    if (reason === 'left') {
      // The others may play on, and tell of it.
      this.closed();
      return;
    }
    this.#lastFrame = Math.min(this.#lastFrame, frame);
    this.#isOver = reason === 'finished' ? 'finished' : 'left';
    this.#endIfShown();
  }

  /** The connection closed: another source is wanted. */
  closed(): void {
    if (this.#isEnded) return;
    this.#link?.closed();
  }

  /** How many ticks to run at `nowMs`; also notices silence. */
  dueTicks(nowMs: number): number {
    if (this.#isEnded || this.#link === undefined) return 0;
    const link = this.#link.poll(nowMs);
    if (link === 'lost') {
      this.#end(
        'lost',
        `Nobody has told of the match for ${RESUME_MS / 1000} seconds: it is over, or the connection is lost.`,
      );
      return 0;
    }
    if (link === 'interrupted' && !this.#isInterrupted && !Number.isFinite(this.#lastFrame)) {
      this.#isInterrupted = true;
      this.#output.event({ type: 'interrupted' });
    }
    if (!this.#isServed && nowMs - this.#askedMs > REPEAT_MS) this.#ask(nowMs);
    return this.#due(nowMs);
  }

  #due(nowMs: number): number {
    const watched = this.#watched;
    if (watched === undefined) return 0;
    const ready = Math.min(watched.log.newest, this.#lastFrame) - this.frame;
    if (this.#behind > BEHIND_FRAMES || Number.isFinite(this.#lastFrame)) {
      this.#pacer.start(nowMs);
      return Math.min(ready, STEPS_PER_DRAW_MAX);
    }
    // The chosen delay is kept from the start: the picture stands until it is there.
    if (ready <= 0 || this.#behind < -BEHIND_FRAMES) {
      this.#pacer.start(nowMs);
      return 0;
    }
    return Math.min(ready, this.#pacer.due(nowMs));
  }

  /** Frames behind where this spectator wants to be. */
  get #behind(): number {
    return (this.#watched?.log.newest ?? -1) - this.frame - this.#delay - SPARE_FRAMES;
  }

  /** Shows one more frame. */
  tick(): void {
    const watched = this.#watched;
    if (watched === undefined || this.#isEnded || watched.log.newest <= this.frame) return;
    const { sim, checker, log, recorder, comparison } = watched;
    const frame = checker.newest + 1;
    const words = this.#frame;
    const { words: size } = this.#options.game.input;
    for (let player = 0; player < log.players; player++) {
      log.read(player, frame, words, player * size);
      const isGone = (log.goneIn(frame) & (1 << player)) !== 0;
      if (isGone && !sim.isGone(player, frame)) sim.disconnect(player, frame);
      else if (!isGone && sim.isGone(player, frame)) sim.admit(player, frame);
      if (!isGone) sim.putInput(player, frame, words, player * size);
    }
    sim.advance();
    const hash = sim.hashAt(frame + 1);
    checker.record(hash);
    const chain = log.chainOf(frame);
    if (chain !== undefined) comparison.compare({ confirmed: frame, chain });
    recorder?.final(hash);
    const speed = this.#behind * SPEED_PER_FRAME;
    this.#pacer.speed = 1 + Math.max(-SPEED_CHANGE_MAX, Math.min(SPEED_CHANGE_MAX, speed));
    this.#pacer.ticked();
    if (comparison.partedBy !== undefined && this.#desyncFrame === undefined) {
      this.#desyncFrame = comparison.partedBy;
      this.#output.event({ type: 'desync', frame: comparison.partedBy });
    }
    this.#endIfShown();
  }

  #endIfShown(): void {
    if (this.frame < this.#lastFrame) return;
    this.#end(this.#isOver, this.#isOver === 'finished' ? 'The match is over.' : 'The match ended before its time.');
  }

  /** Stops on a fault of the game. */
  fail(message: string): void {
    this.#end('game-fault', message);
  }

  /** Stops watching. */
  leave(): void {
    this.#end('left', 'You stopped watching.');
  }

  #end(cause: Extract<WatchEvent, { type: 'ended' }>['cause'], message: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#watched?.recorder?.writer.end(cause);
    this.#output.event({ type: 'ended', cause, message });
  }
}
