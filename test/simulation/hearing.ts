import { parseControl, parseSeatMessage } from '@riposte/shared/protocol';

const decoder = new TextDecoder();

/** Silence that a player may truthfully tell a leader of; clocks here differ by 200 ppm. */
const SILENT_MS = 1450;

/** When one machine last heard each of the others over its own connection to it, by the links' log. */
export class Hearing {
  /** Anything that came, and what the session took as a packet of the match. */
  readonly #anythingMs: number[];
  readonly #packetMs: number[];
  /** When the last long silence ended. */
  readonly #gapEndMs: number[];
  /** The last that was heard was the end of the connection. */
  readonly #isClosed: boolean[];
  /** Said that it leaves, itself or by way of others. */
  readonly #hasLeft: boolean[];

  constructor(players: number) {
    const each = <T>(value: T): T[] => Array.from({ length: players }, () => value);
    this.#anythingMs = each(0);
    this.#packetMs = each(0);
    this.#gapEndMs = each(Number.NEGATIVE_INFINITY);
    this.#isClosed = each(false);
    this.#hasLeft = each(false);
  }

  /** A connection, or a page, is there: silence is counted from now on. */
  begin(nowMs: number, player: number): void {
    this.#anythingMs[player] = nowMs;
    this.#packetMs[player] = nowMs;
  }

  closed(player: number): void {
    this.#isClosed[player] = true;
  }

  heard(nowMs: number, player: number): void {
    this.#isClosed[player] = false;
    this.#anythingMs[player] = nowMs;
  }

  /** A message of the reliable lane was read. */
  tookMessage(player: number, bytes: Uint8Array): void {
    const text = decoder.decode(bytes);
    const message = parseControl(text);
    if (message?.type === 'bye' && message.reason === 'left') this.#hasLeft[player] = true;
    const seat = parseSeatMessage(text);
    if (seat?.step === 'left') this.#hasLeft[seat.from] = true;
  }

  hasLeft(player: number): boolean {
    return this.#hasLeft[player]!;
  }

  tookPacket(nowMs: number, player: number): void {
    if (this.packetSilenceMs(nowMs, player) > SILENT_MS) this.#gapEndMs[player] = nowMs;
    this.#packetMs[player] = nowMs;
  }

  /** The match runs from now on, for this machine: silence of its packets is counted from now on. */
  start(nowMs: number): void {
    this.#packetMs.fill(nowMs);
  }

  isClosed(player: number): boolean {
    return this.#isClosed[player]!;
  }

  silenceMs(nowMs: number, player: number): number {
    return nowMs - this.#anythingMs[player]!;
  }

  packetSilenceMs(nowMs: number, player: number): number {
    return nowMs - this.#packetMs[player]!;
  }

  /** The player was not heard for long within the last `ms`, or is not heard now. */
  hadSilence(nowMs: number, player: number, ms: number): boolean {
    return this.packetSilenceMs(nowMs, player) > SILENT_MS || nowMs - this.#gapEndMs[player]! < ms;
  }
}
