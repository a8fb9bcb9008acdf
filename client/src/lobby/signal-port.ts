import type { SignalData } from '@riposte/shared/protocol';

/** The way to one peer through the server, for as long as there is no connection. */
export interface SignalPort {
  /** Best effort: on a lost server, or to a peer who left, it does nothing. */
  send(data: SignalData): void;
  /** Takes over what arrives; what came earlier is delivered first, in order. */
  listen(handler: (data: SignalData) => void): void;
}

/** A description and its candidates are some tens; more than this before anybody listens is nobody's negotiation. */
const EARLY_SIGNALS_MAX = 256;

/** A port whose incoming side is fed by `deliver`. */
export class BufferedSignalPort implements SignalPort {
  readonly #send: (data: SignalData) => void;
  #handler: ((data: SignalData) => void) | undefined;
  #early: SignalData[] = [];

  constructor(send: (data: SignalData) => void) {
    this.#send = send;
  }

  send(data: SignalData): void {
    this.#send(data);
  }

  listen(handler: (data: SignalData) => void): void {
    this.#handler = handler;
    for (const data of this.#early.splice(0)) handler(data);
  }

  deliver(data: SignalData): void {
    if (this.#handler !== undefined) this.#handler(data);
    else if (this.#early.length < EARLY_SIGNALS_MAX) this.#early.push(data);
  }
}
