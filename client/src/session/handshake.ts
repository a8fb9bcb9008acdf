import type { Settings } from '@riposte/shared';
import { type ControlMessage, type Hello, WIRE_VERSION } from '@riposte/shared/protocol';
import { autoInputDelay } from './input-delay.js';
import type { SessionOptions } from './session-types.js';

/** The longest round trip that is believed. */
const RTT_MS_MAX = 10_000;
/** The longest round trip whose half the first frame waits for. */
const START_RTT_MS_MAX = 600;
/** What an automatic input delay begins with in a match of more than two: it follows the round trips then. */
const RTT_MS_OF_MANY = 80;
/** The lane is reliable, but a browser may drop what it is given while the channel opens: a hello is repeated. */
const REPEAT_MS = 500;

/** What both peers know after the handshake. */
export interface Agreed {
  readonly seed: number;
  readonly settings: Settings;
  readonly names: readonly string[];
  readonly inputDelays: readonly number[];
  /** The match ends after so many frames; infinite when only the game says when. */
  readonly frames: number;
}

/** Why two peers cannot play: a stable code, and a sentence that makes sense on both sides. */
export interface Refusal {
  readonly code: 'wire' | 'game' | 'version' | 'settings' | 'seats';
  readonly message: string;
}

/** What one handshake found out: the other's hello, and the moment of the first frame, the same on both sides. */
export interface Met {
  readonly hello: Hello;
  readonly rttMs: number;
  readonly startMs: number;
}

export type HandshakeMessage = Extract<ControlMessage, { type: 'hello' | 'ready' | 'start' }>;

/**
 * Two peers meet in two round trips at most: hello, which is answered by ready, whose arrival measures the round trip,
 * and start, which tells it. Both start when both starts have arrived everywhere. Of more than two, each holds its starts
 * back until it has measured all the others, so that nobody begins while two are still connecting.
 */
export class Handshake {
  readonly #hello: Hello;
  readonly #send: (message: ControlMessage) => void;
  readonly #openedMs: number;
  #peerHello: Hello | undefined;
  #rttMs: number | undefined;
  #startSent: { readonly rttMs: number; readonly atMs: number } | undefined;
  #peerRttMs: number | undefined;
  #helloMs: number;

  constructor(hello: Hello, send: (message: ControlMessage) => void, nowMs: number) {
    this.#hello = hello;
    this.#send = send;
    this.#openedMs = nowMs;
    this.#helloMs = nowMs;
    send(hello);
  }

