import type { ControlMessage } from '@riposte/shared/protocol';
import { type Agreed, agreedOf, Handshake, type HandshakeMessage, helloOf, type Refusal } from './handshake.js';
import { LinkWatch } from './link-watch.js';
import type { PeerLink } from './peer-link.js';
import type { SessionOptions } from './session-types.js';

/** All have met each other: what they agree on, and the moment of the first frame. Or two of them do not fit. */
export type OpeningResult = { readonly agreed: Agreed; readonly startMs: number } | { readonly refusal: Refusal };

/** The time before a match: this side meets each of the others. */
export class Opening<S, I> {
  readonly #options: SessionOptions<S, I>;
  readonly #links: readonly PeerLink<S, I>[];
  readonly #send: (player: number, message: ControlMessage) => void;

  constructor(
    options: SessionOptions<S, I>,
    links: readonly PeerLink<S, I>[],
    send: (player: number, message: ControlMessage) => void,
  ) {
    this.#options = options;
    this.#links = links;
    this.#send = send;
  }

  /** A connection is there. `isReturning`: this side had been in the match, and asks for it. */
  greet(nowMs: number, link: PeerLink<S, I>, isReturning: boolean): void {
    link.direct = new LinkWatch(nowMs);
    link.receiver = undefined;
    link.greetedEpoch = link.epoch;
    link.met = undefined;
    const hello = helloOf(this.#options, isReturning);
    link.handshake = new Handshake(hello, (message) => this.#send(link.player, message), nowMs);
  }

  receive(nowMs: number, link: PeerLink<S, I>, message: HandshakeMessage): OpeningResult | undefined {
    const refusal = link.handshake?.receive(nowMs, message);
    if (refusal !== undefined) return { refusal };
    // Who says one half of it again and again is not waited for.
    if (link.handshake?.isAnswered === true) link.direct?.heard(nowMs);
    if (this.#links.every(({ handshake }) => handshake?.isMeasured)) {
      for (const each of this.#links) each.met ??= each.handshake?.start(nowMs);
    }
    const all = this.#links.flatMap(({ met }) => met ?? []);
    if (all.length < this.#links.length) return undefined;
    const agreed = agreedOf(helloOf(this.#options, false), all);
    return { agreed, startMs: Math.max(...all.map(({ startMs }) => startMs)) };
  }

  /** Asks again where nobody answered; once in every frame of the page. */
  poll(nowMs: number, isReturning: boolean): 'lost' | undefined {
    const opened = this.#links.filter(({ handshake, met }) => handshake !== undefined && met === undefined);
    const isLost = opened.map(({ direct }) => direct?.poll(nowMs) === 'lost');
    // Who returns needs one who has the match; who begins needs all, and who was met may wait for the rest.
    if (opened.length > 0 && (isReturning ? isLost.every(Boolean) : isLost.some(Boolean))) return 'lost';
    for (const { handshake } of opened) handshake?.poll(nowMs);
    return undefined;
  }
}
