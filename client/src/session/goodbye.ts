import type { ControlMessage } from '@riposte/shared/protocol';
import type { PeerLink } from './peer-link.js';
import type { RunningMatch } from './running-match.js';
import type { EndCause } from './session-types.js';

/** How long to wait for the other sides' goodbyes after a finished match. */
const BYE_MS = 3000;

type Bye = Extract<ControlMessage, { type: 'bye' }>;

/** How a match ends: in good order once all have every frame, or by the word of one who leaves. */
export class Goodbye<S, I> {
  readonly #links: readonly PeerLink<S, I>[];
  readonly #send: (player: number, message: ControlMessage) => void;
  readonly #end: (cause: EndCause, message: string) => void;
  #saidMs = Number.NaN;

  constructor(
    links: readonly PeerLink<S, I>[],
    send: (player: number, message: ControlMessage) => void,
    end: (cause: EndCause, message: string) => void,
  ) {
    this.#links = links;
    this.#send = send;
    this.#end = end;
  }

  /** This side has said that it has every frame of the match. */
  get isSaid(): boolean {
    return !Number.isNaN(this.#saidMs);
  }

  /** Tells all others why this side stops. `chain` is that over all frames up to `frame`, where it has them all. */
  say(reason: Bye['reason'], frame: number, chain = 0): void {
    for (const { player, isConnected } of this.#links) {
      if (isConnected) this.#send(player, { type: 'bye', reason, frame, chain });
    }
  }

  receive(link: PeerLink<S, I>, { reason, frame, chain }: Bye): void {
    if (reason === 'finished') {
      link.hasFinished = true;
      link.match?.comparison.compare({ confirmed: frame, chain });
      return;
    }
    this.#end('peer-left', reason === 'left' ? 'The other player left.' : 'The other player stopped on a fault.');
  }

  /** Once every frame is final here: says goodbye when the others have everything, and ends when they have said so too. */
  poll(nowMs: number, running: RunningMatch<S, I>): void {
    const { driver } = running;
    const frame = driver.endFrame - 1;
    const others = this.#links.filter(({ player }) => running.isHere(player));
    if (!this.isSaid) {
      // Who has said goodbye has everything; its last acknowledgements may be lost.
      if (others.some(({ match, hasFinished }) => !hasFinished && (match?.endpoint.ackedThrough ?? -1) < frame)) return;
      this.#saidMs = nowMs;
      this.say('finished', frame, driver.checker.chainOf(frame) ?? 0);
    }
    const isDone = others.every(({ hasFinished }) => hasFinished) && !running.isNaming;
    if (isDone || nowMs - this.#saidMs > BYE_MS) this.end();
  }

  /** Ends a match of which every frame is final here. */
  end(): void {
    this.#end('finished', 'The match is over.');
  }
}
