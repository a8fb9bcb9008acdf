import {
  MAX_PREDICTION_DEFAULT,
  type RecordingWriter,
  RiposteError,
  RollbackSim,
  requireInteger,
} from '@riposte/shared';
import { type ControlMessage, type Hello, parseControl, requirePacketFits } from '@riposte/shared/protocol';
import type { Channel } from '../transport/transport.js';
import { INPUT_DELAY_MAX } from './delays.js';
import { RESYNCS_MAX } from './desync-watch.js';
import { Goodbye } from './goodbye.js';
import { type Agreed, type HandshakeMessage, refusalOfForeign } from './handshake.js';
import { RESUME_MS, SEAT_LOST_MS } from './link-watch.js';
import { Opening } from './opening.js';
import { Pacer, STEPS_PER_DRAW_MAX } from './pacer.js';
import { Pauses } from './pauses.js';
import { PeerLink } from './peer-link.js';
import { Presences } from './presences.js';
import { Returns } from './returns.js';
import { RollbackDriver } from './rollback-driver.js';
import type { Roster } from './roster.js';
import { RunningMatch } from './running-match.js';
import type { EndCause, Presence, SessionEvent, SessionOptions, SessionOutput } from './session-types.js';
import { isStateChunk, StateReceiver } from './state-transfer.js';

/** What a machine that slept may catch up beyond the window: the peer's delay and what was under way. */
const BACKLOG_SPARE_FRAMES = 4;
type State = 'opening' | 'syncing' | 'running' | 'ended';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * One player of a match of two to eight, sans I/O: it takes the time, bytes and inputs, and gives bytes and events; it
 * owns no socket, timer or clock. Call `open` once both lanes of a connection to another player can send (again for each
 * later connection of the match), `receive` for everything that arrives, `closed` when a connection ends, and in each
 * frame of the page `dueTicks` and then `tick` as many times.
 */
