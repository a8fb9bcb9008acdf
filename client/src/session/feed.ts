import type { DesyncChecker, Game, RollbackSim } from '@riposte/shared';
import {
  type ControlMessage,
  decodeFeedAck,
  encodeFeed,
  feedFramesMax,
  feedHead,
  feedWords,
  parseWatchMessage,
  WIRE_VERSION,
} from '@riposte/shared/protocol';
import type { Channel } from '../transport/transport.js';
import { FrameLog } from './frame-log.js';
import { type Agreed, foreignWire, otherRelease } from './handshake.js';
import { PacketBuffer } from './packet-buffer.js';
import { describeMatch } from './state-transfer.js';

/** Between two packets to a spectator: nobody who watches needs more, and each repeats what is not acknowledged. */
const SEND_MS = 50;
/** A spectator who acknowledges nothing for so long is gone. */
const SILENT_MS = 10_000;
/** A spectator whom the log has left behind is given a newer state, at most this often. */
const WELCOME_MS = 3000;
/** Of one source; the server plans for fewer. */
const SPECTATORS_MAX = 8;

/** The match that is told: a player's own, or a spectator's who passes it on. */
export interface FeedSource<S, I> {
  readonly agreed: Agreed;
  readonly driver: { readonly sim: RollbackSim<S, I>; readonly checker: DesyncChecker };
  /** The newest final frame that there is, simulated here or not. */
  readonly newest: number;
  /** The frames as they came, where they are kept already. */
  readonly log?: FrameLog;
}

/** Where a feed's bytes go; they are reused after the call. */
export interface FeedOutput {
  send(spectator: string, channel: Channel, bytes: Uint8Array): void;
  /** A spectator is not told any more: it fell silent, or does not fit. */
  dropped(spectator: string): void;
}

interface Watcher {
  readonly id: string;
  epoch: number;
  /** It asked to watch, and has what it can go on from. */
  isServed: boolean;
  /** It has every frame up to this one; before it has any, up to the state that it was given. */
  acked: number;
  /** The last frame that it had of another source. */
  holds: number;
  asked: boolean;
  heardMs: number;
  sentMs: number;
  welcomedMs: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Tells spectators a match: its state at a final frame, then all inputs of the final frames after it, each as often as it
 * is not acknowledged. It never waits for them: whoever falls too far behind is given a newer state, and who is silent is
 * dropped. Sans I/O; call `poll` in every frame of the page.
 */
export class Feed<S, I> {
  readonly #game: Game<S, I>;
  readonly #output: FeedOutput;
  readonly #watchers = new Map<string, Watcher>();
  readonly #head = feedHead();
  readonly #inputs: Int32Array;
  readonly #frame: Int32Array;
  readonly #packet = new PacketBuffer();
  /** That of the match whose frames are in the log. */
  #checker: DesyncChecker | undefined;
  #log: FrameLog | undefined;

  constructor(game: Game<S, I>, output: FeedOutput) {
    this.#game = game;
    this.#output = output;
    this.#inputs = new Int32Array(feedWords(game.input.words));
    this.#frame = new Int32Array(8 * game.input.words);
  }

  /** Spectators who are told the match here. */
  get watchers(): number {
    return this.#watchers.size;
  }

  /** A connection to a spectator can send: it will say what it wants. */
  open(nowMs: number, spectator: string): void {
    this.#watchers.set(spectator, {
      ...{ id: spectator, epoch: 0, isServed: false, acked: -1, holds: -1, asked: false },
      ...{ heardMs: nowMs, sentMs: Number.NEGATIVE_INFINITY, welcomedMs: Number.NEGATIVE_INFINITY },
    });
    if (this.#watchers.size > SPECTATORS_MAX)
      this.#drop(spectator, 'This player has as many spectators as it can tell.');
  }

  closed(spectator: string): void {
    this.#watchers.delete(spectator);
  }

  /** Takes bytes of a spectator. Never throws for them. */
  receive(nowMs: number, spectator: string, channel: Channel, bytes: Uint8Array): void {
    const watcher = this.#watchers.get(spectator);
    if (watcher === undefined) return;
    if (channel === 'unreliable') {
      const acked = decodeFeedAck(bytes, watcher.epoch);
      if (acked === undefined || !watcher.isServed || acked > (this.#log?.newest ?? -1)) return;
      watcher.heardMs = nowMs;
      watcher.acked = Math.max(watcher.acked, acked);
      return;
    }
    if (watcher.asked) return;
    const text = decoder.decode(bytes);
    const message = parseWatchMessage(text);
    const foreign = message?.wire ?? foreignWire(text) ?? WIRE_VERSION;
    if (foreign !== WIRE_VERSION) {
      this.#drop(spectator, otherRelease(WIRE_VERSION, foreign, 'The match and the spectator', 'the page').message);
      return;
    }
    if (message === undefined) return;
    const { game, version, inputBits, tickRate } = message;
    const own = this.#game;
    if (game !== own.id || version !== own.version) {
      this.#drop(
        spectator,
        `This match is ${own.id} ${own.version}, and the spectator has ${game} ${version}: reload the page.`,
      );
    } else if (inputBits !== own.input.bits || tickRate !== own.tickRate) {
      this.#drop(spectator, `The spectator has another build of ${own.id}: reload the page.`);
    } else {
      watcher.asked = true;
      watcher.holds = message.holds;
      watcher.epoch = message.epoch;
      watcher.heardMs = nowMs;
    }
  }

  #send(spectator: string, message: ControlMessage): void {
    this.#output.send(spectator, 'reliable', encoder.encode(JSON.stringify(message)));
  }

