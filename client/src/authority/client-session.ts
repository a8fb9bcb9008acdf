import { type EffectQueue, type RollbackSim, requireInteger, type SimRecorder } from '@riposte/shared';
import { type AuthorityMessage, type Begin, parseAuthorityMessage, WIRE_VERSION } from '@riposte/shared/protocol';
import { INPUT_DELAY_MAX } from '../session/delays.js';
import { LinkWatch, RESUME_MS } from '../session/link-watch.js';
import type { Meter } from '../session/measures.js';
import type { EndCause } from '../session/session-types.js';
import type { Channel } from '../transport/transport.js';
import type { ClientOptions, ClientOutput } from './authority-types.js';
import { EventRecorder } from './event-recorder.js';
import { Lead } from './lead.js';
import { LeadPacer } from './lead-pacer.js';
import { PredictedMatch } from './predicted-match.js';
import { isStatePiece, StatePieces } from './state-pieces.js';
import type { Figures } from './update-reader.js';

/** Beyond what the link is expected to need: a few lost updates. */
const PREDICTION_SPARE = 10;
/** The lane is reliable, but a browser may drop what it is given while the channel opens: a join is repeated. */
const REPEAT_MS = 500;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

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
  readonly #pieces = new StatePieces();
  #state: 'opening' | 'joining' | 'running' | 'ended' = 'opening';
  #running: PredictedMatch<S, I> | undefined;
  #link: LinkWatch | undefined;
  /** When the first join was sent, which is the one that is answered first, and how many were since. */
  #joinedMs = Number.NaN;
  #joins = 0;
  #rttMs = Number.NaN;
  #predictionMax = PREDICTION_SPARE;
  #isInterrupted = false;
  #droppedPackets = 0;
  #stalledFrames = 0;
  #inputDelay = 0;
  #deniedInputs = 0;
  #recorder: SimRecorder<S, I> | undefined;
  #eventRecorder: EventRecorder<S, I> | undefined;
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

  /** Frames that may run again in one tick; infinite before the cost of a step is known. */
  get replayBudget(): number {
    return this.#running?.replayBudget ?? Number.POSITIVE_INFINITY;
  }

  /** Frames that the present still lacks, for they were more than the budget; and how often that was so. */
  get catchingUp(): number {
    return this.#running?.catchingUp ?? 0;
  }

  get deferrals(): number {
    return this.#running?.deferrals ?? 0;
  }

  /** The frame that the authority steps next, as far as it is proven here: all before it are final. */
  get authorityFrame(): number {
    return this.#running?.reader.held ?? 0;
  }

  /** All of the match is final here. */
  get isComplete(): boolean {
    return this.#running?.isComplete === true;
  }

  /** Updates that were sent and did not come. */
  get lostUpdates(): number {
    return this.#running?.reader.loss.lost ?? 0;
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
    if (this.#running !== undefined) this.#running.inputDelay = inputDelay;
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
    this.#joinedMs = nowMs;
    this.#joins = 0;
    this.#join();
  }

  #join(): void {
    const { game, name } = this.#options;
    this.#joins++;
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
      if (this.#running.takeState(nowMs, whole.frame, whole.bytes)) {
        this.#record();
        this.#restart();
      }
      return;
    }
    const message = parseAuthorityMessage(decoder.decode(bytes));
    switch (message?.type) {
      case 'ready':
        // A join that was repeated is answered again, also when the match has begun.
        if (this.#state !== 'joining' || !Number.isNaN(this.#rttMs)) return;
        this.#rttMs = nowMs - this.#joinedMs;
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
    this.#running = new PredictedMatch(this.#options, begin, this.#inputDelay);
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

  /** Records what is final; from a whole state on, which came in place of inputs, anew: a recording has every frame. */
  #record(): void {
    const { record } = this.#options;
    const running = this.#running;
    if (record === undefined || running === undefined || running.reader.wantsState) return;
    const { reader, sim, begin } = running;
    if (this.#recordedStates !== reader.figures.statesTaken) {
      this.#recordedStates = reader.figures.statesTaken;
      this.#recorder?.writer.end('resync');
      const { seed, settings, names } = begin;
      const inputDelays = names.map((_, player) => (player === begin.player ? this.#inputDelay : 0));
      const agreed = { seed, settings, names, inputDelays, frames: reader.endFrame };
      const writer = record({ ...agreed, firstFrame: reader.held });
      this.#recorder = writer.recorderOf(sim);
      this.#eventRecorder = new EventRecorder(running, writer.events);
    }
    this.#recorder?.finalBefore(Math.min(reader.held, reader.endFrame));
  }

  /** The next frame is ticked at its right moment, whenever the one before it was. */
  #restart(): void {
    this.#pacer.start(this.#dueMs());
  }

  /** When the next frame is to be ticked. */
  #dueMs(): number {
    const running = this.#running;
    if (running === undefined) return Number.NaN;
    return this.lead.dueMs(running.nextFrame + this.#inputDelay);
  }

  #receiveUpdate(nowMs: number, running: PredictedMatch<S, I>, bytes: Uint8Array): void {
    const { reader, begin } = running;
    const taken = running.takeUpdate(nowMs, bytes);
    if (taken === 'dropped') {
      this.#droppedPackets++;
      return;
    }
    const { head } = reader;
    this.lead.measured(nowMs, head.slackFrame, head.slackMs);
    this.lead.stepped(nowMs, head.frame);
    this.lead.rtt.answered(nowMs, head.heard, head.holdMs === 255 ? Number.NaN : head.holdMs);
    this.#predictionMax = this.#windowOf(begin.updatesPerSecond);
    this.#hear(nowMs);
    if (taken === 'stale') return;
    if (taken === 'jumped') this.#restart();
    if (reader.isGone) {
      this.#record();
      this.#end('lost', 'The authority has not heard from this page for too long.');
    } else this.#follow(nowMs);
  }

  /** Records what was proven, and ends the match when that is all of it. */
  #follow(nowMs: number): void {
    this.#record();
    if (!this.isComplete) return;
    this.#sendInputs(nowMs);
    this.#send({ type: 'bye', reason: 'finished' });
    this.#end('finished', 'The match is over.');
  }

  /** What may be predicted: as far as the link needs, and some for lost updates. */
  #windowOf(updatesPerSecond: number): number {
    const { inputs } = this.lead.window(updatesPerSecond);
    const leadFrames = (((this.lead.rtt.percentile(0.95) ?? 0) / 2) * this.#options.game.tickRate) / 1000;
    const frames = Math.ceil(inputs + leadFrames + PREDICTION_SPARE);
    // What no packet can hold would be lost.
    return Math.min(this.#running?.framesMax ?? frames, frames);
  }

  #hear(nowMs: number): void {
    this.#link?.heard(nowMs);
    if (!this.#isInterrupted) return;
    this.#isInterrupted = false;
    this.#eventRecorder?.link(true);
    this.#output.event({ type: 'running' });
  }

  /** How many ticks to run at `nowMs`; also notices silence. Call it in every frame of the page. */
  dueTicks(nowMs: number): number {
    if (this.#link === undefined || this.#state === 'ended') return 0;
    const link = this.#link.poll(nowMs);
    if (this.#state === 'joining') {
      if (link === 'lost') this.#end('lost', 'The authority did not answer: is this room run by one?');
      else if (Number.isNaN(this.#rttMs) && nowMs - this.#joinedMs >= REPEAT_MS * this.#joins) this.#join();
      return 0;
    }
    if (link === 'lost') {
      this.#end('lost', `The authority has not been heard for ${RESUME_MS / 1000} seconds: the connection is lost.`);
      return 0;
    }
    if (link === 'interrupted' && !this.#isInterrupted) {
      this.#isInterrupted = true;
      this.#eventRecorder?.link(false);
      this.#output.event({ type: 'interrupted' });
    }
    return this.#pacer.due(nowMs);
  }

  /** Runs one tick with the local player's input and sends what the authority lacks. Throws `bad-input`, with nothing done. */
  tick(nowMs: number, input: Partial<I>): void {
    const running = this.#running;
    if (running === undefined || this.#state !== 'running') return;
    this.#options.game.input.encode(input, this.#input, 0);
    const ticked = running.tick(nowMs, this.#input, this.#predictionMax);
    if (ticked === 'stalled') this.#stalledFrames++;
    const unconfirmed = Math.max(0, running.sim.lastFrame() + 1 - this.authorityFrame);
    running.meter.tick(nowMs, ticked, unconfirmed, this.lead.rtt);
    this.#eventRecorder?.tick(ticked !== 'stalled', this.#inputDelay, this.lead.rtt.newestMs, this.#predictionMax);
    this.#sendInputs(nowMs);
    if (ticked === 'advanced') this.#pacer.ticked(this.#dueMs());
    else this.#pacer.held(nowMs);
    this.#follow(nowMs);
  }

  #sendInputs(nowMs: number): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#output.send('unreliable', running.packet());
    this.lead.rtt.sent(nowMs, running.newestInput);
  }

  /** News of effects, and the facts of frames that are final: once a tick. `isLast` for a match that ends here. */
  collectEffects(isLast = false): EffectQueue | undefined {
    const queue = this.#running?.sim.collectEffects(this.authorityFrame - 1, isLast || this.isComplete);
    return queue && (this.#eventRecorder?.passOn(queue) ?? queue);
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
