import type { RollbackSim } from '@riposte/shared';
import { ClientSession } from '../../authority/client-session.js';
import { measuresOf } from '../../authority/measures.js';
import type { InputSource } from '../../match/match.js';
import type { Measures, Meter } from '../../session/measures.js';
import { Session } from '../../session/session.js';
import type { SessionOptions } from '../../session/session-types.js';
import type { Channel, Transport } from '../../transport/transport.js';
import type { VirtualClock } from '../../transport/virtual-clock.js';
import { FrameTrace, type RollbackCause } from './frame-trace.js';

/** How often a machine looks whether a tick is due: often enough that each is run at its moment. */
export const WAKE_MS = 2;

/** What a side tells: that it runs, is interrupted, or has ended with a sentence. */
export type SideEvent =
  | { readonly type: 'running' | 'interrupted' }
  | { readonly type: 'desync'; readonly frame: number }
  | { readonly type: 'ended'; readonly cause: string; readonly message: string };

/** What one looks at: a player's machine, or the authority's. */
export interface Side<S> {
  readonly title: string;
  readonly trace: FrameTrace;
  readonly phase: 'syncing' | 'running' | 'interrupted' | 'ended';
  /** Why it ended. */
  readonly reason: string | null;
  readonly sim:
    | Pick<RollbackSim<S, unknown>, 'state' | 'stateAt' | 'lastFrame' | 'stats' | 'collectEffects'>
    | undefined;
  /** How far `nowMs` lies between the last simulated frame and the next, 0 to 1. */
  alpha(nowMs: number): number;
  measures(nowMs: number): Measures | null;
}

/** What a session between peers and one against an authority have in common here. */
interface Playing<S, I> {
  readonly sim: RollbackSim<S, I> | undefined;
  readonly meter: Meter<S> | undefined;
  readonly confirmedFrame: number;
  open(nowMs: number): void;
  receive(nowMs: number, channel: Channel, bytes: Uint8Array): void;
  dueTicks(nowMs: number): number;
  tick(nowMs: number, input: Partial<I>): void;
  alpha(nowMs: number): number;
  setInputDelay(inputDelay: number): void;
  measures(nowMs: number): Measures | null;
  /** Times that the same inputs gave another state here than at the authority. */
  readonly divergences: number;
}

export interface PlayerOptions<S, I> {
  readonly title: string;
  readonly clock: VirtualClock;
  readonly transport: Transport;
  readonly input: InputSource<I>;
  readonly firstWakeMs: number;
  readonly onEvent: (event: SideEvent) => void;
  readonly session: SessionOptions<S, I>;
}

/** One player's machine: its session, its rhythm, and the trace of its frames. */
export class LabPlayer<S, I> implements Side<S> {
  readonly title: string;
  readonly trace = new FrameTrace();
  nextWakeMs: number;
  phase: Side<S>['phase'] = 'syncing';
  reason: string | null = null;
  readonly #playing: Playing<S, I>;
  readonly #clock: VirtualClock;
  readonly #input: InputSource<I>;
  readonly #onEvent: (event: SideEvent) => void;
  readonly #me: number;
  #rollbacks = 0;
  #cause: RollbackCause | null = null;

  private constructor(options: PlayerOptions<S, I>, playing: (told: (event: SideEvent) => void) => Playing<S, I>) {
    const { clock, transport } = options;
    this.title = options.title;
    this.nextWakeMs = options.firstWakeMs;
    this.#me = options.session.me;
    this.#clock = clock;
    this.#input = options.input;
    this.#onEvent = options.onEvent;
    this.#playing = playing((event) => this.#tell(event));
    this.#playing.open(clock.nowMs);
    transport.listen({
      message: (channel, bytes) => {
        this.#playing.receive(clock.nowMs, channel, bytes);
        this.#follow();
      },
      close: () => undefined,
    });
  }

