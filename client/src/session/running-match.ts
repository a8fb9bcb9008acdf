import type { ControlMessage } from '@riposte/shared/protocol';
import { DesyncWatch } from './desync-watch.js';
import type { Agreed } from './handshake.js';
import { AUTO_DELAY_SHARE, AutoInputDelay } from './input-delay.js';
import { type Measures, Meter } from './measures.js';
import type { Mesh } from './mesh.js';
import type { Pacer } from './pacer.js';
import { PeerEndpoint } from './peer-endpoint.js';
import type { PeerLink } from './peer-link.js';
import type { RollbackDriver } from './rollback-driver.js';
import type { RttWindow } from './rtt-window.js';
import type { Seats, SeatsOutput } from './seats.js';
import type { SessionOptions } from './session-types.js';
import { TimeSync } from './time-sync.js';

/** A machine that keeps less than this share of the game's rate is said to be slow. */
const SLOW_RATE = 0.97;
/**
 * How much more the lead over a machine weighs for each share of the game's rate that it lacks: it cannot run faster to
 * close the gap, so of many the others must, as one would alone. At a tenth it weighs more than six who keep the rate.
 */
const LACK_WEIGHT = 200;
/** Silence of a connection after which others are asked for what it should bring: less than a usual window covers. */
const ASK_AFTER_MS = 120;

/** A match between its first frame and its last: what the session has once all players have met. */
export class RunningMatch<S, I> {
  readonly agreed: Agreed;
  readonly driver: RollbackDriver<S, I>;
  /** Who is there, in a match of more than two. */
  readonly seats: Seats<S, I> | undefined;
  readonly timeSync = new TimeSync();
  readonly meter: Meter<S>;
  readonly #links: readonly PeerLink<S, I>[];
  readonly #mesh: Mesh<S, I> | undefined;
  readonly #limits: Int32Array;
  readonly #pacer: Pacer;
  readonly #send: (player: number, message: ControlMessage) => void;
  readonly #isHeard: (player: number) => boolean;
  #autoDelay: AutoInputDelay | undefined;
  #ticks = 0;
  /** By player: the newest frame whose input has taken effect here. */
  readonly #tookThrough: Int32Array;

  /** `send` is given a player and a message for the reliable lane. */
  constructor(
    agreed: Agreed,
    driver: RollbackDriver<S, I>,
    links: readonly PeerLink<S, I>[],
    pacer: Pacer,
    send: (player: number, message: ControlMessage) => void,
    party: SessionOptions<S, I>['party'],
    seats: SeatsOutput,
  ) {
    this.agreed = agreed;
    this.driver = driver;
    this.#links = links;
    this.#pacer = pacer;
    const { sim } = driver;
    this.meter = new Meter(sim.game.state, sim.game.tickRate, sim.clock, true);
    sim.watch = this.meter;
    if (driver.events) this.meter.onCorrection = (size) => driver.events?.correction(sim.lastFrame(), size);
    this.#tookThrough = new Int32Array(sim.players).fill(driver.firstFrame - 1);
    const many = sim.players > 2 ? party : undefined;
    this.seats = many && new many.Seats(sim, driver.me, seats);
    this.#limits = this.seats?.limits ?? new Int32Array(2).fill(2 ** 31 - 1);
    this.#mesh = many && new many.Mesh(driver, this.#limits);
    this.#isHeard = (player) => links.some((link) => link.player === player && this.#isDirect(link));
    this.#send = send;
    for (const link of links) this.#begin(link);
  }

