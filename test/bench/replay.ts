/**
 * How fast a recording is verified, its reading included, beside the bare loop of the game's own steps and hashes over
 * inputs that lie ready; how fast it is read alone, and verified once it is read; and the same race written by hand.
 */
import { fxMul, hashWords, type Recording, RecordingWriter, readRecording, replay, verify } from '@riposte/shared';
import { race } from '@riposte/shared/games';
import { nanosecondsEach, type Row, reportSections, type Work } from './measure.js';

/** An hour: what is verified while somebody waits. */
const FRAMES = 216_000;
const TURNS = 11;
/** The race's own constants, as Q16.16. */
const ACCELERATION = 16384;
const FRICTION = 58982;

/** Whether a player holds right: for some frames, then not, as people do. */
function pressedIn(frame: number, player: number): number {
  return (Math.imul((frame >> 4) + player * 77, 0x9e3779b1) >>> 31) & 1;
}

/** A recording of the race with the hash of every frame. */
function recordedRace(): Uint8Array {
  const writer = new RecordingWriter({
    gameId: race.id,
    gameVersion: race.version,
    tickRate: race.tickRate,
    players: 2,
    inputWords: 1,
    seed: 0,
    settings: {},
    inputDelays: [0, 0],
    names: ['Ada', 'Bo'],
    recordedBy: 0,
    engine: 'benchmark',
  });
  const inputs = Array.from({ length: FRAMES }, (_, frame) =>
    [0, 1].map((player) => ({ right: pressedIn(frame, player) === 1 })),
  );
  const words = new Int32Array(2);
  replay(race, inputs, {
    onState: (frame, state) => {
      if (frame === 0) return;
      for (let player = 0; player < 2; player++) words[player] = pressedIn(frame - 1, player);
      writer.frame(words, race.state.hash(state));
    },
  });
  writer.end('finished');
  return writer.bytes();
}

function verified(recording: Recording): number {
  const result = verify(race, recording);
  if (!result.ok || result.frames !== FRAMES) throw new Error(`verified ${result.frames} frames`);
  return result.frames;
}

/** Reading and verifying a file; each by itself. */
function verifyWorks(): [string, Work][] {
  const bytes = recordedRace();
  const recording = readRecording(bytes);
  return [
    ['framesPerSecond', () => verified(readRecording(bytes))],
    ['read.framesPerSecond', () => readRecording(bytes).frames],
    ['run.framesPerSecond', () => verified(recording)],
  ];
}

/** The inputs of every frame, spread out, one list a player. */
function spreadInputs(recording: Recording): Int32Array[] {
  return recording.inputs.map((track) => {
    const words = new Int32Array(FRAMES);
    for (let frame = 0; frame < FRAMES; frame++) track.read(frame, words, frame);
    return words;
  });
}

/** What no verification can do without: the game's own step and hash on its own state, and no more. */
function bareWork(): Work {
  const recording = readRecording(recordedRace());
  const { hashes } = recording;
  const pressed = spreadInputs(recording);
  return (count) => {
    const state = race.state.create();
    const inputs = pressed.map(() => race.input.create());
    const context = { frame: 0, players: inputs.map(() => ({ connected: true })), effect() {}, fact() {} };
    let wrong = 0;
    for (let frame = 0; frame < count; frame++) {
      for (let player = 0; player < inputs.length; player++)
        race.input.decode(pressed[player]!, frame, inputs[player]!);
      context.frame = frame;
      race.step(state, inputs, context);
      if (race.state.hash(state) !== hashes[frame]) wrong++;
    }
    if (wrong > 0) throw new Error(`the bare loop differs in ${wrong} frames`);
    return race.state.hash(state);
  };
}

/** Two cars without a game: x and v of each in four words, as the struct lays them out. */
function handWork(): Work {
  const recording = readRecording(recordedRace());
  const { hashes } = recording;
  const [first, second] = spreadInputs(recording);
  return (count) => {
    const state = new Int32Array(4);
    let wrong = 0;
    for (let frame = 0; frame < count; frame++) {
      state[1] = fxMul(state[1]! + (first![frame] === 1 ? ACCELERATION : 0), FRICTION);
      state[0] = state[0]! + state[1]!;
      state[3] = fxMul(state[3]! + (second![frame] === 1 ? ACCELERATION : 0), FRICTION);
      state[2] = state[2]! + state[3]!;
      if (hashWords(state, 0, 4) !== hashes[frame]) wrong++;
    }
    if (wrong > 0) throw new Error(`the loop by hand differs in ${wrong} frames`);
    return state[0]!;
  };
}

function measure(): Row[] {
  const works = new Map<string, Work>([
    ...verifyWorks(),
    ['bare.framesPerSecond', bareWork()],
    ['byHand.framesPerSecond', handWork()],
  ]);
  return [...nanosecondsEach(works, FRAMES, TURNS)].map(([name, value]) => ({
    name,
    value: 1e9 / value,
    unit: 'frames/s',
  }));
}

await reportSections('replay', [['', measure]]);
