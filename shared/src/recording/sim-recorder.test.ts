import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mixer } from '../../testing/mixer.js';
import { defineGame } from '../game/define-game.js';
import { RollbackSim } from '../rollback/sim.js';
import { readRecording } from './reader.js';
import type { SimRecorder } from './sim-recorder.js';
import { RecordingWriter } from './writer.js';

const PLAYERS = 3;
const trio = defineGame({ ...mixer, players: PLAYERS });
type Trio = RollbackSim<ReturnType<typeof trio.state.create>, ReturnType<typeof trio.input.create>>;
type Recorder = SimRecorder<ReturnType<typeof trio.state.create>, ReturnType<typeof trio.input.create>>;

interface Absence {
  readonly player: number;
  readonly from: number;
  readonly frames: number;
}

function writerFrom(firstFrame: number): RecordingWriter {
  return new RecordingWriter({
    gameId: trio.id,
    gameVersion: trio.version,
    tickRate: 60,
    players: PLAYERS,
    inputWords: 1,
    seed: 3,
    settings: {},
    inputDelays: [0, 0, 0],
    names: ['Ada', 'Bo', 'Cy'],
    recordedBy: 0,
    engine: 'test',
    firstFrame,
  });
}

/** Plays `frames` frames; `before` and `after` are told each of them. */
function play(
  frames: number,
  absences: readonly Absence[],
  history: number,
  before: (sim: Trio, frame: number) => void,
  after: (sim: Trio, frame: number, words: Int32Array) => void,
): void {
  const sim = new RollbackSim(trio, { seed: 3, history });
  const words = new Int32Array(PLAYERS);
  for (let frame = 0; frame < frames; frame++) {
    before(sim, frame);
    for (const { player, from, frames: count } of absences) {
      if (frame === from) sim.disconnect(player, frame);
      if (frame === from + count) sim.admit(player, frame);
    }
    for (let player = 0; player < PLAYERS; player++) {
      words[player] = sim.isGone(player, frame) ? 0 : ((frame >> 2) * 5 + player) & 7;
      if (!sim.isGone(player, frame)) sim.putInput(player, frame, words, player);
    }
    sim.advance();
    after(sim, frame, words);
  }
}

describe('a recorder of a simulation', () => {
  it('writes byte by byte what is written frame by frame, whoever comes and goes, however often it is read', () => {
    const absence = fc.record({ from: fc.integer({ min: 1, max: 1300 }), frames: fc.integer({ min: 1, max: 200 }) });
    const scene = fc.record({
      frames: fc.integer({ min: 1, max: 1400 }),
      firstFrame: fc.nat(700),
      history: fc.constantFrom(4, 32, 64, 128),
      absences: fc
        .array(absence, { maxLength: PLAYERS })
        .map((all) => all.map((each, player) => ({ ...each, player }))),
      reads: fc.uniqueArray(fc.nat(1400), { maxLength: 5 }),
      states: fc.uniqueArray(fc.nat(1400), { maxLength: 2 }),
    });
    let keyframes = 0;
    let changes = 0;
    fc.assert(
      fc.property(scene, ({ frames, firstFrame, history, absences, reads, states }) => {
        const single = writerFrom(firstFrame);
        const batched = writerFrom(firstFrame);
        let recorder: Recorder | undefined;
        play(
          frames,
          absences,
          history,
          (sim, frame) => {
            if (frame === firstFrame) recorder = batched.recorderOf(sim);
            if (frame < firstFrame || !single.isKeyframeDue) return;
            single.keyframe(trio.state.encode(sim.stateAt(frame)), sim.hashAt(frame));
          },
          (sim, frame, words) => {
            if (frame < firstFrame) return;
            single.frame(words, sim.hashAt(frame + 1), sim.goneIn(frame));
            recorder?.final(sim.hashAt(frame + 1));
            // Before the state that was due is there, a reader would have one frame less to start from.
            if (single.isKeyframeDue) return;
            if (reads.includes(frame)) expect(batched.bytes()).toEqual(single.bytes());
            if (!states.includes(frame)) return;
            single.state(frame + 1, trio.state.encode(sim.stateAt(frame + 1)), sim.hashAt(frame + 1));
            recorder?.keepState(frame + 1);
          },
        );
        if (frames <= firstFrame) return;
        single.end('finished');
        batched.end('finished');
        const recording = readRecording(batched.bytes());
        expect(recording.frames).toBe(frames - firstFrame);
        keyframes += recording.keyframes.length;
        changes += recording.absences.length;
        if (frames % 600 !== 0) expect(batched.bytes()).toEqual(single.bytes());
      }),
    );
    expect(keyframes).toBeGreaterThan(50);
    expect(changes).toBeGreaterThan(50);
  });

  it('stops at the last whole frames when inputs are kept no longer, and never writes others', () => {
    const writer = writerFrom(0);
    let recorder: Recorder | undefined;
    play(
      300,
      [],
      128,
      (sim, frame) => {
        if (frame === 0) recorder = writer.recorderOf(sim);
      },
      (_sim, frame) => {
        // Those from 100 on are told when the inputs of the first of them are kept no longer.
        if (frame < 100) recorder?.final(frame);
        if (frame === 250) for (let late = 100; late <= frame; late++) recorder?.final(late);
      },
    );
    writer.end('finished');
    const recording = readRecording(writer.bytes());
    expect(recording.frames).toBe(100);
  });

  it('drops what becomes final after the end', () => {
    const writer = writerFrom(0);
    let recorder: Recorder | undefined;
    play(
      100,
      [],
      128,
      (sim, frame) => {
        if (frame === 0) recorder = writer.recorderOf(sim);
      },
      (sim, frame) => {
        recorder?.final(sim.hashAt(frame + 1));
        if (frame === 30) writer.end('left');
      },
    );
    recorder?.finalBefore(100);
    recorder?.keepState(90);
    expect(readRecording(writer.bytes())).toMatchObject({ frames: 31, complete: true, endReason: 'left' });
    expect(writer.frames).toBe(31);
  });
});
