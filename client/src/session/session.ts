import { type Game, type RecordingWriter, RollbackSim, requireInteger, type Settings } from '@riposte/shared';
import {
  type ControlMessage,
  HASHES_MAX,
  type Hello,
  parseControl,
  requirePacketFits,
  WIRE_VERSION,
} from '@riposte/shared/protocol';
import type { Channel } from '../transport/transport.js';
import { refusalOf } from './handshake.js';
import { AUTO_DELAY_SHARE, AutoInputDelay, autoInputDelay } from './input-delay.js';
import { INPUT_DELAY_MAX } from './local-input.js';
import { Pacer } from './pacer.js';
import { PeerEndpoint } from './peer-endpoint.js';
import { RollbackDriver } from './rollback-driver.js';
import { TimeSync } from './time-sync.js';

/** Silence after which the other player counts as interrupted: twice the longest gap that a busy network makes. */
const INTERRUPTED_MS = 600;
/** Silence after which the match is given up. */
const LOST_MS = 10_000;
/** A hello that stays unanswered for so long is a peer that cannot be reached. */
const HANDSHAKE_MS = 10_000;
/** How long to wait for the other side's goodbye after a finished match. */
const BYE_MS = 3000;
/** A longer gap between two calls was this machine's own sleep, not the peer's silence. */
const OWN_SLEEP_MS = 400;

/** Below this share of the game's rate a machine is called slow; above it is noise. */
const SLOW_RATE = 0.985;

/** `finished` is the end as asked, everything confirmed on both sides; all others cut the match short. */
export type EndCause = 'finished' | 'left' | 'peer-left' | 'lost' | 'refused' | 'peer-fault' | 'game-fault';

export type SessionEvent =
  | { readonly type: 'running' }
  | { readonly type: 'interrupted' }
  | { readonly type: 'desync'; readonly frame: number }
  | { readonly type: 'ended'; readonly cause: EndCause; readonly message: string };

/** Where a session's bytes and events go. Bytes are reused by the session after `send` returns. */
export interface SessionOutput {
  send(channel: Channel, bytes: Uint8Array): void;
  event(event: SessionEvent): void;
}

export interface SessionOptions<S, I> {
  readonly game: Game<S, I>;
  /** This peer's player number: player 0 decides the seed and the settings. */
  readonly me: number;
  readonly name: string;
  /** 32-bit unsigned; used when this peer is player 0. */
  readonly seed: number;
  readonly settings?: Settings | undefined;
  readonly maxPrediction?: number | undefined;
  readonly inputDelay: number | 'auto';
  readonly frames?: number | undefined;
  /** Milliseconds, only to measure what the game's steps cost and to keep its rollbacks affordable. */
  readonly clock?: (() => number) | undefined;
  /** Makes the recording once seed, settings and delays are agreed. */
  readonly record?: ((agreed: Agreed) => RecordingWriter) | undefined;
}

/** What both peers know after the handshake. */
export interface Agreed {
  readonly seed: number;
  readonly settings: Settings;
  readonly names: readonly string[];
  readonly inputDelays: readonly number[];
}

type State = 'opening' | 'syncing' | 'running' | 'ended';

/** The parts of a running match. */
interface Running<S, I> {
  readonly driver: RollbackDriver<S, I>;
  readonly peer: PeerEndpoint<S, I>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * One peer of a two-player match, sans I/O: it takes the time, bytes and inputs, and gives bytes and events; it owns no
 * socket, timer or clock. Call `open` once both lanes can send, `receive` for everything that arrives, and in each
 * frame of the page `dueTicks` and then `tick` as many times.
 */
export class Session<S, I> {
  readonly #options: SessionOptions<S, I>;
  readonly #output: SessionOutput;
  readonly #pacer: Pacer;
  readonly #timeSync = new TimeSync();
  readonly #input: Int32Array;
  readonly #hello: Hello;
  #state: State = 'opening';
  #running: Running<S, I> | undefined;
  #agreed: Agreed | undefined;
  #peerHello: Hello | undefined;
  #startSent: { readonly rttMs: number; readonly atMs: number } | undefined;
  #peerStart: { readonly rttMs: number } | undefined;
  #openedMs = 0;
  #heardMs = 0;
  #polledMs = 0;
  #interrupted = false;
  #droppedPackets = 0;
  #desync: { readonly frame: number } | null = null;
  #sentHashes = false;
  #peerHashes: { readonly from: number; readonly hashes: readonly number[] } | undefined;
  #byeSentMs = Number.NaN;
  #peerFinished = false;
  #autoDelay: AutoInputDelay | undefined;
  #ticks = 0;

