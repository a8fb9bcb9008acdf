/**
 * Servers that share a store look after each other's seats: of one that died, and of one that lost the store for a
 * while.
 *
 * Promises: no timer of its own; `beat` is called every second or so.
 */
import type { Logger } from 'pino';
import type { Held } from './connections.js';
import { nameOf } from './connections.js';
import type { NodeRegistry } from './store/registry.js';

/**
 * Milliseconds of silence after which a server counts as dead. Its players come back sooner, to any other server: this
 * is how long those of them who do not come back are taken for present.
 */
export const NODE_SILENT_MS = 5_000;

export interface HeartbeatOptions {
  /** This server's name. */
  node: string;
  registry: NodeRegistry;
  /** Milliseconds, any origin. */
  now(): number;
  /** The seats that the store takes for connected to this server. */
  held(): Promise<readonly Held[]>;
  /** Whether a connection of this server holds the seat. */
  isHere(seat: Held): boolean;
  /** Marks the seats of a server as away whose connections are lost. */
  lose(node: string, isLost?: (seat: Held) => boolean): Promise<void>;
  /** Ends the connections that hold seats: they come back and take them anew. */
  cutAll(): void;
  log: Logger;
}

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #beatAt: number | undefined;
  /** Until then silence is nobody's fault. */
  #patientUntil = 0;
  #inDoubt = false;
  /** Seats that the store took for connected at the last look, and no connection holds. */
  #suspects: ReadonlySet<string> = new Set();

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** The store did not answer: what was asked of it may or may not have been done. */
  doubt(): void {
    if (!this.#inDoubt) this.#options.log.error('the store does not answer');
    this.#inDoubt = true;
  }

  async beat(): Promise<void> {
    const { node, registry, now, lose, cutAll, log } = this.#options;
    let answer: Awaited<ReturnType<NodeRegistry['beat']>>;
    try {
      answer = await registry.beat(node, NODE_SILENT_MS);
    } catch {
      this.doubt();
      return;
    }
    const earlier = this.#beatAt;
    this.#beatAt = now();
    // Whatever kept this server from the store may have kept the others too: they get time to say that they are alive.
    if (earlier === undefined || this.#beatAt - earlier > NODE_SILENT_MS / 2) {
      this.#patientUntil = this.#beatAt + NODE_SILENT_MS;
    }
    if (earlier !== undefined && answer.isNew) {
      log.warn('taken for dead by another server: its players take their seats back');
      cutAll();
    }
    if (this.#inDoubt) await this.#resolveDoubt();
    if (this.#beatAt < this.#patientUntil) return;
    for (const silent of answer.silent) {
      log.warn({ node: silent }, 'server lost');
      await lose(silent);
      await registry.forget(silent);
    }
  }

  /** Looks twice, for a seat that is just being taken is in the store first. */
  async #resolveDoubt(): Promise<void> {
    const { node, held, isHere, lose, log } = this.#options;
    const before = this.#suspects;
    const isLost = (seat: Held) => before.has(nameOf(seat)) && !isHere(seat);
    if (before.size > 0) await lose(node, isLost);
    const suspects = (await held()).filter((seat) => !isHere(seat)).map(nameOf);
    this.#suspects = new Set(suspects);
    if (suspects.length > 0) return;
    log.info('the store answers again');
    this.#inDoubt = false;
  }
}
