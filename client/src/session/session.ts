import {
  MAX_PREDICTION_DEFAULT,
  type RecordingWriter,
  RiposteError,
  RollbackSim,
  requireInteger,
} from '@riposte/shared';
import { type ControlMessage, type Hello, parseControl, requirePacketFits } from '@riposte/shared/protocol';
import type { Channel } from '../transport/transport.js';
import type { DesyncWatch } from './desync-watch.js';
import { type Agreed, Handshake, type HandshakeResult, helloOf } from './handshake.js';
import { LinkWatch, RESUME_MS } from './link-watch.js';
import { INPUT_DELAY_MAX } from './local-input.js';
import { Pacer } from './pacer.js';
import type { PeerEndpoint } from './peer-endpoint.js';
import { RollbackDriver } from './rollback-driver.js';
import { RunningMatch } from './running-match.js';
import type { EndCause, SessionOptions, SessionOutput } from './session-types.js';
import { describeMatch, isStateChunk, StateReceiver } from './state-transfer.js';

/** How long to wait for the other side's goodbye after a finished match. */
const BYE_MS = 3000;
/** What a machine that slept may catch up beyond the window: the peer's delay and what was under way. */
const BACKLOG_SPARE_FRAMES = 4;

type State = 'opening' | 'syncing' | 'running' | 'ended';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * One peer of a two-player match, sans I/O: it takes the time, bytes and inputs, and gives bytes and events; it owns no
 * socket, timer or clock. Call `open` once both lanes of a connection can send (again for each later connection of the
 * match), `receive` for everything that arrives, `closed` when the connection ends, and in each frame of the page
 * `dueTicks` and then `tick` as many times.
 */
