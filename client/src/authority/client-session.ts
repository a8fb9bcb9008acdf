import { type EffectQueue, type MatchSetup, RollbackSim, requireInteger } from '@riposte/shared';
import {
  type AuthorityMessage,
  type Begin,
  InputsCodec,
  inputsHead,
  parseAuthorityMessage,
  WIRE_VERSION,
} from '@riposte/shared/protocol';
import { LinkWatch, RESUME_MS } from '../session/link-watch.js';
import { INPUT_DELAY_MAX, LocalInput } from '../session/local-input.js';
import { Meter } from '../session/measures.js';
import type { EndCause } from '../session/session-types.js';
import type { Channel } from '../transport/transport.js';
import type { ClientOptions, ClientOutput } from './authority-types.js';
import { FrameRecorder } from './frame-recorder.js';
import { Lead } from './lead.js';
import { LeadPacer } from './lead-pacer.js';
import { isStatePiece, StatePieces } from './state-pieces.js';
import { type Figures, UpdateReader } from './update-reader.js';

/** Frames that may be predicted at all: a second at 60 Hz, and no more than a packet of small inputs holds. */
const PREDICTION_MAX = 60;
/** Beyond what the link is expected to need: a few lost updates. */
const PREDICTION_SPARE = 10;
/** The lane is reliable, but a browser may drop what it is given while the channel opens: a join is repeated. */
const REPEAT_MS = 500;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What there is once the authority has begun the match. */
interface Running<S, I> {
  readonly begin: Begin;
  readonly sim: RollbackSim<S, I>;
  readonly local: LocalInput<S, I>;
  readonly reader: UpdateReader<S, I>;
  readonly codec: InputsCodec;
  readonly meter: Meter<S>;
}

/**
 * A player's side of a match that an authority runs, sans I/O: plays at once with the local input, ahead of the
 * authority by what the link needs, and is put right by each of its updates. Call `open` once both lanes of a connection
 * can send (again for each later connection), `receive` for all that arrives, `closed` when the connection ends, and in
 * each frame of the page `dueTicks` and then `tick` as many times.
 */
export class ClientSession<S, I> {
  readonly lead: Lead;
  readonly #options: ClientOptions<S, I>;
  readonly #output: ClientOutput;
  readonly #pacer: LeadPacer;
  readonly #input: Int32Array;
  readonly #head = inputsHead();
  readonly #pieces = new StatePieces();
  #state: 'opening' | 'joining' | 'running' | 'ended' = 'opening';
  #running: Running<S, I> | undefined;
  #link: LinkWatch | undefined;
  #joinedMs = Number.NaN;
  #rttMs = Number.NaN;
  /** The authority needs none of the own inputs up to this frame. */
  #ackedThrough = -1;
  #predictionMax = PREDICTION_SPARE;
  #isInterrupted = false;
  #droppedPackets = 0;
  #stalledFrames = 0;
  #inputDelay = 0;
  #deniedInputs = 0;
  #recorder: FrameRecorder<S, I> | undefined;
  /** Whole states that were taken when the recording began. */
  #recordedStates = -1;

  /** Throws `bad-argument` for an option out of range. */
  constructor(options: ClientOptions<S, I>, output: ClientOutput) {
    const { game, inputDelay = 0 } = options;
    this.setInputDelay(inputDelay);
    this.#options = options;
    this.#output = output;
    this.lead = new Lead(game.tickRate);
    this.#pacer = new LeadPacer(game.tickRate);
    this.#input = new Int32Array(game.input.words);
  }

  /** The simulation, once the authority has begun the match. */
  get sim(): RollbackSim<S, I> | undefined {
    return this.#running?.sim;
  }

  get begin(): Begin | undefined {
    return this.#running?.begin;
  }

  /** What the updates did; undefined before the match. */
  get figures(): Figures | undefined {
    return this.#running?.reader.figures;
  }

  /** Takes the measures; undefined before the match. */
  get meter(): Meter<S> | undefined {
    return this.#running?.meter;
  }

  /** How many frames may be ahead of the authority's newest word. */
  get predictionMax(): number {
    return this.#predictionMax;
  }

