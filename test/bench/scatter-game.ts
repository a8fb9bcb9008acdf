import { array, buttons, defineGame, i32, plain, struct, u32 } from '@riposte/shared';

/** Words of state that one player takes. */
const PLAYER_WORDS = 5;
const HEAD_WORDS = 4;

const input = buttons('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p');

function shapeOf(players: number, restWords: number) {
  return {
    players: array(players, { x: i32, y: i32, vx: i32, vy: i32, hp: i32 }),
    frame: i32,
    mixed: u32,
    score: i32,
    last: i32,
    rest: array(Math.max(1, restWords), i32),
  };
}

/**
 * The benchmark's game: players of five words each moved by 16 buttons, and `bytes` of state in all; one word of the
 * rest changes a frame. `bareWork` is the same by hand.
 */
export function scatterGame(players: number, bytes: number) {
  const rest = bytes / 4 - HEAD_WORDS - players * PLAYER_WORDS;
  const shape = shapeOf(players, rest);
  return defineGame({
    id: 'scatter',
    version: '1',
    tickRate: 60,
    players,
    input,
    state: struct(shape),
    step(state, inputs) {
      for (let player = 0; player < players; player++) {
        const body = state.players[player]!;
        const pressed = inputs[player]!;
        if (pressed.a) body.vx += 3;
        if (pressed.b) body.vx -= 3;
        if (pressed.c) body.vy += 5;
        if (pressed.d) body.hp--;
        body.vx = (body.vx * 15) >> 4;
        body.x += body.vx;
        body.y += body.vy;
      }
      state.frame++;
      state.mixed = Math.imul(state.mixed, 1664525) + 1013904223;
      state.score ^= state.mixed;
      state.rest[state.frame % state.rest.length] = state.score;
    },
  });
}

export type ScatterGame = ReturnType<typeof scatterGame>;

/** The same game over ordinary objects: what an author writes who brings a state along. */
export function plainScatterGame(players: number, bytes: number) {
  const rest = bytes / 4 - HEAD_WORDS - players * PLAYER_WORDS;
  return defineGame({
    id: 'plain-scatter',
    version: '1',
    tickRate: 60,
    players,
    input,
    state: plain(() => ({
      players: Array.from({ length: players }, () => ({ x: 0, y: 0, vx: 0, vy: 0, hp: 0 })),
      frame: 0,
      mixed: 0,
      score: 0,
      last: 0,
      rest: new Array<number>(rest).fill(0),
    })),
    step(state, inputs) {
      for (let player = 0; player < players; player++) {
        const body = state.players[player]!;
        const pressed = inputs[player]!;
        if (pressed.a) body.vx += 3;
        if (pressed.b) body.vx -= 3;
        if (pressed.c) body.vy += 5;
        if (pressed.d) body.hp--;
        body.vx = (body.vx * 15) >> 4;
        body.x = (body.x + body.vx) | 0;
        body.y = (body.y + body.vy) | 0;
      }
      state.frame++;
      state.mixed = (Math.imul(state.mixed, 1664525) + 1013904223) >>> 0;
      state.score = (state.score ^ state.mixed) | 0;
      state.rest[state.frame % state.rest.length] = state.score;
    },
  });
}
/** Sixteen buttons that change every frame, so that every prediction is wrong. */
export function pressedIn(frame: number, player: number): number {
  return (Math.imul(frame + 1, 0x9e3779b1) >>> (player + 3)) & 0xffff;
}

/** One step by hand: `state` as the struct lays it out, one input word a player. */
export function bareStep(state: Int32Array, pressed: Int32Array, pressedAt: number, players: number): void {
  for (let player = 0; player < players; player++) {
    const at = player * PLAYER_WORDS;
    const held = pressed[pressedAt + player]!;
    if ((held & 1) !== 0) state[at + 2] = state[at + 2]! + 3;
    if ((held & 2) !== 0) state[at + 2] = state[at + 2]! - 3;
    if ((held & 4) !== 0) state[at + 3] = state[at + 3]! + 5;
    if ((held & 8) !== 0) state[at + 4] = state[at + 4]! - 1;
    state[at + 2] = (state[at + 2]! * 15) >> 4;
    state[at] = state[at]! + state[at + 2]!;
    state[at + 1] = state[at + 1]! + state[at + 3]!;
  }
  const head = players * PLAYER_WORDS;
  state[head] = state[head]! + 1;
  state[head + 1] = Math.imul(state[head + 1]!, 1664525) + 1013904223;
  state[head + 2] = state[head + 2]! ^ state[head + 1]!;
  const restWords = state.length - head - HEAD_WORDS;
  state[head + HEAD_WORDS + (state[head]! % restWords)] = state[head + 2]!;
}