  /** Repeats the hello while it is not answered; called in every frame of the page. */
  poll(nowMs: number): void {
    if (nowMs - this.#helloMs < REPEAT_MS) return;
    this.#helloMs = nowMs;
    this.#send(this.#hello);
  }

  /** Takes a message. Returns why the two do not fit, if it says so. */
  receive(nowMs: number, message: HandshakeMessage): Refusal | undefined {
    if (message.type === 'start') this.#peerRttMs ??= message.rttMs;
    else if (message.type === 'ready') this.#rttMs ??= Math.min(RTT_MS_MAX, nowMs - this.#openedMs);
    else if (this.#peerHello === undefined) {
      const refusal = refusalOf(this.#hello, message);
      if (refusal !== undefined) {
        this.#send({ type: 'refuse', ...refusal });
        return refusal;
      }
      this.#peerHello = message;
      this.#send({ type: 'ready' });
    } else {
      // A repeated hello: something of the answer was lost.
      this.#send({ type: 'ready' });
      if (this.#startSent !== undefined) this.#send({ type: 'start', rttMs: this.#startSent.rttMs });
    }
    return undefined;
  }

  /** The other side has said hello, and has read this side's. */
  get isAnswered(): boolean {
    return this.#peerHello !== undefined && this.isMeasured;
  }

  /** The round trip to the other side is known. */
  get isMeasured(): boolean {
    return this.#rttMs !== undefined;
  }

  /** Says that this side can start; the result once the other side has said so too. */
  start(nowMs: number): Met | undefined {
    if (this.#startSent === undefined && this.#rttMs !== undefined) {
      this.#startSent = { rttMs: this.#rttMs, atMs: nowMs };
      this.#send({ type: 'start', rttMs: this.#rttMs });
    }
    return this.#met(nowMs);
  }

  #met(nowMs: number): Met | undefined {
    const own = this.#startSent;
    const peer = this.#peerHello;
    if (own === undefined || peer === undefined || this.#peerRttMs === undefined) return undefined;
    // Who opened first waited for the other to open: the shorter of the two measures is the round trip.
    const rttMs = Math.min(own.rttMs, this.#peerRttMs);
    // The peer starts when this side's start reaches it, or when its own reached here: whichever is later, on both.
    // A measure that a blocked page or a dead link made long does not put the match off.
    const startMs = Math.max(nowMs, own.atMs + Math.min(rttMs, START_RTT_MS_MAX) / 2);
    return { hello: peer, rttMs, startMs };
  }
}

/** What all agree on once each has met each other, the same everywhere: by the hellos of all, in any order. */
export function agreedOf(own: Hello, others: readonly Met[]): Agreed {
  const hellos = [own, ...others.map(({ hello }) => hello)].sort((a, b) => a.player - b.player);
  const [host] = hellos;
  // Of more than two round trips, each pair knows its own only.
  const rttMs = others.length === 1 ? others[0]!.rttMs : RTT_MS_OF_MANY;
  return {
    seed: host!.seed,
    settings: hellos.find(({ settings }) => settings !== null)?.settings ?? {},
    names: hellos.map(({ name }) => name),
    inputDelays: hellos.map(({ inputDelay, tickRate }) =>
      inputDelay === 'auto' ? autoInputDelay(rttMs, tickRate) : inputDelay,
    ),
    frames: Math.min(...hellos.map(({ frames }) => frames ?? Number.POSITIVE_INFINITY)),
  };
}

/** What this peer says first. */
export function helloOf<S, I>(
  options: Pick<
    SessionOptions<S, I>,
    'game' | 'me' | 'players' | 'name' | 'seed' | 'settings' | 'inputDelay' | 'frames'
  >,
  returning: boolean,
): Hello {
  const { game, me, players, name, seed, settings, inputDelay, frames } = options;
  return {
    type: 'hello',
    wire: WIRE_VERSION,
    game: game.id,
    version: game.version,
    tickRate: game.tickRate,
    inputBits: game.input.bits,
    player: me,
    players: players ?? game.players,
    name,
    inputDelay,
    seed,
    settings: settings ?? null,
    frames: frames ?? null,
    returning,
  };
}

/** `who`, in the order of their wire versions, and `which` of them to reload. */
export function otherRelease(first: number, second: number, who = 'The two players', which = 'both pages'): Refusal {
  return {
    code: 'wire',
    message: `${who} run different releases of Riposte (wire versions ${first} and ${second}): reload ${which}.`,
  };
}

/**
 * The wire version of a first message (`hello`, `watch` or `join`) that is not understood here, for it is of another
 * release; undefined for any other text. Whatever else changes, releases begin with these two fields.
 */
export function foreignWire(text: string): number | undefined {
  const wire = Number(/^\{"type":"(?:hello|watch|join)","wire":(\d{1,9}),/.exec(text)?.[1] ?? WIRE_VERSION);
  return wire === WIRE_VERSION ? undefined : wire;
}

/**
 * Why a hello is refused that is not understood here, for it is of another release; undefined for any other text. The
 * two players say the same; `comesAfter`: the hello is that of the player of the larger number.
 */
export function refusalOfForeign(text: string, comesAfter: boolean): Refusal | undefined {
  const wire = foreignWire(text);
  if (wire === undefined) return undefined;
  return comesAfter ? otherRelease(WIRE_VERSION, wire) : otherRelease(wire, WIRE_VERSION);
}

/** What does not fit between two hellos; undefined when the match can start. The same on both sides. */
function refusalOf(one: Hello, other: Hello): Refusal | undefined {
  const [first, second] = one.player <= other.player ? [one, other] : [other, one];
  if (first.wire !== second.wire) return otherRelease(first.wire, second.wire);
  if (first.game !== second.game) {
    return {
      code: 'game',
      message: `The two players opened different games (${first.game} and ${second.game}): open the same one.`,
    };
  }
  if (first.version !== second.version || first.tickRate !== second.tickRate || first.inputBits !== second.inputBits) {
    const versions = first.version === second.version ? 'both called' : `${first.version} and`;
    return {
      code: 'version',
      message: `The two players have different versions of ${first.game} (${versions} ${second.version}): reload both pages.`,
    };
  }
  if (first.player === second.player || first.players !== second.players) {
    return { code: 'seats', message: 'The players were not given seats of one match: create a new one.' };
  }
  if (first.settings !== null && second.settings !== null && !equalSettings(first.settings, second.settings)) {
    return {
      code: 'settings',
      message: 'The two players chose different settings: agree on them, and create a new match.',
    };
  }
  return undefined;
}

function equalSettings(a: Settings, b: Settings): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => Object.is(a[name], b[name]));
}