  /** The frame that the authority steps next, as far as it is known here: all before it are final. */
  get authorityFrame(): number {
    return this.#running?.reader.held ?? 0;
  }

  /** All of the match is final here. */
  get isComplete(): boolean {
    return this.#running !== undefined && this.authorityFrame >= this.#running.reader.endFrame;
  }

  get droppedPackets(): number {
    return this.#droppedPackets;
  }

  /** Ticks that could not advance, for nothing was heard from the authority for too long. */
  get stalledFrames(): number {
    return this.#stalledFrames;
  }

  /** Own inputs that broke the game's rules. */
  get deniedInputs(): number {
    return this.#deniedInputs;
  }

  /** Frames between a press and the frame that it plays in. */
  get inputDelay(): number {
    return this.#inputDelay;
  }

  /** Changes the input delay, in frames from 0 to 15. Throws `bad-argument`. No press is lost. */
  setInputDelay(inputDelay: number): void {
    requireInteger('inputDelay', inputDelay, 0, INPUT_DELAY_MAX);
    this.#inputDelay = inputDelay;
    if (this.#running !== undefined) this.#running.local.inputDelay = inputDelay;
  }

  /** How far `nowMs` lies between the last simulated frame and the next, 0 to 1. */
  alpha(nowMs: number): number {
    return this.#pacer.alpha(nowMs);
  }

  /** Milliseconds until an interrupted match is given up; null when it is not interrupted. */
  resumeLeftMs(nowMs: number): number | null {
    return this.#isInterrupted && this.#link !== undefined ? this.#link.leftMs(nowMs) : null;
  }

  #send(message: AuthorityMessage): void {
    this.#output.send('reliable', encoder.encode(JSON.stringify(message)));
  }