  #begin(link: PeerLink<S, I>): void {
    const { player } = link;
    const { driver } = this;
    const comparison = driver.checker.against();
    const desync = new DesyncWatch(driver, comparison, (message) => this.#send(player, message));
    const endpoint = new PeerEndpoint(player, driver, comparison, this.#limits, this.#mesh);
    link.match = { comparison, desync, endpoint };
  }

  /** A player lost what it had of the match: what it had acknowledged, it has not, and its hashes are of no use. */
  restart(link: PeerLink<S, I>): void {
    if (link.match !== undefined) this.driver.checker.forget(link.match.comparison);
    this.#begin(link);
    // Before it was let in again itself, this side pressed nothing that anybody could take.
    const backFrom = this.driver.sim.absenceAfter(this.driver.me, -1)?.[1] ?? 0;
    link.match?.endpoint.acknowledgedThrough(backFrom - 1);
    this.#mesh?.forget(link.player);
    this.seats?.left(link.player);
    this.seats?.restarted(link.player);
  }

  /** The player is in the match, as far as this side knows. */
  isHere(player: number): boolean {
    return this.seats?.isGone(player) !== true;
  }

  /** A player who is in the match, and heard over its own connection. */
  #isDirect(link: PeerLink<S, I>): boolean {
    return link.isConnected && !link.isDirectDown && this.isHere(link.player);
  }

  setInputDelay(inputDelay: number | 'auto'): void {
    this.#autoDelay = inputDelay === 'auto' ? new AutoInputDelay(this.driver.sim.game.tickRate) : undefined;
    if (inputDelay !== 'auto') this.driver.local.inputDelay = inputDelay;
  }

