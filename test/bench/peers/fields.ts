import type { ScatterGame } from '../scatter-game.js';

/** The scatter game's state as ordinary fields, for engines that know nothing of structs. */
export interface Fields {
  players: { x: number; y: number; vx: number; vy: number; hp: number }[];
  frame: number;
  mixed: number;
  score: number;
  last: number;
  rest: number[];
}

/** 64 bytes as words. */
export const WORDS = 16;
export const PLAYERS = 2;
const PLAYER_WORDS = 5;

export function blankFields(): Fields {
  return {
    players: Array.from({ length: PLAYERS }, () => ({ x: 0, y: 0, vx: 0, vy: 0, hp: 0 })),
    frame: 0,
    mixed: 0,
    score: 0,
    last: 0,
    rest: [0, 0],
  };
}

/** One step: the game's own, with the wrapping that a struct does on writing. */
export function stepFields(state: Fields, pressed: Int32Array): void {
  for (let player = 0; player < PLAYERS; player++) {
    const body = state.players[player]!;
    const held = pressed[player]!;
    if ((held & 1) !== 0) body.vx += 3;
    if ((held & 2) !== 0) body.vx -= 3;
    if ((held & 4) !== 0) body.vy += 5;
    if ((held & 8) !== 0) body.hp--;
    body.vx = (body.vx * 15) >> 4;
    body.x = (body.x + body.vx) | 0;
    body.y = (body.y + body.vy) | 0;
  }
  state.frame++;
  state.mixed = (Math.imul(state.mixed, 1664525) + 1013904223) | 0;
  state.score ^= state.mixed;
  state.rest[state.frame % state.rest.length] = state.score;
}

/** The same on the words of the struct's layout. */
export function stepWords(state: Int32Array, pressed: Int32Array): void {
  for (let player = 0; player < PLAYERS; player++) {
    const at = player * PLAYER_WORDS;
    const held = pressed[player]!;
    if ((held & 1) !== 0) state[at + 2]! += 3;
    if ((held & 2) !== 0) state[at + 2]! -= 3;
    if ((held & 4) !== 0) state[at + 3]! += 5;
    if ((held & 8) !== 0) state[at + 4]! -= 1;
    state[at + 2] = (state[at + 2]! * 15) >> 4;
    state[at]! += state[at + 2]!;
    state[at + 1]! += state[at + 3]!;
  }
  const head = PLAYERS * PLAYER_WORDS;
  state[head]! += 1;
  state[head + 1] = Math.imul(state[head + 1]!, 1664525) + 1013904223;
  state[head + 2]! ^= state[head + 1]!;
  const rest = head + 4;
  state[rest + (state[head]! % (WORDS - rest))] = state[head + 2]!;
}

/** The fields in the order of the struct's layout, each wrapped to 32 bits. */
export function wordsOf({ players, frame, mixed, score, last, rest }: Fields | ScatterState): Int32Array {
  const words: number[] = [];
  for (let player = 0; player < PLAYERS; player++) {
    const { x, y, vx, vy, hp } = players[player]!;
    words.push(x, y, vx, vy, hp);
  }
  words.push(frame, mixed, score, last);
  for (let at = 0; words.length < WORDS; at++) words.push(rest[at]!);
  return Int32Array.from(words);
}

type ScatterState = ReturnType<ScatterGame['state']['create']>;