  /** Both lanes of a connection can send. */
  open(nowMs: number): void {
    if (this.#state === 'ended' || this.#running !== undefined) return;
    this.#state = 'joining';
    this.#link = new LinkWatch(nowMs);
    this.#join(nowMs);
  }

  #join(nowMs: number): void {
    const { game, name } = this.#options;
    this.#joinedMs = nowMs;
    this.#send({
      type: 'join',
      wire: WIRE_VERSION,
      game: game.id,
      version: game.version,
      tickRate: game.tickRate,
      inputBits: game.input.bits,
      name,
    });
  }

  /** Takes bytes from the authority. Never throws for them: what is none of ours is counted and dropped. */
  receive(nowMs: number, channel: Channel, bytes: Uint8Array): void {
    if (this.#state === 'ended') return;
    if (channel === 'reliable') this.#receiveReliable(nowMs, bytes);
    else if (this.#running !== undefined) this.#receiveUpdate(nowMs, this.#running, bytes);
  }

  #receiveReliable(nowMs: number, bytes: Uint8Array): void {
    if (isStatePiece(bytes)) {
      const whole = this.#pieces.take(bytes);
      if (whole === undefined || this.#running === undefined) return;
      if (this.#running.reader.takeState(nowMs, whole.frame, whole.bytes)) {
        this.#record();
        this.#restart();
      }
      return;
    }
    const message = parseAuthorityMessage(decoder.decode(bytes));
    switch (message?.type) {
      case 'ready':
        if (Number.isNaN(this.#rttMs)) this.#rttMs = nowMs - this.#joinedMs;
        // The others may take their time to come.
        this.#link = undefined;
        return;
      case 'begin':
        if (this.#running === undefined && message.player < message.names.length) this.#begin(nowMs, message);
        return;
      case 'refuse':
        this.#end('refused', message.message);
        return;
      case 'denied':
        this.#deniedInputs++;
        this.#output.event({ type: 'denied', frame: message.frame, reason: message.reason });
        return;
      case 'bye':
        this.#receiveBye(message.reason);
        return;
      default:
        this.#droppedPackets++;
    }
  }

  #receiveBye(reason: 'finished' | 'left' | 'fault'): void {
    if (reason === 'fault') this.#end('peer-fault', 'The authority stopped on a fault of the game.');
    else this.#end('peer-left', 'The authority ended the match.');
  }

  #begin(nowMs: number, begin: Begin): void {
    const { game, clock } = this.#options;
    const { seed, settings, names, player } = begin;
    const setup: MatchSetup = { seed, settings, players: names.length };
    // Without a clock: a window that shrinks for a slow game would keep its inputs from ever being on time.
    const sim = new RollbackSim(game, { ...setup, maxPrediction: PREDICTION_MAX, saving: 'every' });
    const meter = new Meter(game.state, game.tickRate, clock, false);
    sim.watch = meter;
    const reader = new UpdateReader(sim, begin, meter);
    const codec = new InputsCodec(game.input.words, game.input.bits);
    this.#running = { begin, sim, reader, codec, meter, local: new LocalInput(sim, player, this.#inputDelay) };
    this.#state = 'running';
    this.#link = new LinkWatch(nowMs, RESUME_MS);
    this.lead.begin(nowMs, begin.frame, begin.inMs, Number.isNaN(this.#rttMs) ? 0 : this.#rttMs);
    this.#predictionMax = this.#windowOf(begin.updatesPerSecond);
    // Later than frame 0 the state comes first: ticks ask for it.
    if (begin.frame === 0) this.#restart();
    else this.#pacer.start(nowMs);
    if (begin.frame === 0) this.#record();
    this.#output.event({ type: 'running' });
  }

  /** Records what is final; from a whole state on, which came in place of inputs, anew. */
  #record(): void {
    const { record } = this.#options;
    const running = this.#running;
    if (record === undefined || running === undefined || running.reader.wantsState) return;
    const { reader, sim, begin } = running;
    if (this.#recordedStates !== reader.figures.statesTaken) {
      this.#recordedStates = reader.figures.statesTaken;
      const { seed, settings, names } = begin;
      const inputDelays = names.map((_, player) => (player === begin.player ? this.#inputDelay : 0));
      const agreed = { seed, settings, names, inputDelays, frames: reader.endFrame };
      this.#recorder = new FrameRecorder(sim, record({ ...agreed, firstFrame: reader.held }), reader.held);
    }
    this.#recorder?.record(Math.min(reader.held, reader.endFrame));
  }

  /** The next frame is ticked at its right moment, whenever the one before it was. */
  #restart(): void {
    this.#pacer.start(this.#dueMs());
  }

  /** When the next frame is to be ticked. */
  #dueMs(): number {
    const running = this.#running;
    if (running === undefined) return Number.NaN;
    return this.lead.dueMs(running.sim.lastFrame() + 1 + running.local.inputDelay);
  }

  #receiveUpdate(nowMs: number, { reader, sim, begin }: Running<S, I>, bytes: Uint8Array): void {
    const taken = reader.take(nowMs, bytes);
    if (taken === 'dropped') {
      this.#droppedPackets++;
      return;
    }
    const { head } = reader;
    this.lead.measured(nowMs, head.slackFrame, head.slackMs);
    this.lead.rtt.answered(nowMs, head.heard, head.holdMs === 255 ? Number.NaN : head.holdMs);
    this.#ackedThrough = Math.max(this.#ackedThrough, head.ack);
    this.#predictionMax = this.#windowOf(begin.updatesPerSecond);
    this.#hear(nowMs);
    if (taken === 'stale') return;
    this.#record();
    if (taken === 'jumped') this.#restart();
    if (reader.isGone) this.#end('lost', 'The authority has not heard from this page for too long.');
    else if (this.isComplete) {
      this.#sendInputs(nowMs);
      this.#send({ type: 'bye', reason: 'finished' });
      this.#end('finished', 'The match is over.');
    } else sim.settle();
  }

  /** What may be predicted: as far as the link needs, and some for lost updates. */
  #windowOf(updatesPerSecond: number): number {
    const { inputs } = this.lead.window(updatesPerSecond);
    const leadFrames = (((this.lead.rtt.percentile(0.95) ?? 0) / 2) * this.#options.game.tickRate) / 1000;
    const frames = Math.ceil(inputs + leadFrames + PREDICTION_SPARE);
    // What no packet can hold would be lost.
    return Math.min(PREDICTION_MAX, this.#running?.codec.framesMax ?? PREDICTION_MAX, frames);
  }

  #hear(nowMs: number): void {
    this.#link?.heard(nowMs);
    if (!this.#isInterrupted) return;
    this.#isInterrupted = false;
    this.#output.event({ type: 'running' });
  }

  /** How many ticks to run at `nowMs`; also notices silence. Call it in every frame of the page. */
  dueTicks(nowMs: number): number {
    if (this.#link === undefined || this.#state === 'ended') return 0;
    const link = this.#link.poll(nowMs);
    if (this.#state === 'joining') {
      if (link === 'lost') this.#end('lost', 'The authority did not answer: is this room run by one?');
      else if (Number.isNaN(this.#rttMs) && nowMs - this.#joinedMs >= REPEAT_MS) this.#join(nowMs);
      return 0;
    }
    if (link === 'lost') {
      this.#end('lost', `The authority has not been heard for ${RESUME_MS / 1000} seconds: the connection is lost.`);
      return 0;
    }
    if (link === 'interrupted' && !this.#isInterrupted) {
      this.#isInterrupted = true;
      this.#output.event({ type: 'interrupted' });
    }
    return this.#pacer.due(nowMs);
  }

  /** Runs one tick with the local player's input and sends what the authority lacks. Throws `bad-input`, with nothing done. */
  tick(nowMs: number, input: Partial<I>): void {
    const running = this.#running;
    if (running === undefined || this.#state !== 'running') return;
    this.#options.game.input.encode(input, this.#input, 0);
    const { sim, local, reader, meter } = running;
    const frame = sim.lastFrame() + 1;
    const isOver = frame >= reader.endFrame;
    let advanced = false;
    if (!isOver && !reader.wantsState && frame - reader.held < this.#predictionMax) {
      local.place(frame, this.#input);
      advanced = sim.advance();
    } else local.keep(this.#input);
    if (!advanced && !isOver) this.#stalledFrames++;
    const unconfirmed = Math.max(0, sim.lastFrame() + 1 - reader.held);
    meter.tick(nowMs, advanced ? 'advanced' : isOver ? 'over' : 'stalled', unconfirmed, this.lead.rtt);
    this.#sendInputs(nowMs);
    // What cannot advance has no right moment.
    this.#pacer.ticked(advanced ? this.#dueMs() : Number.NaN);
  }

  #sendInputs(nowMs: number): void {
    const running = this.#running;
    if (running === undefined) return;
    const { sim, begin, codec, reader } = running;
    const words = this.#input.length;
    const head = this.#head;
    const newest = sim.confirmedThrough(begin.player);
    // The newest one in any case: also of an input that is too late the authority says by how much.
    const needed = Math.min(newest, this.#ackedThrough + 1);
    const first = Math.max(needed, newest + 1 - codec.framesMax, begin.frame);
    head.lastFrame = newest;
    head.count = Math.max(0, newest - first + 1);
    for (let at = 1; at <= head.count; at++)
      sim.readInput(begin.player, newest - head.count + at, codec.inputs, at * words);
    head.held = reader.wantsState ? 0 : reader.held;
    head.wantsState = reader.wantsState;
    this.#output.send('unreliable', codec.encode(head));
    this.lead.rtt.sent(nowMs, newest);
  }

  /** News of effects, and the facts of frames that are final: once a tick. `isLast` for a match that ends here. */
  collectEffects(isLast = false): EffectQueue | undefined {
    return this.#running?.sim.collectEffects(this.authorityFrame - 1, isLast || this.isComplete);
  }

  /** Ends the match from this side; the authority is told. */
  leave(): void {
    if (this.#state === 'joining' || this.#state === 'running') this.#send({ type: 'bye', reason: 'left' });
    this.#end('left', 'You left the match.');
  }

  /** Stops on a fault of the game; the authority is told. */
  fail(message: string): void {
    if (this.#state === 'running') this.#send({ type: 'bye', reason: 'fault' });
    this.#end('game-fault', message);
  }

  /** The connection closed. A match that ran waits for another one; before, it ends. */
  closed(message: string): void {
    if (this.#running === undefined) this.#end('lost', message);
    else this.#link?.closed();
  }

  #end(cause: EndCause, message: string): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#recorder?.writer.end(cause);
    this.#output.event({ type: 'ended', cause, message });
  }
}