  /** Throws `bad-game` or `bad-argument` for what cannot be played. */
  constructor(options: SessionOptions<S, I>, output: SessionOutput) {
    const { game, me, name, seed, settings, inputDelay, frames, maxPrediction } = options;
    requirePacketFits(game.input.bits);
    this.#options = options;
    this.#output = output;
    this.#pacer = new Pacer(game.tickRate, (maxPrediction ?? 8) + 4);
    this.#input = new Int32Array(game.input.words);
    this.setInputDelay(inputDelay);
    this.#hello = {
      type: 'hello',
      wire: WIRE_VERSION,
      game: game.id,
      version: game.version,
      tickRate: game.tickRate,
      inputBits: game.input.bits,
      player: me,
      name,
      inputDelay,
      seed,
      settings: settings ?? null,
      frames: frames ?? null,
    };
  }

  /** The simulation, once the match runs. */
  get sim(): RollbackSim<S, I> | undefined {
    return this.#running?.driver.sim;
  }

  get driver(): RollbackDriver<S, I> | undefined {
    return this.#running?.driver;
  }

  get agreed(): Agreed | undefined {
    return this.#agreed;
  }

  get rttMs(): number | null {
    return this.#running?.peer.rtt.smoothedMs ?? null;
  }

  /** Own frames that the peer has not acknowledged yet: what the next packet carries. */
  get unackedFrames(): number {
    if (this.#running === undefined) return 0;
    const { driver, peer } = this.#running;
    return driver.sim.confirmedThrough(driver.me) - peer.ackedThrough;
  }

  get droppedPackets(): number {
    return this.#droppedPackets;
  }

  get desync(): { readonly frame: number } | null {
    return this.#desync;
  }

  get comparedFrames(): number {
    return (this.#running?.driver.checker.comparedThrough ?? -1) + 1;
  }

  /** The peer's input delay in frames, as its packets show it. */
  get peerInputDelay(): number {
    return this.#running?.peer.peerInputDelay ?? 0;
  }

  /**
   * Changes the input delay, in frames from 0 to 15, or lets it follow the link. Throws `bad-argument`.
   * No press is lost and no sent frame is changed.
   */
  setInputDelay(inputDelay: number | 'auto'): void {
    this.#autoDelay = inputDelay === 'auto' ? new AutoInputDelay(this.#options.game.tickRate) : undefined;
    if (inputDelay === 'auto') return;
    requireInteger('inputDelay', inputDelay, 0, INPUT_DELAY_MAX);
    if (this.#running !== undefined) this.#running.driver.local.inputDelay = inputDelay;
  }

  /** Frames by which this peer is ahead of the other. */
  get offset(): number {
    return this.#timeSync.offset;
  }

  /** Whose machine is too slow for the game's rate, so that both wait for it; null when both keep it. */
  get slowMachine(): 'own' | 'peer' | null {
    const peerRate = this.#running?.peer.peerRate ?? 1;
    if (Math.min(this.#pacer.rate, peerRate) > SLOW_RATE) return null;
    return this.#pacer.rate <= peerRate ? 'own' : 'peer';
  }

  /** How far `nowMs` lies between the last simulated frame and the next, 0 to 1. */
  alpha(nowMs: number): number {
    return this.#pacer.alpha(nowMs);
  }

  /** Both lanes can send: the handshake begins. */
  open(nowMs: number): void {
    if (this.#state !== 'opening') return;
    this.#state = 'syncing';
    this.#openedMs = nowMs;
    this.#heardMs = nowMs;
    this.#polledMs = nowMs;
    this.#sendControl(this.#hello);
  }

  /** Takes bytes from the peer. Never throws for them: a bad packet is counted and dropped. */
  receive(nowMs: number, channel: Channel, bytes: Uint8Array): void {
    if (this.#state === 'ended' || this.#state === 'opening') return;
    this.#heardMs = nowMs;
    if (this.#interrupted) {
      this.#interrupted = false;
      this.#timeSync.reset();
      this.#output.event({ type: 'running' });
    }
    if (channel === 'reliable') {
      const message = parseControl(decoder.decode(bytes));
      if (message === undefined) this.#droppedPackets++;
      else this.#receiveControl(nowMs, message);
      return;
    }
    if (this.#running === undefined) return;
    const received = this.#running.peer.receive(nowMs, bytes);
    if (received === 'taken') return;
    this.#droppedPackets++;
    if (received === 'contradiction') {
      this.#fault('The other player changed an input that it had already sent; the match cannot go on.');
    }
  }

  #receiveControl(nowMs: number, message: ControlMessage): void {
    switch (message.type) {
      case 'hello':
        this.#receiveHello(nowMs, message);
        return;
      case 'ready':
        this.#receiveReady(nowMs);
        return;
      case 'start':
        this.#peerStart = message;
        this.#startWhenAgreed(nowMs);
        return;
      case 'refuse':
        this.#end('refused', message.message);
        return;
      case 'hashes':
        this.#peerHashes = message;
        this.#nameDesync();
        return;
      case 'bye':
        if (message.reason === 'finished') {
          this.#peerFinished = true;
          this.#running?.driver.checker.compare(message.frame, message.chain);
        } else {
          this.#end(
            'peer-left',
            message.reason === 'left' ? 'The other player left.' : 'The other player stopped on a fault.',
          );
        }
    }
  }

  #receiveHello(nowMs: number, hello: Hello): void {
    if (this.#peerHello !== undefined) return;
    const refusal = refusalOf(this.#hello, hello);
    if (refusal !== undefined) {
      this.#sendControl({ type: 'refuse', ...refusal });
      this.#end('refused', refusal.message);
      return;
    }
    this.#peerHello = hello;
    this.#sendControl({ type: 'ready' });
    this.#startWhenAgreed(nowMs);
  }

  #receiveReady(nowMs: number): void {
    if (this.#startSent !== undefined) return;
    const rttMs = nowMs - this.#openedMs;
    this.#startSent = { rttMs, atMs: nowMs };
    this.#sendControl({ type: 'start', rttMs: Math.min(rttMs, HANDSHAKE_MS) });
    this.#startWhenAgreed(nowMs);
  }

  #startWhenAgreed(nowMs: number): void {
    const peer = this.#peerHello;
    const own = this.#startSent;
    if (peer === undefined || own === undefined || this.#peerStart === undefined || this.#state !== 'syncing') return;
    // Who opened first waited for the other to open: the shorter of the two measures is the round trip.
    const rttMs = Math.min(own.rttMs, this.#peerStart.rttMs);
    const { game, me, maxPrediction, clock, record } = this.#options;
    const [host, guest] = me < peer.player ? [this.#hello, peer] : [peer, this.#hello];
    const delayOf = (hello: Hello) =>
      hello.inputDelay === 'auto' ? autoInputDelay(rttMs, game.tickRate) : hello.inputDelay;
    const agreed: Agreed = {
      seed: host.seed,
      settings: host.settings ?? guest.settings ?? {},
      names: [host.name, guest.name],
      inputDelays: [delayOf(host), delayOf(guest)],
    };
    const frames = Math.min(host.frames ?? Number.POSITIVE_INFINITY, guest.frames ?? Number.POSITIVE_INFINITY);
    const { seed, settings } = agreed;
    const sim = new RollbackSim(game, {
      players: 2,
      seed,
      settings,
      ...(maxPrediction !== undefined && { maxPrediction }),
      ...(clock !== undefined && { clock }),
    });
    const driver = new RollbackDriver(sim, {
      me,
      inputDelay: delayOf(this.#hello),
      frames,
      recording: record?.(agreed),
    });
    const endpoint = new PeerEndpoint(peer.player, driver);
    endpoint.rtt.add(rttMs);
    this.#agreed = agreed;
    this.#running = { driver, peer: endpoint };
    this.#state = 'running';
    // The peer starts when this side's `start` reaches it, or when its own reached here: whichever is later, on both.
    this.#pacer.start(Math.max(nowMs, own.atMs + rttMs / 2));
    this.#output.event({ type: 'running' });
  }

  /** How many ticks to run at `nowMs`; also notices silence. Call it in every frame of the page. */
  dueTicks(nowMs: number): number {
    if (this.#state === 'opening' || this.#state === 'ended') return 0;
    // After this machine's own sleep the peer's packets still wait to be read: its silence begins now.
    if (nowMs - this.#polledMs > OWN_SLEEP_MS) this.#heardMs = nowMs;
    this.#polledMs = nowMs;
    const silentMs = nowMs - this.#heardMs;
    if (this.#state === 'syncing') {
      if (silentMs > HANDSHAKE_MS)
        this.#end('lost', 'The other player did not answer within 10 seconds: create a new match.');
      return 0;
    }
    if (silentMs > LOST_MS) {
      this.#end('lost', 'The other player has not been heard for 10 seconds: the connection is lost.');
      return 0;
    }
    if (silentMs > INTERRUPTED_MS && !this.#interrupted) {
      this.#interrupted = true;
      this.#output.event({ type: 'interrupted' });
    }
    return this.#pacer.due(nowMs);
  }

  /** Runs one tick with the local player's input and sends its packet. Throws `bad-input`, with nothing done. */
  tick(nowMs: number, input: Partial<I>): void {
    const running = this.#running;
    if (running === undefined || this.#state !== 'running') return;
    this.#options.game.input.encode(input, this.#input, 0);
    const { driver, peer } = running;
    driver.tick(this.#input);
    this.#followLink(running);
    this.#timeSync.measure(peer.advantage, peer.peerAdvantage);
    this.#pacer.ticked(Math.min(this.#pacer.rate, peer.peerRate) * this.#timeSync.speed);
    this.#output.send('unreliable', peer.encode(nowMs, this.#pacer.rate));
    if (driver.checker.partedBy !== undefined) this.#nameDesync();
    if (driver.isComplete) this.#finish(nowMs, running);
  }

  /** Once a second, lets an automatic input delay follow the round trips. */
  #followLink({ driver, peer }: Running<S, I>): void {
    this.#ticks++;
    if (this.#autoDelay === undefined || this.#ticks % this.#options.game.tickRate !== 0) return;
    const rttMs = peer.rtt.percentile(AUTO_DELAY_SHARE);
    if (rttMs !== null) driver.local.inputDelay = this.#autoDelay.next(driver.local.inputDelay, rttMs);
  }

  /** Both sides exchange the hashes since they last agreed; the first that differs names the frame. */
  #nameDesync(): void {
    const checker = this.#running?.driver.checker;
    if (checker === undefined || this.#desync !== null) return;
    if (!this.#sentHashes) {
      this.#sentHashes = true;
      const from = Math.max(checker.comparedThrough + 1, checker.newest - HASHES_MAX + 1);
      const hashes: number[] = [];
      for (let frame = from; frame <= checker.newest; frame++) hashes.push(checker.hashOf(frame) ?? 0);
      this.#sendControl({ type: 'hashes', from, hashes });
    }
    if (this.#peerHashes === undefined) return;
    const frame = checker.firstDifference(this.#peerHashes.from, this.#peerHashes.hashes);
    if (frame === undefined) return;
    this.#desync = { frame };
    this.#output.event({ type: 'desync', frame });
  }

  /** Says goodbye once the peer has everything, and ends once it has said so too. */
  #finish(nowMs: number, { driver, peer }: Running<S, I>): void {
    const frame = driver.endFrame - 1;
    if (Number.isNaN(this.#byeSentMs)) {
      if (peer.ackedThrough < frame) return;
      this.#byeSentMs = nowMs;
      this.#sendControl({ type: 'bye', reason: 'finished', frame, chain: driver.checker.chainOf(frame) ?? 0 });
    }
    const waitsForName = driver.checker.partedBy !== undefined && this.#desync === null;
    if ((this.#peerFinished && !waitsForName) || nowMs - this.#byeSentMs > BYE_MS) {
      this.#end(
        'finished',
        this.#desync === null
          ? 'The match is over.'
          : `The match is void: the two machines parted at frame ${this.#desync.frame}.`,
      );
    }
  }

  /** Ends the match from this side; the other side is told. */
  leave(): void {
    if (this.#state === 'ended') return;
    if (this.#state !== 'opening') this.#sendBye('left');
    this.#end('left', 'You left the match.');
  }

  /** Stops on a fault of the game or of the peer; the other side is told. */
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
    this.#sendControl({ type: 'bye', reason, frame: this.#running?.driver.checker.newest ?? -1, chain: 0 });
  }

  /** The connection closed. */
  closed(message: string): void {
    if (this.#running?.driver.isComplete === true && !Number.isNaN(this.#byeSentMs))
      this.#end('finished', 'The match is over.');
    else this.#end('lost', message);
  }

  #sendControl(message: ControlMessage): void {
    this.#output.send('reliable', encoder.encode(JSON.stringify(message)));
  }

  #end(cause: EndCause, message: string): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#output.event({ type: 'ended', cause, message });
  }
}