  #drop(spectator: string, message: string): void {
    this.#send(spectator, { type: 'refuse', code: 'spectator', message });
    this.#watchers.delete(spectator);
    this.#output.dropped(spectator);
  }

  /** The match is over, after `frame`: all are told, and why. */
  end(nowMs: number, source: FeedSource<S, I> | undefined, reason: 'finished' | 'left' | 'fault'): void {
    if (source !== undefined) this.poll(nowMs, source, true);
    const frame = source?.newest ?? -1;
    const chain = source?.driver.checker.chainOf(frame) ?? 0;
    for (const { id } of this.#watchers.values()) this.#send(id, { type: 'bye', reason, frame, chain });
  }

  /** Takes what became final, and sends what is due; `isLast` sends at once. */
  poll(nowMs: number, source: FeedSource<S, I>, isLast = false): void {
    if (this.#watchers.size === 0) {
      this.#log = undefined;
      return;
    }
    this.#follow(source);
    for (const watcher of this.#watchers.values()) {
      if (watcher.asked) this.#serve(nowMs, source, watcher, isLast);
      if (nowMs - watcher.heardMs > SILENT_MS) this.#drop(watcher.id, 'The spectator was not heard for 10 seconds.');
    }
  }

  #restart(): void {
    for (const watcher of this.#watchers.values()) {
      watcher.isServed = false;
      watcher.holds = -1;
    }
  }

  /** Writes down the frames that became final since the last call. */
  #follow({ driver, newest, log }: FeedSource<S, I>): void {
    if (log !== undefined) {
      this.#log = log;
      return;
    }
    const { sim, checker } = driver;
    const { words } = this.#game.input;
    // A page that stood still for long may have confirmed more than it keeps.
    const isBehind = this.#log !== undefined && newest - this.#log.newest > sim.history / 2;
    if (this.#log === undefined || this.#checker !== checker || isBehind) {
      // Another match, or the same as others told it again: what the spectators had of the one before does not count.
      if (this.#log !== undefined) this.#restart();
      this.#checker = checker;
      this.#readFrame(sim, newest);
      this.#log = new FrameLog(sim.players, words, newest + 1, this.#frame.subarray(0, sim.players * words));
    }
    while (this.#log.newest < newest) {
      const frame = this.#log.newest + 1;
      this.#log.put(this.#frame.subarray(0, sim.players * words), this.#readFrame(sim, frame));
      this.#log.putChain(frame, checker.chainOf(frame) ?? 0);
    }
  }

  /** Reads a final frame's inputs; returns who is not in the match. */
  #readFrame(sim: RollbackSim<S, I>, frame: number): number {
    const { words, neutral } = this.#game.input;
    let gone = 0;
    for (let player = 0; player < sim.players; player++) {
      const isKnown = sim.readInput(player, frame, this.#frame, player * words);
      for (let word = 0; !isKnown && word < words; word++) this.#frame[player * words + word] = neutral[word]!;
      if (sim.isGone(player, frame)) gone |= 1 << player;
    }
    return gone;
  }

  #serve(nowMs: number, source: FeedSource<S, I>, watcher: Watcher, isLast: boolean): void {
    const log = this.#log;
    if (log === undefined) return;
    if (!watcher.isServed && watcher.holds >= Math.max(0, log.first - 1) && watcher.holds <= log.newest) {
      // It goes on where another source has left off.
      watcher.isServed = true;
      watcher.acked = watcher.holds;
    }
    if (!watcher.isServed || watcher.acked < log.first - 1) {
      if (nowMs - watcher.welcomedMs >= WELCOME_MS) this.#welcome(nowMs, source, watcher);
      return;
    }
    if (nowMs - watcher.sentMs < SEND_MS && !isLast) return;
    watcher.sentMs = nowMs;
    this.#tell(source, log, watcher);
  }

  #welcome(nowMs: number, { driver, agreed }: FeedSource<S, I>, watcher: Watcher): void {
    watcher.welcomedMs = nowMs;
    watcher.epoch++;
    const { welcome, chunks } = describeMatch(driver, undefined, watcher.epoch, agreed);
    watcher.isServed = true;
    watcher.acked = welcome.frame - 1;
    this.#send(watcher.id, welcome);
    for (const chunk of chunks) this.#output.send(watcher.id, 'reliable', chunk);
  }

  /** Sends the frames after the last one that is acknowledged, as far as who is in the match stays the same. */
  #tell({ driver, newest }: FeedSource<S, I>, log: FrameLog, { id, epoch, acked }: Watcher): void {
    const { words, bits } = this.#game.input;
    const { players } = driver.sim;
    const first = acked + 1;
    let last = Math.min(log.newest, acked + feedFramesMax(players, bits));
    const gone = first <= last ? log.goneIn(first) : 0;
    for (let frame = first; frame <= last; frame++) if (log.goneIn(frame) !== gone) last = frame - 1;
    const count = last - first + 1;
    for (let player = 0; player < players; player++) {
      for (let frame = first - 1; frame <= last; frame++) {
        log.read(player, frame, this.#inputs, (player * (count + 1) + frame - first + 1) * words);
      }
    }
    const head = this.#head;
    head.epoch = epoch;
    head.firstFrame = first;
    head.count = count;
    head.gone = gone;
    head.newest = newest;
    head.chainFrame = last;
    while (head.chainFrame >= first && log.chainOf(head.chainFrame) === undefined) head.chainFrame--;
    head.chain = log.chainOf(head.chainFrame) ?? 0;
    if (head.chainFrame < first) head.chainFrame = -1;
    this.#output.send(
      id,
      'unreliable',
      this.#packet.first(encodeFeed(head, this.#inputs, players, words, bits, this.#packet.bytes)),
    );
  }
}
