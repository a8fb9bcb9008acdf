import { hashWords } from '@riposte/shared';
import { type Game, RollbackEngine } from 'rollback-netcode';
import { pressedIn } from '../scatter-game.js';
import { type Contestant, DEPTH } from './contest.js';
import { blankFields, PLAYERS, stepFields, stepWords, WORDS, wordsOf } from './fields.js';

const LOCAL = 'player-0';
const REMOTE = 'player-1';

/** The game, as far as its engine and the measurement ask. */
interface Scatter extends Game {
  readonly steps: number;
  words(): Int32Array;
}

const pressed = new Int32Array(PLAYERS);

/** Both players' buttons, two bytes each; none at all is the engine's prediction before the first input. */
function press(inputs: ReadonlyMap<string, Uint8Array>): Int32Array {
  pressed[0] = buttonsOf(inputs.get(LOCAL)!);
  pressed[1] = buttonsOf(inputs.get(REMOTE)!);
  return pressed;
}

function buttonsOf(input: Uint8Array): number {
  return input.length === 0 ? 0 : input[0]! | (input[1]! << 8);
}

/**
 * The game as the package's guide shows one: ordinary fields, written to and read from a new buffer by a DataView, and
 * a plain arithmetic hash over all of them.
 */
export class ScatterFields implements Scatter {
  readonly #fields = blankFields();
  steps = 0;

  serialize(): Uint8Array {
    const { players, frame, mixed, score, last, rest } = this.#fields;
    const buffer = new ArrayBuffer(WORDS * 4);
    const view = new DataView(buffer);
    let at = 0;
    for (const { x, y, vx, vy, hp } of players) {
      view.setInt32(at, x);
      view.setInt32(at + 4, y);
      view.setInt32(at + 8, vx);
      view.setInt32(at + 12, vy);
      view.setInt32(at + 16, hp);
      at += 20;
    }
    view.setInt32(at, frame);
    view.setInt32(at + 4, mixed);
    view.setInt32(at + 8, score);
    view.setInt32(at + 12, last);
    at += 16;
    for (const value of rest) {
      view.setInt32(at, value);
      at += 4;
    }
    return new Uint8Array(buffer);
  }

  deserialize(data: Uint8Array): void {
    const fields = this.#fields;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    let at = 0;
    for (const body of fields.players) {
      body.x = view.getInt32(at);
      body.y = view.getInt32(at + 4);
      body.vx = view.getInt32(at + 8);
      body.vy = view.getInt32(at + 12);
      body.hp = view.getInt32(at + 16);
      at += 20;
    }
    fields.frame = view.getInt32(at);
    fields.mixed = view.getInt32(at + 4);
    fields.score = view.getInt32(at + 8);
    fields.last = view.getInt32(at + 12);
    at += 16;
    for (let index = 0; index < fields.rest.length; index++) {
      fields.rest[index] = view.getInt32(at);
      at += 4;
    }
  }

  step(inputs: ReadonlyMap<string, Uint8Array>): void {
    stepFields(this.#fields, press(inputs));
    this.steps++;
  }

  hash(): number {
    const { players, frame, mixed, score, last, rest } = this.#fields;
    let hash = 0;
    for (const { x, y, vx, vy, hp } of players) {
      hash = (Math.imul(hash, 31) + x) | 0;
      hash = (Math.imul(hash, 31) + y) | 0;
      hash = (Math.imul(hash, 31) + vx) | 0;
      hash = (Math.imul(hash, 31) + vy) | 0;
      hash = (Math.imul(hash, 31) + hp) | 0;
    }
    hash = (Math.imul(hash, 31) + frame) | 0;
    hash = (Math.imul(hash, 31) + mixed) | 0;
    hash = (Math.imul(hash, 31) + score) | 0;
    hash = (Math.imul(hash, 31) + last) | 0;
    for (const value of rest) hash = (Math.imul(hash, 31) + value) | 0;
    return hash;
  }

  words(): Int32Array {
    return wordsOf(this.#fields);
  }
}

/**
 * As fast as the engine's interface allows: one typed array, stepped by hand, whose live bytes are given out, for the
 * engine copies them itself. The hash is ours.
 */
export class ScatterBytes implements Scatter {
  readonly #words = new Int32Array(WORDS);
  readonly #bytes = new Uint8Array(this.#words.buffer);
  steps = 0;

  serialize(): Uint8Array {
    return this.#bytes;
  }

  deserialize(data: Uint8Array): void {
    this.#bytes.set(data);
  }

  step(inputs: ReadonlyMap<string, Uint8Array>): void {
    stepWords(this.#words, press(inputs));
    this.steps++;
  }

  hash(): number {
    return hashWords(this.#words, 0, WORDS);
  }

  words(): Int32Array {
    return this.#words.slice();
  }
}

/**
 * `RollbackEngine`, the core that its `Session` stands on and that it exports for use alone, with every default:
 * prediction by repetition, 120 snapshots, a snapshot and a hash after every simulated frame. Left out: the session,
 * its messages and transport.
 */
export function rollbackNetcode(game: Scatter): Contestant {
  const engine = new RollbackEngine({ game, localPlayerId: LOCAL });
  engine.addPlayer(REMOTE, 0);
  // Reused: the engine copies every input.
  const input = new Uint8Array(2);
  let advanced = 0;
  const inputOf = (player: number, frame: number): Uint8Array => {
    const buttons = pressedIn(frame, player);
    input[0] = buttons;
    input[1] = buttons >>> 8;
    return input;
  };
  const step = (frame: number): void => {
    const { tick, error } = engine.tick();
    if (error !== undefined) throw error;
    if (tick !== frame) throw new Error(`rollback-netcode ran tick ${tick} for frame ${frame}`);
    advanced++;
  };
  return {
    advance(frame) {
      engine.setLocalInput(frame, inputOf(0, frame));
      if (frame >= DEPTH) engine.receiveRemoteInput(REMOTE, frame - DEPTH, inputOf(1, frame - DEPTH));
      step(frame);
    },
    finish(frame) {
      engine.setLocalInput(frame, inputOf(0, frame));
      for (let late = frame - DEPTH; late <= frame; late++) engine.receiveRemoteInput(REMOTE, late, inputOf(1, late));
      step(frame);
      return game.words();
    },
    resimulatedFrames: () => game.steps - advanced,
  };
}
