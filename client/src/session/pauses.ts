import type { ControlMessage } from '@riposte/shared/protocol';

/** All pauses of one player in a match together: enough for a door bell, too little to hold a match up. */
export const PAUSE_MS_MAX = 5 * 60_000;
/** The others go on by themselves so much later, when the word of the one who paused does not come. */
const SPARE_MS = 5000;

type PauseMessage = Extract<ControlMessage, { type: 'pause' }>;

/** One player's pauses. */
interface Pause {
  isOn: boolean;
  /** The first frame that is not to be played. */
  frame: number;
  /** When it began, and when it ends as far as that is settled. */
  sinceMs: number;
  untilMs: number;
  /** Of the pauses before this one. */
  usedMs: number;
}

/** Who has the match paused. It stands while anybody has; each side counts each player's time. */
export class Pauses {
  readonly #me: number;
  readonly #players: readonly Pause[];
  readonly #send: (message: PauseMessage) => void;
  /** Told of whoever has it paused now. */
  readonly #changed: (by: number | null) => void;
  #by: number | null = null;
  /** The first frame that is not to be played; infinite while nobody has it paused. */
  #frame = Number.POSITIVE_INFINITY;

  constructor(
    me: number,
    players: number,
    send: (message: PauseMessage) => void,
    changed: (by: number | null) => void,
  ) {
    this.#me = me;
    this.#send = send;
    this.#changed = changed;
    this.#players = Array.from({ length: players }, () => ({
      isOn: false,
      frame: -1,
      sinceMs: 0,
      untilMs: Number.POSITIVE_INFINITY,
      usedMs: 0,
    }));
  }

  /** The first of the players who have the match paused. */
  get by(): number | null {
    return this.#by;
  }

  /** Whether a frame is not to be played yet. */
  holds(frame: number): boolean {
    return frame >= this.#frame;
  }

  /** This player's word, for who may have missed it; undefined while there was none. */
  get own(): PauseMessage | undefined {
    const { isOn, frame, untilMs } = this.#players[this.#me]!;
    return frame < 0 ? undefined : { type: 'pause', paused: isOn && untilMs === Number.POSITIVE_INFINITY, frame };
  }

  /** Pauses from `frame` on. Without effect once this player's time is used up. */
  pause(nowMs: number, frame: number): void {
    const own = this.#players[this.#me]!;
    if ((own.isOn && own.untilMs === Number.POSITIVE_INFINITY) || own.usedMs >= PAUSE_MS_MAX) return;
    this.#end(nowMs, own);
    this.#begin(nowMs, own, frame);
    this.#send({ type: 'pause', paused: true, frame });
    this.#settle();
  }

  /** Goes on after `afterMs`: when the others have heard of it. */
  resume(nowMs: number, afterMs: number): void {
    const own = this.#players[this.#me]!;
    if (!own.isOn || own.untilMs !== Number.POSITIVE_INFINITY) return;
    own.untilMs = nowMs + afterMs;
    this.#send({ type: 'pause', paused: false, frame: own.frame });
  }

  receive(nowMs: number, player: number, { paused, frame }: PauseMessage): void {
    const pause = this.#players[player]!;
    if (paused === pause.isOn || (paused && pause.usedMs >= PAUSE_MS_MAX + SPARE_MS)) return;
    if (paused) this.#begin(nowMs, pause, frame);
    else this.#end(nowMs, pause);
    this.#settle();
  }

  /** A player is not there any more, or came back without knowing what it had said. */
  forget(nowMs: number, player: number): void {
    this.#end(nowMs, this.#players[player]!);
    this.#settle();
  }

  /** Ends what is over; once in every frame of the page. `afterMs` as in `resume`. */
  poll(nowMs: number, afterMs: number): void {
    if (this.#by === null) return;
    for (let player = 0; player < this.#players.length; player++) {
      const pause = this.#players[player]!;
      if (!pause.isOn) continue;
      const usedMs = pause.usedMs + nowMs - pause.sinceMs;
      if (player === this.#me && usedMs >= PAUSE_MS_MAX) this.resume(nowMs, afterMs);
      if (nowMs >= pause.untilMs || usedMs >= PAUSE_MS_MAX + SPARE_MS) this.#end(nowMs, pause);
    }
    this.#settle();
  }

  #begin(nowMs: number, pause: Pause, frame: number): void {
    pause.isOn = true;
    pause.frame = frame;
    pause.sinceMs = nowMs;
    pause.untilMs = Number.POSITIVE_INFINITY;
  }

  #end(nowMs: number, pause: Pause): void {
    if (!pause.isOn) return;
    pause.isOn = false;
    pause.usedMs += nowMs - pause.sinceMs;
  }

  #settle(): void {
    let by: number | null = null;
    let first = Number.POSITIVE_INFINITY;
    for (let player = this.#players.length - 1; player >= 0; player--) {
      const { isOn, frame } = this.#players[player]!;
      if (!isOn) continue;
      by = player;
      first = Math.min(first, frame);
    }
    this.#frame = first;
    if (by === this.#by) return;
    this.#by = by;
    this.#changed(by);
  }
}