export class Session<S, I> {
  readonly #options: SessionOptions<S, I>;
  readonly #output: SessionOutput;
  readonly #pacer: Pacer;
  readonly #input: Int32Array;
  readonly #send = (message: ControlMessage): void => {
    this.#output.send('reliable', encoder.encode(JSON.stringify(message)));
  };
  #state: State = 'opening';
  #handshake: Handshake | undefined;
  #receiver: StateReceiver<S, I> | undefined;
  #running: RunningMatch<S, I> | undefined;
  #link: LinkWatch | undefined;
  #isConnected = false;
  #isInterrupted = false;
  #droppedPackets = 0;
  #byeSentMs = Number.NaN;
  #peerFinished = false;
  #connections = 0;
  /** The returning page on this connection was told of the match. */
  #hasWelcomed = false;
  #inputDelay: number | 'auto';

  /** Throws `bad-game` or `bad-argument` for what cannot be played. */
  constructor(options: SessionOptions<S, I>, output: SessionOutput) {
    const { game, inputDelay, maxPrediction = MAX_PREDICTION_DEFAULT } = options;
    requirePacketFits(game.input.bits);
    this.#options = options;
    this.#output = output;
    this.#pacer = new Pacer(game.tickRate, maxPrediction + BACKLOG_SPARE_FRAMES);
    this.#input = new Int32Array(game.input.words);
    this.#inputDelay = inputDelay;
    this.setInputDelay(inputDelay);
  }

  /** The match, once it runs. */
  get running(): RunningMatch<S, I> | undefined {
    return this.#running;
  }

  get sim(): RollbackSim<S, I> | undefined {
    return this.#running?.driver.sim;
  }

  get driver(): RollbackDriver<S, I> | undefined {
    return this.#running?.driver;
  }

  /** Smoothed round trip in milliseconds. */
  get rttMs(): number | null {
    return this.#running?.peer.rtt.smoothedMs ?? null;
  }

  get droppedPackets(): number {
    return this.#droppedPackets;
  }

  get desync(): { readonly frame: number } | null {
    const frame = this.#running?.desync.frame;
    return frame === undefined ? null : { frame };
  }

  /** Frames whose hash was compared with the peer's. */
  get comparedFrames(): number {
    return this.#running?.comparedFrames ?? 0;
  }

  /** How far `nowMs` lies between the last simulated frame and the next, 0 to 1. */
  alpha(nowMs: number): number {
    return this.#pacer.alpha(nowMs);
  }

  /** Milliseconds until an interrupted match is given up; null when it is not interrupted. */
  resumeLeftMs(nowMs: number): number | null {
    return this.#isInterrupted && this.#link !== undefined ? this.#link.leftMs(nowMs) : null;
  }

  /**
   * Changes the input delay, in frames from 0 to 15, or lets it follow the link. Throws `bad-argument`.
   * No press is lost and no sent frame is changed.
   */
  setInputDelay(inputDelay: number | 'auto'): void {
    if (inputDelay !== 'auto') requireInteger('inputDelay', inputDelay, 0, INPUT_DELAY_MAX);
    this.#inputDelay = inputDelay;
    this.#running?.setInputDelay(inputDelay);
  }

  /** Both lanes of a connection can send: the handshake begins, or a running match goes on over the new connection. */
  open(nowMs: number): void {
    if (this.#state === 'ended') return;
    this.#isConnected = true;
    this.#hasWelcomed = false;
    this.#connections++;
    if (this.#running !== undefined) {
      const { peer, driver } = this.#running;
      this.#send({ type: 'resume', epoch: peer.epoch + 1, holds: driver.sim.confirmedThrough(peer.player) });
      return;
    }
    this.#state = 'syncing';
    this.#link = new LinkWatch(nowMs, 'handshake');
    this.#handshake = new Handshake(helloOf(this.#options), this.#send, nowMs);
  }

  /** Takes bytes from the peer. Never throws for them: a bad packet is counted and dropped. */
  receive(nowMs: number, channel: Channel, bytes: Uint8Array): void {
    if (this.#state === 'ended' || !this.#isConnected) return;
    if (channel === 'reliable') {
      this.#receiveReliable(nowMs, bytes);
      return;
    }
    if (this.#running === undefined) return;
    const received = this.#running.peer.receive(nowMs, bytes);
    if (received === 'taken') {
      this.#hear(nowMs);
      return;
    }
    this.#droppedPackets++;
    if (received === 'contradiction') {
      this.#fault('The other player changed an input that it had already sent; the match cannot go on.');
    }
  }

  /** The peer is there: an interruption is over. */
  #hear(nowMs: number): void {
    this.#link?.heard(nowMs);
    if (!this.#isInterrupted) return;
    this.#isInterrupted = false;
    this.#running?.timeSync.reset();
    this.#output.event({ type: 'running' });
  }

  #receiveReliable(nowMs: number, bytes: Uint8Array): void {
    if (this.#receiver !== undefined && isStateChunk(bytes)) {
      this.#takeState(nowMs, this.#receiver, bytes);
      return;
    }
    const message = parseControl(decoder.decode(bytes));
    if (message === undefined) this.#droppedPackets++;
    else this.#receiveControl(nowMs, message);
  }

  #receiveControl(nowMs: number, message: ControlMessage): void {
    switch (message.type) {
      case 'hello':
        if (message.returning || this.#connections > 1) this.#receiveReturning(nowMs, message);
        else this.#agree(nowMs, this.#handshake?.receive(nowMs, message));
        return;
      case 'ready':
      case 'start':
        this.#agree(nowMs, this.#handshake?.receive(nowMs, message));
        return;
      case 'resume':
        this.#resume(nowMs, message.epoch, message.holds);
        return;
      case 'welcome':
        if (this.#running === undefined) {
          this.#receiver = new StateReceiver(this.#options.game, message);
        }
        return;
      case 'refuse':
        this.#end('refused', message.message);
        return;
      case 'hashes':
        this.#running?.desync.receive(message);
        return;
      case 'bye':
        this.#receiveBye(message);
    }
  }

  #agree(nowMs: number, result: HandshakeResult | undefined): void {
    if (result === undefined || this.#state !== 'syncing') return;
    if ('refusal' in result) {
      this.#end('refused', result.refusal.message);
      return;
    }
    const { agreed, rttMs, startMs } = result;
    const { game, record } = this.#options;
    const { seed, settings } = agreed;
    const sim = new RollbackSim(game, { ...this.#simOptions(), players: agreed.names.length, seed, settings });
    const peer = this.#start(nowMs, agreed, sim, startMs, { recording: record?.(agreed) });
    peer.rtt.add(rttMs);
  }

  #simOptions() {
    const { maxPrediction, clock } = this.#options;
    return { ...(maxPrediction !== undefined && { maxPrediction }), ...(clock !== undefined && { clock }) };
  }

  #start(
    nowMs: number,
    agreed: Agreed,
    sim: RollbackSim<S, I>,
    startMs: number,
    options: { readonly recording?: RecordingWriter | undefined; readonly chain?: number },
  ): PeerEndpoint<S, I> {
    const { me } = this.#options;
    const inputDelay = agreed.inputDelays[me] ?? 0;
    const driver = new RollbackDriver(sim, { ...options, me, inputDelay, frames: agreed.frames });
    const running = new RunningMatch(agreed, driver, 1 - me, this.#pacer, this.#send);
    if (this.#inputDelay === 'auto') running.setInputDelay('auto');
    this.#running = running;
    this.#state = 'running';
    this.#link = new LinkWatch(nowMs, 'match');
    this.#pacer.start(startMs);
    this.#output.event({ type: 'running' });
    return running.peer;
  }

  /** The other side of a new connection has the match too: both take the larger epoch, and go on where they stood. */
  #resume(nowMs: number, epoch: number, holds: number): void {
    if (this.#running === undefined) return;
    const { peer } = this.#running;
    peer.epoch = Math.max(peer.epoch + 1, epoch);
    peer.acknowledgedThrough(holds);
    this.#hear(nowMs);
  }

  /** The other player returned without the match: it is told all that is final, and what came after. */
  #receiveReturning(nowMs: number, hello: Hello): void {
    if (this.#running === undefined) {
      this.#bothLost(hello);
      return;
    }
    const { agreed, driver, peer } = this.#running;
    // A repeated hello of a page that has its welcome already.
    if (hello.player !== peer.player || this.#hasWelcomed) return;
    this.#hasWelcomed = true;
    peer.epoch++;
    const { welcome, chunks } = describeMatch(driver, peer, agreed);
    this.#send(welcome);
    for (const chunk of chunks) this.#output.send('reliable', chunk);
    peer.acknowledgedThrough(driver.sim.confirmedThrough(driver.me));
    this.#hear(nowMs);
  }

  #takeState(nowMs: number, receiver: StateReceiver<S, I>, chunk: Uint8Array): void {
    try {
      if (!receiver.take(chunk)) return;
      const { epoch, chain, seed, settings, names, inputDelays, frames } = receiver.welcome;
      const sim = receiver.simulation(this.#simOptions());
      const agreed = { seed, settings, names, inputDelays, frames: frames ?? Number.POSITIVE_INFINITY };
      const recording = this.#options.record?.({ ...agreed, firstFrame: receiver.welcome.frame });
      const peer = this.#start(nowMs, agreed, sim, nowMs, { chain, recording });
      peer.epoch = epoch;
      // What this player had sent before: the survivor named the last input that it holds.
      peer.acknowledgedThrough(receiver.welcome.holds);
    } catch (error) {
      if (!(error instanceof RiposteError)) throw error;
      this.#fault(`The running match could not be taken over: ${error.message}`);
    }
    this.#receiver = undefined;
  }

  #bothLost(hello: Hello): void {
    const message =
      this.#options.returning === true
        ? 'Both players lost the match, as by reloading: it cannot go on. Create a new one.'
        : `${hello.name} returns to a match that is over: create a new one.`;
    this.#send({ type: 'refuse', code: 'lost', message });
    this.#end('lost', message);
  }

  #receiveBye({ reason, frame, chain }: Extract<ControlMessage, { type: 'bye' }>): void {
    if (reason === 'finished') {
      this.#peerFinished = true;
      this.#running?.driver.checker.compare(frame, chain);
      return;
    }
    this.#end('peer-left', reason === 'left' ? 'The other player left.' : 'The other player stopped on a fault.');
  }

  /** How many ticks to run at `nowMs`; also notices silence. Call it in every frame of the page. */
  dueTicks(nowMs: number): number {
    if (this.#link === undefined || this.#state === 'ended') return 0;
    const link = this.#link.poll(nowMs);
    if (this.#state === 'syncing') {
      if (link === 'lost') this.#end('lost', 'The other player did not answer within 10 seconds: create a new match.');
      else this.#handshake?.poll(nowMs);
      return 0;
    }
    if (link === 'lost') {
      // Where every frame is held and final, only the goodbye is missing.
      if (this.#running?.driver.isComplete === true) this.#endFinished(this.#running.desync);
      else
        this.#end(
          'lost',
          `The other player has not been heard for ${RESUME_MS / 1000} seconds: the connection is lost.`,
        );
      return 0;
    }
    if (link === 'interrupted' && !this.#isInterrupted) {
      this.#isInterrupted = true;
      this.#output.event({ type: 'interrupted' });
    }
    return this.#pacer.due(nowMs);
  }

  /** Runs one tick with the local player's input and sends its packet. Throws `bad-input`, with nothing done. */
  tick(nowMs: number, input: Partial<I>): void {
    const running = this.#running;
    if (running === undefined || this.#state !== 'running') return;
    this.#options.game.input.encode(input, this.#input, 0);
    this.#output.send('unreliable', running.tick(nowMs, this.#input));
    const parted = running.desync.poll();
    if (parted !== undefined) this.#output.event({ type: 'desync', frame: parted });
    if (running.driver.isComplete) this.#finish(nowMs, running);
  }

  /** Says goodbye once the peer has everything, and ends once it has said so too. */
  #finish(nowMs: number, { driver, peer, desync }: RunningMatch<S, I>): void {
    const frame = driver.endFrame - 1;
    if (Number.isNaN(this.#byeSentMs)) {
      // Who has said goodbye has everything; its last acknowledgements may be lost.
      if (peer.ackedThrough < frame && !this.#peerFinished) return;
      this.#byeSentMs = nowMs;
      this.#send({ type: 'bye', reason: 'finished', frame, chain: driver.checker.chainOf(frame) ?? 0 });
    }
    if ((this.#peerFinished && !desync.isNaming) || nowMs - this.#byeSentMs > BYE_MS) this.#endFinished(desync);
  }

  #endFinished({ frame }: DesyncWatch): void {
    const isVoid = frame !== undefined;
    this.#end(
      'finished',
      isVoid ? `The match is void: the two machines parted at frame ${frame}.` : 'The match is over.',
    );
  }

  /** Ends the match from this side; the other side is told. */
  leave(): void {
    if (this.#state === 'ended') return;
    if (this.#state !== 'opening') this.#sendBye('left');
    this.#end('left', 'You left the match.');
  }

  /** Stops on a fault of the game; the other side is told. */
  fail(message: string): void {
    if (this.#state === 'ended') return;
    if (this.#state !== 'opening') this.#sendBye('fault');
    this.#end('game-fault', message);
  }

  #fault(message: string): void {
    this.#sendBye('fault');
    this.#end('peer-fault', message);
  }

  #sendBye(reason: 'left' | 'fault'): void {
    this.#send({ type: 'bye', reason, frame: this.#running?.driver.checker.newest ?? -1, chain: 0 });
  }

  /** The connection closed. A match that ran waits for another connection; before, and after its last frame, it ends. */
  closed(message: string): void {
    const running = this.#running;
    this.#isConnected = false;
    if (running === undefined) this.#end('lost', message);
    else if (running.driver.isComplete && !Number.isNaN(this.#byeSentMs)) this.#endFinished(running.desync);
    else this.#link?.closed();
  }

  #end(cause: EndCause, message: string): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#output.event({ type: 'ended', cause, message });
  }
}
