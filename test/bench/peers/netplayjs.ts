import { RollbackNetcode } from 'netplayjs/src/netcode/rollback';
import { NetplayInput, NetplayPlayer, NetplayState } from 'netplayjs/src/types';
import { pressedIn } from '../scatter-game.js';
import { type Contestant, DEPTH } from './contest.js';
import { blankFields, type Fields, PLAYERS, stepFields, wordsOf } from './fields.js';

/** What its `RollbackWrapper` passes. */
const PREDICTED_FRAMES_MAX = 10;
const TIMESTEP_MS = 1000 / 60;

class ScatterInput extends NetplayInput<ScatterInput> {
  readonly pressed: number;

  constructor(pressed: number) {
    super();
    this.pressed = pressed;
  }
}

/**
 * The game as the package's guide shows one: ordinary fields, saved and loaded by its own automatic serializer.
 * Everything on the instance is state, so the step counter is not on it.
 */
class ScatterFields extends NetplayState<ScatterInput> implements Fields {
  players = blankFields().players;
  frame = 0;
  mixed = 0;
  score = 0;
  last = 0;
  rest = blankFields().rest;

  tick(inputs: ReadonlyMap<NetplayPlayer, ScatterInput>): void {
    steps++;
    let player = 0;
    // A map keeps its order: the local player was set first.
    for (const input of inputs.values()) pressed[player++] = input.pressed;
    stepFields(this, pressed);
  }
}

const pressed = new Int32Array(PLAYERS);
let steps = 0;

/**
 * `RollbackNetcode`, from the sources that the package ships (its bundle exports only the wrapper around it, which
 * wants a canvas, a matchmaking server and WebRTC), built for production, without its development assertions. It
 * touches no browser global, so nothing is stubbed: `tick` and `onRemoteInput` are called as its interval and its
 * connection would. It plays the host, the cheaper role: a guest also simulates its window again for every state the
 * host sends. Left out: the wire, so what it would send (inputs and, as host, a state a frame) is dropped.
 */
export function netplayjs(): Contestant {
  const players = Array.from({ length: PLAYERS }, (_, player) => new NetplayPlayer(player, player === 0, player === 0));
  const remote = players[1]!;
  const state = new ScatterFields();
  const stepsBefore = steps;
  let advanced = 0;
  let statesSent = 0;
  const netcode = new RollbackNetcode<ScatterFields, ScatterInput>(
    true,
    state,
    players,
    new Map(players.map((player) => [player, new ScatterInput(0)])),
    PREDICTED_FRAMES_MAX,
    undefined,
    TIMESTEP_MS,
    () => new ScatterInput(pressedIn(advanced, 0)),
    () => {},
    () => {
      statesSent++;
    },
  );
  // Its frame 0 is the state before the first step.
  const receive = (frame: number): void =>
    netcode.onRemoteInput(frame + 1, remote, new ScatterInput(pressedIn(frame, 1)));
  const step = (frame: number): void => {
    netcode.tick();
    advanced++;
    if (state.frame !== frame + 1) throw new Error(`netplayjs stalled at frame ${frame}`);
    if (frame > 2 * DEPTH && statesSent < frame - 2 * DEPTH)
      throw new Error('netplayjs keeps frames that are confirmed');
  };
  return {
    advance(frame) {
      if (frame >= DEPTH) receive(frame - DEPTH);
      step(frame);
    },
    finish(frame) {
      for (let late = frame - DEPTH; late <= frame; late++) receive(late);
      step(frame);
      return wordsOf(state);
    },
    resimulatedFrames: () => steps - stepsBefore - advanced,
  };
}