export class Session<S, I> {
  readonly #options: SessionOptions<S, I>;
  readonly #output: SessionOutput;
  readonly #pacer: Pacer;
  readonly #input: Int32Array;
  readonly #links: readonly PeerLink<S, I>[];
  readonly #byPlayer: (PeerLink<S, I> | undefined)[] = [];
  readonly #isPair: boolean;
  readonly #presences: Presences<S, I>;
  readonly #goodbye: Goodbye<S, I>;
  readonly #pauses: Pauses;
  readonly #opening: Opening<S, I>;
  readonly #returns: Returns<S, I>;
  readonly #send = (player: number, message: ControlMessage): void => {
    this.#output.send(player, 'reliable', encoder.encode(JSON.stringify(message)));
  };
  readonly #sendPacket = (player: number, packet: Uint8Array): void => {
    this.#output.send(player, 'unreliable', packet);
  };
  #state: State = 'opening';
  #running: RunningMatch<S, I> | undefined;
  #isReturning: boolean;
  #droppedPackets = 0;
  /** Where there are more than two. */
  #roster: Roster<S, I> | undefined;
  #inputDelay: number | 'auto';
  #isHidden = false;
  #desync: { readonly frame: number } | null = null;
  #resyncs = 0;

  /** Throws `bad-game` or `bad-argument` for what cannot be played. */
  constructor(options: SessionOptions<S, I>, output: SessionOutput) {
    const { game, me, players = game.players, inputDelay, maxPrediction = MAX_PREDICTION_DEFAULT } = options;
    requirePacketFits(game.input.bits);
    if (players > 2 && options.party === undefined) {
      throw new RiposteError('bad-argument', `party is missing; expected one for ${players} players`);
    }
    this.#options = options;
    this.#output = output;
    this.#pacer = new Pacer(game.tickRate, maxPrediction + BACKLOG_SPARE_FRAMES);
    this.#input = new Int32Array(game.input.words);
    this.#isPair = players === 2;
    this.#isReturning = options.returning === true;
    this.#links = Array.from({ length: players }, (_, player) => new PeerLink<S, I>(player)).filter(
      ({ player }) => player !== me,
    );
    for (const link of this.#links) {
      link.epoch = options.epochs?.[link.player] ?? 0;
      this.#byPlayer[link.player] = link;
    }
    this.#presences = new Presences(
      this.#links,
      this.#isPair ? RESUME_MS : SEAT_LOST_MS,
      (player) => this.#running?.isHere(player) !== false,
      (event) => this.#tell(event),
    );
    this.#goodbye = new Goodbye(this.#links, this.#send, (cause, message) => this.#end(cause, message));
    this.#pauses = new Pauses(
      me,
      players,
      (message) => this.#sendAll(message),
      (by) => {
        if (by === null) this.#running?.timeSync.reset();
        this.#tell({ type: 'paused', by });
      },
    );
    this.#opening = new Opening(options, this.#links, this.#send);
    this.#returns = new Returns(this.#links, this.#send, (player, chunk) => output.send(player, 'reliable', chunk));
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

  get droppedPackets(): number {
    return this.#droppedPackets;
  }

  /** The first frame whose step parted this side from another; null while none is known. */
  get desync(): { readonly frame: number } | null {
    return this.#desync;
  }

  /** Frames whose hash was compared with all others. */
  get comparedFrames(): number {
    return this.#running?.comparedFrames ?? 0;
  }

  /** Smoothed round trip in milliseconds, the longest of them where there are several. */
  get rttMs(): number | null {
    return this.#running?.rttMs ?? null;
  }

  /** Which epoch of their connections another player's packets are of. */
  epochOf(player: number): number {
    return this.#linkOf(player)?.epoch ?? 0;
  }

  /** How another player is there. */
  presenceOf(player: number): Presence {
    const link = this.#linkOf(player);
    return link === undefined ? 'here' : this.#presences.of(link);
  }

  /** How far `nowMs` lies between the last simulated frame and the next, 0 to 1. */
  alpha(nowMs: number): number {
    // A match that is paused stands where its last frame left it.
    return this.#isPaused ? 1 : this.#pacer.alpha(nowMs);
  }

  /** Milliseconds until an interrupted match is given up, or goes on without who is not heard; null when it is not interrupted. */
  resumeLeftMs(nowMs: number): number | null {
    return this.#presences.leftMs(nowMs);
  }

  #linkOf(player: number): PeerLink<S, I> | undefined {
    return this.#byPlayer[player];
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

  /** The player who has the match paused, or null. */
  get pausedBy(): number | null {
    return this.#state === 'ended' ? null : this.#pauses.by;
  }

  get #isPaused(): boolean {
    const { sim } = this;
    return sim !== undefined && this.#pauses.holds(sim.lastFrame() + 1);
  }

  /** How long a word takes to the others. */
  get #wayMs(): number {
    return (this.rttMs ?? 0) / 2;
  }

  /**
   * Stops the match for all, at a frame that is near when the others hear of it, until `resume`; for five minutes at most,
   * all pauses of this player together. Without effect while no match runs.
   */
  pause(nowMs: number): void {
    if (this.sim === undefined || this.#state !== 'running') return;
    const ahead = Math.ceil((this.#wayMs * this.#options.game.tickRate) / 1000);
    this.#pauses.pause(nowMs, this.sim.lastFrame() + 1 + ahead);
  }

  /** Ends this player's own pause. */
  resume(nowMs: number): void {
    if (this.#state === 'running') this.#pauses.resume(nowMs, this.#wayMs);
  }

  /** Tells the others that this page is hidden, where browsers may stop it, or is seen again. */
  setHidden(hidden: boolean): void {
    if (this.#state === 'ended' || hidden === this.#isHidden) return;
    this.#isHidden = hidden;
    this.#sendAll({ type: 'hidden', hidden });
  }

  #sendAll(message: ControlMessage): void {
    for (const { player, isConnected } of this.#links) if (isConnected) this.#send(player, message);
  }

  /** Both lanes of a connection to a player can send: the two meet, or a running match goes on over it. */
  open(nowMs: number, player: number): void {
    const link = this.#linkOf(player);
    if (this.#state === 'ended' || link === undefined) return;
    link.isConnected = true;
    link.connections++;
    link.isReturning = false;
    // Another page may be there now; one that is hidden says so.
    link.isHidden = false;
    if (this.#isHidden) this.#send(player, { type: 'hidden', hidden: true });
    if (this.#pauses.own !== undefined) this.#send(player, this.#pauses.own);
    if (this.#running !== undefined) {
      link.epoch++;
      link.match?.desync.repeat();
      this.#returns.resume(link, this.#running);
      return;
    }
    this.#state = 'syncing';
    this.#opening.greet(nowMs, link, this.#isReturning);
  }

  /** Takes bytes from a player. Never throws for them: a bad packet is counted and dropped. */
  receive(nowMs: number, player: number, channel: Channel, bytes: Uint8Array): void {
    const link = this.#linkOf(player);
    if (this.#state === 'ended' || link?.isConnected !== true) return;
    if (channel === 'unreliable') this.#receivePacket(nowMs, link, bytes);
    // Another player may have told the match first: then its state is of no use.
    else if (isStateChunk(bytes)) this.#takeState(nowMs, link, bytes);
    else {
      const text = decoder.decode(bytes);
      const message = parseControl(text) ?? this.#options.party?.parseSeatMessage(text);
      if (message === undefined) this.#receiveForeign(link, text);
      else this.#receiveControl(nowMs, link, message);
    }
    if (this.#roster?.hasFallenOut === true) this.#askForMatch(nowMs);
  }

  /** Takes a text that is no message of this release. */
  #receiveForeign({ player }: PeerLink<S, I>, text: string): void {
    this.#droppedPackets++;
    const refusal = refusalOfForeign(text, player > this.#options.me);
    if (refusal === undefined) return;
    this.#send(player, { type: 'refuse', ...refusal });
    if (this.#state === 'syncing') this.#end('refused', refusal.message);
  }

  #receivePacket(nowMs: number, link: PeerLink<S, I>, bytes: Uint8Array): void {
    const running = this.#running;
    const endpoint = link.match?.endpoint;
    if (running === undefined || endpoint === undefined) return;
    if (!running.isHere(link.player) && !link.isReturning) {
      this.#roster?.tellOutside(nowMs, link);
      return;
    }
    const received = endpoint.receive(nowMs, bytes, link.epoch);
    if (received === 'taken') {
      link.direct?.heard(nowMs);
      this.#hear(nowMs, link);
      if (endpoint.forwarded === 0) return;
      for (const other of this.#links) if ((endpoint.forwarded & (1 << other.player)) !== 0) this.#hear(nowMs, other);
      return;
    }
    this.#droppedPackets++;
    if (received === 'contradiction') {
      this.#fault('The other player changed an input that it had already sent; the match cannot go on.');
    }
  }

  #hear(nowMs: number, link: PeerLink<S, I>): void {
    if (this.#presences.hear(nowMs, link)) this.#running?.timeSync.reset();
  }

  #receiveControl(nowMs: number, link: PeerLink<S, I>, message: ControlMessage): void {
    switch (message.type) {
      case 'hello':
        if (message.returning || link.connections > 1) this.#receiveReturning(nowMs, link, message);
        else this.#meet(nowMs, link, message);
        return;
      case 'ready':
      case 'start':
        this.#meet(nowMs, link, message);
        return;
      case 'resume':
        this.#resume(nowMs, link, message.epoch, message.holds);
        return;
      case 'welcome':
        if (this.#running ? this.#roster?.awaits(link) : message.epoch > link.greetedEpoch) {
          link.receiver = new StateReceiver(this.#options.game, message);
        }
        return;
      case 'refuse':
        this.#end('refused', message.message);
        return;
      case 'hashes':
        link.match?.desync.receive(message);
        return;
      case 'hidden':
        this.#presences.hide(link, message.hidden);
        return;
      case 'pause':
        this.#pauses.receive(nowMs, link.player, message);
        return;
      case 'seat':
        this.#roster?.receive(nowMs, link, message);
        return;
      case 'bye':
        if (message.reason !== 'finished' && !this.#isPair) this.#running?.seats?.left(link.player);
        else this.#goodbye.receive(link, message);
    }
  }

  #meet(nowMs: number, link: PeerLink<S, I>, message: HandshakeMessage): void {
    // Also once the match runs: the other side may have lost this side's last answer.
    const result = this.#opening.receive(nowMs, link, message);
    if (result === undefined || this.#state !== 'syncing') return;
    if ('refusal' in result) {
      this.#end('refused', result.refusal.message);
      return;
    }
    const { agreed, startMs } = result;
    const { game, record, maxPrediction, clock } = this.#options;
    const { seed, settings } = agreed;
    const sim = new RollbackSim(game, { players: agreed.names.length, seed, settings, maxPrediction, clock });
    this.#start(nowMs, agreed, sim, startMs, { recording: record?.(agreed) });
    for (const { met, match } of this.#links) if (met !== undefined) match?.endpoint.rtt.add(met.rttMs);
  }

  #start(
    nowMs: number,
    agreed: Agreed,
    sim: RollbackSim<S, I>,
    startMs: number,
    options: { readonly recording?: RecordingWriter | undefined; readonly chain?: number },
  ): void {
    const { me } = this.#options;
    const inputDelay = agreed.inputDelays[me] ?? 0;
    const driver = new RollbackDriver(sim, { ...options, me, inputDelay, frames: agreed.frames });
    const running = new RunningMatch(agreed, driver, this.#links, this.#pacer, this.#send, this.#options.party, {
      send: (message) => this.#sendAll(message),
      changed: (seat, isHere) => this.#roster?.changed(seat, isHere),
    });
    running.setInputDelay(this.#inputDelay);
    this.#running = running;
    this.#state = 'running';
    this.#isReturning = false;
    this.#presences.start(nowMs);
    this.#pacer.start(startMs);
    this.#roster = this.#rosterOf(nowMs, running);
    this.#output.event({ type: 'running' });
  }

  #rosterOf(nowMs: number, running: RunningMatch<S, I>): Roster<S, I> | undefined {
    const { party } = this.#options;
    if (running.seats === undefined || party === undefined) return undefined;
    const parts = { presences: this.#presences, returns: this.#returns, goodbye: this.#goodbye };
    return new party.Roster(nowMs, running, running.seats, this.#links, parts, {
      send: this.#send,
      end: (cause, message) => this.#end(cause, message),
      compare: (atMs, link) => this.#watch(atMs, link, running),
      record: (firstFrame) => this.#options.record?.({ ...running.agreed, firstFrame }),
    });
  }

  /** The other side of a new connection has the match too: both take the larger epoch, and go on where they stood. */
  #resume(nowMs: number, link: PeerLink<S, I>, epoch: number, holds: number): void {
    link.epoch = Math.max(link.epoch, epoch);
    // A page asks with every message before it has the match, and tells so first once it has.
    link.hasTaken = true;
    if (this.#running === undefined) return;
    if (link.isReturning) this.#running.seats?.stays(link.player);
    link.match?.endpoint.acknowledgedThrough(holds);
    link.direct?.heard(nowMs);
    this.#hear(nowMs, link);
  }

  /** The others have lost this player, who plays on by itself: it asks them for the match. */
  #askForMatch(nowMs: number): void {
    this.#isReturning = true;
    this.#running = undefined;
    this.#roster = undefined;
    this.#state = 'syncing';
    this.#presences.interrupt();
    for (const link of this.#links) {
      link.match = undefined;
      if (link.isConnected) this.#opening.greet(nowMs, link, true);
    }
  }

  #receiveReturning(nowMs: number, link: PeerLink<S, I>, hello: Hello): void {
    const running = this.#running;
    running?.seats?.returns(link.player);
    this.#pauses.forget(nowMs, link.player);
    // A player who is in the match, and has not said so yet, asked before it was taken in again.
    const hasAsked = link.askedOver === link.connections && !link.hasTaken;
    if (!this.#isPair && running?.isHere(link.player) === true && hasAsked) return;
    link.askedOver = link.connections;
    if (this.#isPair && running !== undefined) {
      this.#watch(nowMs, link, running);
      if (link.match?.desync.frame !== undefined) running.restart(link);
    }
    if (running !== undefined && this.#returns.receive(link, hello, running)) this.#hear(nowMs, link);
    if (running !== undefined || !this.#isPair) return;
    const message = this.#isReturning
      ? 'Both players lost the match, as by reloading: it cannot go on. Create a new one.'
      : `${hello.name} returns to a match that is over: create a new one.`;
    this.#send(link.player, { type: 'refuse', code: 'lost', message });
    this.#end('lost', message);
  }

  #takeState(nowMs: number, link: PeerLink<S, I>, chunk: Uint8Array): void {
    const { receiver } = link;
    if (receiver === undefined) return;
    try {
      if (!receiver.take(chunk)) return;
      if (this.#roster) this.#roster.take(receiver);
      else {
        const { agreed, welcome } = receiver;
        const { maxPrediction, clock, record } = this.#options;
        const sim = receiver.simulation({ maxPrediction, clock });
        const recording = record?.({ ...agreed, firstFrame: welcome.frame });
        this.#start(nowMs, agreed, sim, nowMs, { chain: welcome.chain, recording });
        if (this.#running !== undefined) this.#returns.taken(link, welcome, this.#running);
      }
    } catch (error) {
      if (!(error instanceof RiposteError)) throw error;
      this.#fault(`The running match could not be taken over: ${error.message}`);
    }
    for (const each of this.#links) each.receiver = undefined;
  }

  /** How many ticks to run at `nowMs`; also notices silence. Call it in every frame of the page. */
  dueTicks(nowMs: number): number {
    if (this.#state === 'syncing' && this.#opening.poll(nowMs, this.#isReturning) === 'lost') {
      this.#end('lost', 'The other player did not answer within 10 seconds: create a new match.');
    }
    const running = this.#running;
    if (running === undefined || this.#state !== 'running') return 0;
    this.#presences.poll(nowMs);
    this.#roster?.poll(nowMs);
    this.#pollPauses(nowMs, running);
    if (this.#isPair && this.#links[0]?.silence === 'lost') this.#loseLast(running);
    if (this.#roster?.hasFallenOut === true) this.#askForMatch(nowMs);
    if (this.#state !== 'running') return 0;
    if (this.#roster?.isBehind === true) {
      this.#pacer.start(nowMs);
      return STEPS_PER_DRAW_MAX;
    }
    return this.#pacer.due(nowMs);
  }

  #pollPauses(nowMs: number, running: RunningMatch<S, I>): void {
    const { by } = this.#pauses;
    if (by === null) return;
    if (!running.isHere(by)) this.#pauses.forget(nowMs, by);
    this.#pauses.poll(nowMs, this.#wayMs);
  }

  #loseLast(running: RunningMatch<S, I>): void {
    // Where every frame is held and final, only the goodbye is missing.
    if (running.driver.isComplete) this.#goodbye.end();
    else {
      const waitedS = RESUME_MS / 1000;
      this.#end('lost', `The other player has not been heard for ${waitedS} seconds: the connection is lost.`);
    }
  }

  /** Runs one tick with the local player's input and sends its packets. Throws `bad-input`, with nothing done. */
  tick(nowMs: number, input: Partial<I>): void {
    const running = this.#running;
    if (running === undefined || this.#state !== 'running') return;
    this.#options.game.input.encode(input, this.#input, 0);
    for (let at = 0; at < this.#links.length; at++) this.#watch(nowMs, this.#links[at]!, running);
    // What a difference leads to, and who is told of it, may end the match.
    if (this.#running !== running || this.#state !== 'running') return;
    // Until the frame is named both states stand, so that they are still there to be looked at.
    const stands = this.#isPaused || (this.#isPair && running.isNaming);
    running.tick(nowMs, this.#input, this.#sendPacket, stands);
    if (running.driver.isComplete) this.#goodbye.poll(nowMs, running);
  }

  /** Looks whether a player's states part from these, and does what the game says once the frame is known. */
  #watch(nowMs: number, { player, match }: PeerLink<S, I>, running: RunningMatch<S, I>): void {
    const { driver } = running;
    // Who plays on by itself parts from all others.
    const frame = running.isHere(player) ? match?.desync.poll() : undefined;
    if (frame === undefined) return;
    const { game, me } = this.#options;
    if (!this.#roster?.isLater(frame)) {
      this.#desync ??= { frame };
      driver.recorder?.keepState(frame + 1);
      this.#tell({ type: 'desync', player, frame });
    }
    if (driver.isComplete) return;
    if (this.#roster) this.#roster.parted(player, frame);
    else if (game.desync === 'stop') driver.endBy(match!.desync.endFrame);
    else if (game.desync === 'resync' && me > 0 && this.#resyncs++ < RESYNCS_MAX) this.#askForMatch(nowMs);
  }

  /** Ends the match from this side; the others are told. */
  leave(): void {
    this.#sayBye('left');
    this.#end('left', 'You left the match.');
  }

  /** Stops on a fault of the game; the others are told. */
  fail(message: string): void {
    this.#sayBye('fault');
    this.#end('game-fault', message);
  }

  #fault(message: string): void {
    this.#sayBye('fault');
    this.#end('peer-fault', message);
  }

  #sayBye(reason: 'left' | 'fault'): void {
    if (this.#state === 'ended' || this.#state === 'opening') return;
    this.#running?.seats?.leave();
    this.#goodbye.say(reason, this.#running?.driver.checker.newest ?? -1);
  }

  /** Tells what happened in a running match, also its recording. */
  #tell(event: SessionEvent): void {
    const { events, sim } = this.#running?.driver ?? {};
    // A pause plays no frame: a recording has nothing of it.
    if (event.type !== 'paused') events?.told(sim?.lastFrame() ?? -1, event);
    this.#output.event(event);
  }

  /** A connection closed. A match that ran waits for another one; before, and after its last frame, it ends. */
  closed(player: number, message: string): void {
    const link = this.#linkOf(player);
    if (link === undefined || this.#state === 'ended') return;
    link.isConnected = false;
    link.direct?.closed();
    const running = this.#running;
    if (running === undefined) {
      if (!this.#isReturning || this.#links.every(({ isConnected }) => !isConnected)) this.#end('lost', message);
    } else if (this.#isPair) {
      if (running.driver.isComplete && this.#goodbye.isSaid) this.#goodbye.end();
      else link.presence?.closed();
    }
  }

  #end(cause: EndCause, message: string): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    if (this.#pauses.by !== null) this.#output.event({ type: 'paused', by: null });
    const isVoid = cause === 'finished' && this.#desync !== null;
    const told = isVoid ? `The match is void: the two machines parted at frame ${this.#desync?.frame}.` : message;
    this.#output.event({ type: 'ended', cause, message: told });
  }
}
