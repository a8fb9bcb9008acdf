import { type Game, RiposteError } from '@riposte/shared';
import { withFault } from '../../match/fault.js';
import type { InputSource } from '../../match/match.js';
import { VirtualClock } from '../../transport/virtual-clock.js';
import { LabAuthority } from './lab-authority.js';
import { LabLink, type SentPacket } from './lab-link.js';
import { LabPlayer, type PlayerOptions, type Side, type SideEvent } from './lab-player.js';
import type { FullConditions } from './presets.js';

/** Who has the last word: both players together, or an authority. */
export type Mode = 'peers' | 'authority';

export interface ExperimentOptions<S, I> {
  readonly game: Game<S, I>;
  readonly mode: Mode;
  readonly inputs: readonly [InputSource<I>, InputSource<I>];
  readonly link: FullConditions;
  /** Frames, 0 to 15. */
  readonly inputDelay: number;
  /** Frames that may be predicted, between peers. */
  readonly window: number;
  readonly seed: number;
  /** Milliseconds, to measure what running frames again really costs. */
  readonly clock?: () => number;
}

/** What a planted fault led to. */
export interface Finding {
  /** The frame whose step was altered on one side. */
  readonly frame: number;
  /** Paths of the fields that differed, where both states are still kept. */
  readonly fields: readonly string[];
  /** Whether the sides agree again, for one of them took the other's state. */
  readonly isHealed: boolean;
}

/** No frame: before a fault is asked for. */
const NEVER = -1;
/** A fault is planted a few frames ahead, where nothing has run yet. */
const FAULT_AHEAD = 3;
/** In a match that has not begun: late enough to see that all was well. */
const FAULT_FIRST = 60;

/** One match of two players in one program, in virtual time: it goes on only as far as `run` lets it. */
export class Experiment<S, I> {
  readonly clock = new VirtualClock();
  readonly players: readonly [LabPlayer<S, I>, LabPlayer<S, I>];
  readonly mode: Mode;
  /** What came of the fault; null before it was noticed. */
  finding: Finding | null = null;
  readonly #options: ExperimentOptions<S, I>;
  readonly #links: readonly LabLink[];
  readonly #authority: LabAuthority<S, I> | undefined;
  #faultFrame = NEVER;

  constructor(options: ExperimentOptions<S, I>) {
    const { clock } = this;
    const { mode, link, seed } = options;
    this.#options = options;
    this.mode = mode;
    const links = (mode === 'peers' ? [0] : [0, 1]).map((at) => new LabLink(clock, link, seed + at));
    this.#links = links;
    if (mode === 'peers') {
      this.players = [LabPlayer.peer(this.#player(0, links[0]!, 0)), LabPlayer.peer(this.#player(1, links[0]!, 1))];
    } else {
      const transports = links.map(({ ends }) => ends[1]);
      this.#authority = new LabAuthority(options.game, seed, clock, transports, () => undefined);
      this.players = [LabPlayer.client(this.#player(0, links[0]!, 0)), LabPlayer.client(this.#player(1, links[1]!, 0))];
    }
  }

  #player(me: 0 | 1, link: LabLink, end: 0 | 1): PlayerOptions<S, I> {
    const { game, mode, inputs, inputDelay, window, seed, clock } = this.#options;
    const hasFault = me === (mode === 'peers' ? 1 : 0);
    return {
      title: `Player ${me + 1}`,
      clock: this.clock,
      transport: link.ends[end],
      input: inputs[me],
      // No two machines wake at the same moments.
      firstWakeMs: me,
      onEvent: (event) => this.#told(event),
      session: {
        game: hasFault ? withFault(game, () => this.#faultFrame) : game,
        me,
        name: `Player ${me + 1}`,
        seed,
        inputDelay,
        maxPrediction: window,
        clock,
      },
    };
  }

  /** The two that are looked at: both players, or the first of them and the authority. */
  get sides(): readonly [Side<S>, Side<S>] {
    return [this.players[0], this.#authority ?? this.players[1]];
  }

  /** What travels between the two sides. */
  get packets(): readonly SentPacket[] {
    return this.#links[0]!.packets;
  }

  get isOver(): boolean {
    return this.players.every(({ phase }) => phase === 'ended');
  }

  /** Changes the link, both ways, while the match runs. */
  setLink(conditions: FullConditions): void {
    for (const link of this.#links) link.conditions = conditions;
  }

  /** Changes both players' input delay while the match runs. Throws `bad-argument`. */
  setInputDelay(inputDelay: number): void {
    for (const player of this.players) player.setInputDelay(inputDelay);
  }

  /** Alters the state of one side in a frame to come: of the second player, or of the first against an authority. */
  plantFault(): void {
    const player = this.players[this.mode === 'peers' ? 1 : 0];
    if (this.#faultFrame !== NEVER) return;
    this.#faultFrame = player.sim === undefined ? FAULT_FIRST : player.sim.lastFrame() + FAULT_AHEAD;
  }

  /** A fault is planted, and not noticed yet. */
  get isFaultPending(): boolean {
    return this.#faultFrame !== NEVER && this.finding === null;
  }

  #told(event: SideEvent): void {
    if (event.type === 'desync' && this.finding === null) {
      this.finding = { frame: event.frame, fields: this.#fieldsThatPart(event.frame + 1), isHealed: false };
    }
  }

  /** Where the two sides' states before `frame` differ. */
  #fieldsThatPart(frame: number): string[] {
    const [one, two] = this.sides;
    if (one.sim === undefined || two.sim === undefined) return [];
    try {
      return this.#options.game.state.diff(one.sim.stateAt(frame), two.sim.stateAt(frame)).map(({ path }) => path);
    } catch (error) {
      if (error instanceof RiposteError) return [];
      throw error;
    }
  }

  /** Against an authority no side announces a fault: the state that puts it right says that there was one. */
  #lookForHealing(): void {
    if (this.mode === 'peers' || !this.isFaultPending) return;
    const frame = this.#faultFrame;
    if (this.players[0].divergences > 0) this.finding = { frame, fields: [], isHealed: true };
  }

  /** Lets `ms` of virtual time pass. */
  run(ms: number): void {
    const { clock, players } = this;
    const endMs = clock.nowMs + ms;
    for (;;) {
      const player = players[0].nextWakeMs <= players[1].nextWakeMs ? players[0] : players[1];
      const wakeMs = this.#authority?.nextWakeMs ?? Number.POSITIVE_INFINITY;
      const nextMs = Math.min(player.nextWakeMs, wakeMs);
      if (nextMs > endMs) break;
      clock.advance(Math.max(0, nextMs - clock.nowMs));
      if (wakeMs <= player.nextWakeMs) this.#authority?.wake();
      else player.wake();
    }
    clock.advance(Math.max(0, endMs - clock.nowMs));
    this.#lookForHealing();
  }

  /** Goes on by one frame. */
  step(): void {
    this.run(1000 / this.#options.game.tickRate);
  }
}