  /** Runs one tick with the local player's input words, and sends its packets; their bytes are reused. */
  tick(nowMs: number, input: Int32Array, send: (player: number, packet: Uint8Array) => void, isPaused: boolean): void {
    const { driver, timeSync } = this;
    const { sim } = driver;
    this.#takeAges(nowMs);
    const stands = isPaused || sim.lastFrame() + 1 >= driver.endFrame;
    const advanced = driver.tick(input, isPaused);
    this.#followLink();
    let rate = this.#pacer.rate;
    let own = 0;
    let peers = 0;
    let heard = 0;
    let slowest: RttWindow | undefined;
    for (let at = 0; at < this.#links.length; at++) {
      const link = this.#links[at]!;
      if (link.match === undefined || !this.#isDirect(link)) continue;
      const { endpoint } = link.match;
      const weight = 1 + LACK_WEIGHT * (1 - endpoint.peerRate);
      own += weight * endpoint.advantage;
      peers += weight * endpoint.peerAdvantage;
      rate = Math.min(rate, endpoint.peerRate);
      if (slowest === undefined || !(endpoint.rtt.newestMs <= slowest.newestMs)) slowest = endpoint.rtt;
      heard += weight;
    }
    if (heard > 0 && !isPaused && this.seats?.isOutside !== true) timeSync.measure(own / heard, peers / heard);
    this.#pacer.speed = rate * timeSync.speed;
    this.#pacer.ticked();
    const tick = advanced ? 'advanced' : stands ? 'over' : 'stalled';
    this.meter.tick(nowMs, tick, sim.lastFrame() - sim.confirmedFrame, slowest);
    this.#askAround(nowMs);
    for (let at = 0; at < this.#links.length; at++) {
      const { player, match, epoch, isConnected, isReturning } = this.#links[at]!;
      if (match === undefined || !isConnected || !(this.isHere(player) || isReturning)) continue;
      send(player, match.endpoint.encode(nowMs, this.#pacer.rate, epoch));
    }
  }

  /** Inputs that have come since the last tick take effect in this one. */
  #takeAges(nowMs: number): void {
    const { sim, me } = this.driver;
    for (let player = 0; player < sim.players; player++) {
      const held = sim.heldThrough(player);
      if (player === me || held <= this.#tookThrough[player]!) continue;
      this.#tookThrough[player] = held;
      this.meter.took(nowMs, sim.lastFrame() - held);
    }
  }

  /** How prediction fares here. */
  measures(nowMs: number): Measures {
    return this.meter.read(nowMs, this.driver.sim.stats.window);
  }

  /** Asks others for the inputs of those who are not heard, and learns from them what those have. */
  #askAround(nowMs: number): void {
    const mesh = this.#mesh;
    if (mesh === undefined) return;
    for (let at = 0; at < this.#links.length; at++) {
      const link = this.#links[at]!;
      if (!this.isHere(link.player)) continue;
      const isSilent = !link.isConnected || (link.direct?.silentMs(nowMs) ?? 0) > ASK_AFTER_MS;
      mesh.ask(link.player, isSilent || this.seats?.lacks(link.player) === true, this.#isHeard);
      if (isSilent) link.match?.endpoint.acknowledgedThrough(mesh.hasOurs(link.player));
    }
  }

  /** Once a second, lets an automatic input delay follow the round trips, the longest of them where there are several. */
  #followLink(): void {
    const { local, sim } = this.driver;
    this.#ticks++;
    if (this.#ticks % sim.game.tickRate !== 0) return;
    if (!this.driver.isComplete) this.#recordPace();
    if (this.#autoDelay === undefined) return;
    let longestMs: number | null = null;
    for (const link of this.#links) {
      const rttMs = this.#isDirect(link) ? (link.match?.endpoint.rtt.percentile(AUTO_DELAY_SHARE) ?? null) : null;
      if (rttMs !== null) longestMs = Math.max(longestMs ?? 0, rttMs);
    }
    if (longestMs !== null) local.inputDelay = this.#autoDelay.next(local.inputDelay, longestMs);
  }

  /** Once a second, for the recording: how far the others are, how fast this side goes, and what it costs. */
  #recordPace(): void {
    const { events, sim } = this.driver;
    if (events === undefined) return;
    const speed = this.#pacer.rate * this.timeSync.speed;
    for (const { player, match } of this.#links) {
      const rttMs = match?.endpoint.rtt.smoothedMs ?? null;
      if (rttMs !== null) events.sample(sim.lastFrame(), player, rttMs, speed, match?.endpoint.advantage ?? 0);
    }
    const { window, resimulatedFrames } = sim.stats;
    events.work(sim.lastFrame(), sim.lastFrame() - sim.confirmedFrame, window, resimulatedFrames, this.meter);
  }

  /** The newest frame that any other is known to have simulated; -1 before the first packet. */
  get newestPeerFrame(): number {
    let newest = -1;
    for (const link of this.#links) {
      if (this.#isDirect(link)) newest = Math.max(newest, link.match?.endpoint.head ?? -1);
    }
    return newest;
  }

  /** Own frames that not all others have acknowledged yet: what the largest of the next packets carries. */
  get unackedFrames(): number {
    const held = this.driver.sim.heldThrough(this.driver.me);
    return Math.max(0, ...this.#here().map(({ match }) => held - (match?.endpoint.ackedThrough ?? held)));
  }

  /** Frames whose hash was compared with all others. */
  get comparedFrames(): number {
    const compared = this.#here().map(({ match }) => match?.comparison.comparedThrough ?? -1);
    return compared.length === 0 ? 0 : Math.max(0, Math.min(...compared) + 1 - this.driver.firstFrame);
  }

  #here(): PeerLink<S, I>[] {
    return this.#links.filter(({ player }) => this.isHere(player));
  }

  /** Whether a difference is known whose frame is not. */
  get isNaming(): boolean {
    for (let at = 0; at < this.#links.length; at++) {
      const { player, match } = this.#links[at]!;
      if (match?.desync.isNaming === true && this.isHere(player)) return true;
    }
    return false;
  }

  /** Smoothed round trip in milliseconds, the longest of them where there are several. */
  get rttMs(): number | null {
    const all = this.#here().flatMap(({ match }) => match?.endpoint.rtt.smoothedMs ?? []);
    return all.length === 0 ? null : Math.max(...all);
  }

  /** The longest input delay of the others, as far as their packets show. */
  get peerInputDelay(): number {
    return Math.max(0, ...this.#here().map(({ match }) => match?.endpoint.peerInputDelay ?? 0));
  }

  /** Whose machine is too slow for the game's rate, so that all wait for it; null when all keep it. */
  get slowMachine(): 'own' | 'peer' | null {
    const { rate } = this.#pacer;
    const slowest = Math.min(1, ...this.#here().map(({ match }) => match?.endpoint.peerRate ?? 1));
    if (Math.min(rate, slowest) > SLOW_RATE) return null;
    return rate <= slowest ? 'own' : 'peer';
  }
}
