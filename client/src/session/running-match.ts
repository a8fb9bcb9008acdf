import type { ControlMessage } from '@riposte/shared/protocol';
import { DesyncWatch } from './desync-watch.js';
import type { Agreed } from './handshake.js';
import { AUTO_DELAY_SHARE, AutoInputDelay } from './input-delay.js';
import type { Pacer } from './pacer.js';
import { PeerEndpoint } from './peer-endpoint.js';
import type { RollbackDriver } from './rollback-driver.js';
import { TimeSync } from './time-sync.js';

/** Below this share of the game's rate a machine is called slow; above it is noise. */
const SLOW_RATE = 0.985;

/** A match between two peers from its first tick to its last, over whatever connection there is. */
export class RunningMatch<S, I> {
  readonly agreed: Agreed;
  readonly driver: RollbackDriver<S, I>;
  readonly peer: PeerEndpoint<S, I>;
  readonly desync: DesyncWatch;
  readonly timeSync = new TimeSync();
  readonly #pacer: Pacer;
  #autoDelay: AutoInputDelay | undefined;
  #ticks = 0;

  constructor(
    agreed: Agreed,
    driver: RollbackDriver<S, I>,
    player: number,
    pacer: Pacer,
    send: (message: ControlMessage) => void,
  ) {
    this.agreed = agreed;
    this.driver = driver;
    this.peer = new PeerEndpoint(player, driver);
    this.desync = new DesyncWatch(driver.checker, send);
    this.#pacer = pacer;
  }

  setInputDelay(inputDelay: number | 'auto'): void {
    this.#autoDelay = inputDelay === 'auto' ? new AutoInputDelay(this.driver.sim.game.tickRate) : undefined;
    if (inputDelay !== 'auto') this.driver.local.inputDelay = inputDelay;
  }

  /** Runs one tick with the local player's input words; returns its packet, whose bytes the next tick reuses. */
  tick(nowMs: number, input: Int32Array): Uint8Array {
    const { driver, peer, timeSync } = this;
    driver.tick(input);
    this.#followLink();
    timeSync.measure(peer.advantage, peer.peerAdvantage);
    this.#pacer.ticked(Math.min(this.#pacer.rate, peer.peerRate) * timeSync.speed);
    return peer.encode(nowMs, this.#pacer.rate);
  }

  /** Once a second, lets an automatic input delay follow the round trips. */
  #followLink(): void {
    const { local, sim } = this.driver;
    this.#ticks++;
    if (this.#autoDelay === undefined || this.#ticks % sim.game.tickRate !== 0) return;
    const rttMs = this.peer.rtt.percentile(AUTO_DELAY_SHARE);
    if (rttMs !== null) local.inputDelay = this.#autoDelay.next(local.inputDelay, rttMs);
  }

  /** Own frames that the peer has not acknowledged yet: what the next packet carries. */
  get unackedFrames(): number {
    return this.driver.sim.confirmedThrough(this.driver.me) - this.peer.ackedThrough;
  }

  /** Frames whose hash was compared with the peer's. */
  get comparedFrames(): number {
    return this.driver.checker.comparedThrough + 1 - this.driver.firstFrame;
  }

  /** Whose machine is too slow for the game's rate, so that both wait for it; null when both keep it. */
  get slowMachine(): 'own' | 'peer' | null {
    const { rate } = this.#pacer;
    if (Math.min(rate, this.peer.peerRate) > SLOW_RATE) return null;
    return rate <= this.peer.peerRate ? 'own' : 'peer';
  }
}
