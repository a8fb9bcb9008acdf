import type { Game } from '@riposte/shared';
import { AuthoritySession } from '../../authority/authority-session.js';
import type { Transport } from '../../transport/transport.js';
import type { VirtualClock } from '../../transport/virtual-clock.js';
import { FrameTrace } from './frame-trace.js';
import { type Side, type SideEvent, WAKE_MS } from './lab-player.js';

/** The machine that has the last word: each frame that it steps is final at once. */
export class LabAuthority<S, I> implements Side<S> {
  readonly title = 'Authority';
  readonly trace = new FrameTrace();
  nextWakeMs: number;
  phase: Side<S>['phase'] = 'syncing';
  reason: string | null = null;
  readonly #session: AuthoritySession<S, I>;
  readonly #clock: VirtualClock;
  readonly #frameMs: number;
  #steppedMs = 0;

  /** `transports` lead to the players. */
  constructor(
    game: Game<S, I>,
    seed: number,
    clock: VirtualClock,
    transports: readonly Transport[],
    onEvent: (event: SideEvent) => void,
  ) {
    this.#clock = clock;
    this.#frameMs = 1000 / game.tickRate;
    this.nextWakeMs = clock.nowMs;
    this.#session = new AuthoritySession(
      { game, seed },
      {
        send: (player, channel, bytes) => transports[player]?.send(channel, bytes),
        event: (event) => {
          if (event.type === 'running') this.phase = 'running';
          if (event.type !== 'ended') return;
          this.phase = 'ended';
          this.reason = event.message;
          onEvent(event);
        },
      },
    );
    for (const [player, transport] of transports.entries()) {
      transport.listen({
        message: (channel, bytes) => this.#session.receive(clock.nowMs, player, channel, bytes),
        close: () => undefined,
      });
    }
  }

  get sim(): AuthoritySession<S, I>['sim'] | undefined {
    return this.phase === 'syncing' ? undefined : this.#session.sim;
  }

  alpha(nowMs: number): number {
    return Math.min(1, (nowMs - this.#steppedMs) / this.#frameMs);
  }

  /** It predicts nothing. */
  measures(): null {
    return null;
  }

  wake(): void {
    this.nextWakeMs += WAKE_MS;
    const before = this.trace.head;
    this.#session.poll(this.#clock.nowMs);
    const head = this.#session.frame - 1;
    if (head > before) this.#steppedMs = this.#clock.nowMs;
    this.trace.reach(this.#clock.nowMs, head, head);
  }
}
