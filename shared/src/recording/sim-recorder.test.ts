import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mixer } from '../../testing/mixer.js';
import { playTrio, trioWriter } from '../../testing/recorded-trio.js';
import { defineGame } from '../game/define-game.js';
import { readRecording } from './reader.js';
import type { SimRecorder } from './sim-recorder.js';
import type { RecordingWriter } from './writer.js';

const trio = defineGame({ ...mixer, players: 3 });
type Recorder = SimRecorder<ReturnType<typeof trio.state.create>, ReturnType<typeof trio.input.create>>;

/** Plays a match that is recorded from its beginning; `after` is given the recorder after each frame. */
function record(
  writer: RecordingWriter,
  frames: number,
  after: (recorder: Recorder, frame: number, hash: number) => void,
): Recorder | undefined {
  let recorder: Recorder | undefined;
  playTrio(
    trio,
    frames,
    [],
    (sim) => {
      recorder ??= writer.recorderOf(sim);
    },
    (sim, frame) => recorder && after(recorder, frame, sim.hashAt(frame + 1)),
  );
  return recorder;
}

describe('a recorder of a simulation', () => {
  it('writes byte by byte what is written frame by frame, whoever comes and goes, however often it is read', () => {
    const absence = fc.record({ from: fc.integer({ min: 1, max: 1300 }), frames: fc.integer({ min: 1, max: 200 }) });
    const scene = fc.record({
      frames: fc.integer({ min: 1, max: 1400 }),
      firstFrame: fc.nat(700),
      history: fc.constantFrom(4, 32, 64, 128),
      absences: fc
        .array(absence, { maxLength: 3 })
        .map((all) => all.map(({ from, frames }, player) => ({ player, from, until: from + frames }))),
      reads: fc.uniqueArray(fc.nat(1400), { maxLength: 5 }),
      states: fc.uniqueArray(fc.nat(1400), { maxLength: 2 }),
    });
    let keyframes = 0;
    let changes = 0;
    fc.assert(
      fc.property(scene, ({ frames, firstFrame, history, absences, reads, states }) => {
        const single = trioWriter(trio, firstFrame);
        const batched = trioWriter(trio, firstFrame);
        let recorder: Recorder | undefined;
        playTrio(
          trio,
          frames,
          absences,
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
          history,
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
    const writer = trioWriter(trio);
    record(writer, 300, (recorder, frame) => {
      // Those from 120 on are told when the inputs of the first of them are kept no longer.
      if (frame < 120) recorder.final(frame);
      if (frame === 270) for (let late = 120; late <= frame; late++) recorder.final(late);
    });
    writer.end('finished');
    const recording = readRecording(writer.bytes());
    expect(recording.frames).toBe(120);
  });

  it('drops what becomes final after the end', () => {
    const writer = trioWriter(trio);
    const recorder = record(writer, 100, (recorder, frame, hash) => {
      recorder.final(hash);
      if (frame === 30) writer.end('left');
    });
    recorder?.finalBefore(100);
    for (const frame of [30, 90]) recorder?.keepState(frame);
    expect(readRecording(writer.bytes())).toMatchObject({ frames: 31, complete: true, endReason: 'left' });
    expect(writer.frames).toBe(31);
  });
});