  /** A player who plays with another one. */
  static peer<S, I>(options: PlayerOptions<S, I>): LabPlayer<S, I> {
    const { transport, session: sessionOptions } = options;
    const other = 1 - sessionOptions.me;
    return new LabPlayer(options, (told) => {
      const session = new Session(sessionOptions, {
        send: (_player, channel, bytes) => transport.send(channel, bytes),
        event: (event) => {
          if (event.type !== 'link' && event.type !== 'presence' && event.type !== 'paused') told(event);
        },
      });
      return {
        get sim() {
          return session.sim;
        },
        get meter() {
          return session.running?.meter;
        },
        get confirmedFrame() {
          return session.sim?.confirmedFrame ?? -1;
        },
        divergences: 0,
        open: (nowMs) => session.open(nowMs, other),
        receive: (nowMs, channel, bytes) => session.receive(nowMs, other, channel, bytes),
        dueTicks: (nowMs) => session.dueTicks(nowMs),
        tick: (nowMs, input) => session.tick(nowMs, input),
        alpha: (nowMs) => session.alpha(nowMs),
        setInputDelay: (inputDelay) => session.setInputDelay(inputDelay),
        measures: (nowMs) => session.running?.measures(nowMs) ?? null,
      };
    });
  }

  /** A player whose match an authority runs. */
  static client<S, I>(options: PlayerOptions<S, I>): LabPlayer<S, I> {
    const { transport, session: sessionOptions } = options;
    const { game, name, clock, inputDelay } = sessionOptions;
    return new LabPlayer(options, (told) => {
      const session = new ClientSession(
        { game, name, clock, inputDelay: inputDelay === 'auto' ? 0 : inputDelay },
        {
          send: (channel, bytes) => transport.send(channel, bytes),
          event: (event) => {
            if (event.type !== 'denied') told(event);
          },
        },
      );
      return {
        get sim() {
          return session.sim;
        },
        get meter() {
          return session.meter;
        },
        get confirmedFrame() {
          return session.authorityFrame - 1;
        },
        get divergences() {
          return session.figures?.divergences ?? 0;
        },
        open: (nowMs) => session.open(nowMs),
        receive: (nowMs, channel, bytes) => session.receive(nowMs, channel, bytes),
        dueTicks: (nowMs) => session.dueTicks(nowMs),
        tick: (nowMs, input) => session.tick(nowMs, input),
        alpha: (nowMs) => session.alpha(nowMs),
        setInputDelay: (inputDelay) => session.setInputDelay(inputDelay),
        measures: (nowMs) => measuresOf(session, nowMs),
      };
    });
  }

  get sim(): RollbackSim<S, I> | undefined {
    return this.#playing.sim;
  }

  get meter(): Meter<S> | undefined {
    return this.#playing.meter;
  }

  get divergences(): number {
    return this.#playing.divergences;
  }

  alpha(nowMs: number): number {
    return this.#playing.alpha(nowMs);
  }

  measures(nowMs: number): Measures | null {
    return this.#playing.measures(nowMs);
  }

  setInputDelay(inputDelay: number): void {
    this.#playing.setInputDelay(inputDelay);
  }

  /** Runs the ticks that are due. */
  wake(): void {
    this.nextWakeMs += WAKE_MS;
    const { nowMs } = this.#clock;
    for (let due = this.#playing.dueTicks(nowMs); due > 0 && this.phase !== 'ended'; due--) {
      const before = this.sim?.lastFrame() ?? -1;
      this.#playing.tick(nowMs, this.#input());
      this.#followRollbacks(before);
      if (this.sim?.lastFrame() === before) this.trace.stall(nowMs);
      this.#follow();
    }
  }

  #followRollbacks(head: number): void {
    const { meter } = this;
    if (meter === undefined || meter.rollbackFrames.count === this.#rollbacks) return;
    this.#rollbacks = meter.rollbackFrames.count;
    this.trace.rollBack(this.#clock.nowMs, meter.rollbackFrames.newest, head, this.#cause);
  }

  /** Has the simulation tell whose input each rollback is for. */
  #listen(sim: RollbackSim<S, I>): void {
    const words = new Int32Array(sim.game.input.words);
    sim.onRollback = (_head, player, first) => {
      sim.readInput(player, first, words, 0);
      const pressed = sim.game.input.describe(words, 0);
      this.#cause = { who: `Player ${player + 1}`, isOwn: player === this.#me, pressed };
    };
  }

  #follow(): void {
    if (this.sim !== undefined && this.sim.onRollback === undefined) this.#listen(this.sim);
    const head = this.sim?.lastFrame() ?? -1;
    this.#followRollbacks(head);
    this.trace.reach(this.#clock.nowMs, head, this.#playing.confirmedFrame);
  }

  #tell(event: SideEvent): void {
    if (event.type === 'ended') {
      this.phase = 'ended';
      this.reason = event.message;
    } else if (event.type !== 'desync') this.phase = event.type;
    this.#onEvent(event);
  }
}
