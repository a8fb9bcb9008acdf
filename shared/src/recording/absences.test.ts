import { describe, expect, it } from 'vitest';
import { mixer, type mixerInput } from '../../testing/mixer.js';
import { type Absence, playTrio, trioWriter } from '../../testing/recorded-trio.js';
import { defineGame } from '../game/define-game.js';
import { ByteWriter } from './bytes.js';
import { compareRecordings } from './compare.js';
import { crc32 } from './crc32.js';
import { ChunkType } from './format.js';
import { type Recording, readRecording } from './reader.js';
import { verify } from './verify.js';
import { RecordingWriter } from './writer.js';

/** A game in which it matters who is there. */
const counted = defineGame({
  ...mixer,
  id: 'counted',
  players: 3,
  step(state: ReturnType<typeof mixer.state.create>, inputs: ReturnType<typeof mixerInput.create>[], ctx) {
    mixer.step(state, inputs, ctx);
    for (const [player, { connected }] of ctx.players.entries()) if (!connected) state.hash ^= (player + 1) * ctx.frame;
  },
});

/** A match of three of 200 frames, from frame `firstFrame` on. */
function bytesOf(absences: readonly Absence[], firstFrame = 0): Uint8Array {
  const writer = trioWriter(counted, firstFrame);
  playTrio(
    counted,
    200,
    absences,
    (sim, frame) => {
      if (frame < firstFrame || !writer.isKeyframeDue) return;
      writer.keyframe(counted.state.encode(sim.stateAt(frame)), sim.hashAt(frame));
    },
    (sim, frame, words) => {
      if (frame >= firstFrame) writer.frame(words, sim.hashAt(frame + 1), sim.goneIn(frame));
    },
  );
  writer.end('finished');
  return writer.bytes();
}

const recorded = (absences: readonly Absence[], firstFrame?: number): Recording =>
  readRecording(bytesOf(absences, firstFrame));

const BOTH = [
  { player: 2, from: 70, until: 131 },
  { player: 1, from: 90 },
] as const;

describe('a recording of a match that lost players', () => {
  it('says who was not there, and runs again as it was played', () => {
    const recording = recorded(BOTH);
    expect(recording).toMatchObject({ truncated: false, complete: true, frames: 200 });
    expect(recording.absences).toEqual([
      { frame: 70, gone: 4 },
      { frame: 90, gone: 6 },
      { frame: 131, gone: 2 },
    ]);
    expect(verify(counted, recording)).toMatchObject({ ok: true, frames: 200 });
    const without = { ...recording, absences: [] };
    expect(verify(counted, without).firstMismatch).toMatchObject({ frame: 70 });
  });

  it.each([70, 71, 100, 131, 150])('runs again by itself from frame %i on', (firstFrame) => {
    const late = recorded(BOTH, firstFrame);
    expect(late).toMatchObject({ firstFrame, truncated: false });
    expect(verify(counted, late)).toMatchObject({ ok: true, frames: 200 - firstFrame });
    expect(compareRecordings(recorded(BOTH), late, counted)).toMatchObject({ same: true, replayAgreesWith: 'both' });
  });

  it('differs in inputs from one where another player, or another frame, was lost', () => {
    const found = compareRecordings(recorded([{ player: 2, from: 70 }]), recorded([{ player: 2, from: 72 }]), counted);
    expect(found).toMatchObject({
      kind: 'inputs',
      frame: 70,
      player: 2,
      a: 'absent',
      b: expect.not.stringMatching('absent'),
    });
    expect(found.replayAgreesWith).toBe('both');
    const other = compareRecordings(recorded([{ player: 2, from: 80 }]), recorded([{ player: 1, from: 80 }]));
    expect(other).toMatchObject({ kind: 'inputs', frame: 80, player: 1, b: 'absent' });
    const back = compareRecordings(recorded(BOTH), recorded([{ player: 2, from: 70, until: 135 }, BOTH[1]]), counted);
    expect(back).toMatchObject({ kind: 'inputs', frame: 131, player: 2, b: 'absent' });
  });

  it('is read up to an absence that makes no sense', () => {
    const whole = bytesOf([{ player: 2, from: 70 }]);
    const at = whole.findIndex((byte, index) => byte === ChunkType.absences && whole[index + 1] === 2);
    const start = whole.slice(0, at);
    for (const [payload, problem] of [
      [[71, 4], 'absences from frame 71 on; expected frame 70'],
      [[70, 8], 'absent players 8; expected bits of 3 players'],
      [[70, 0], 'the absences at frame 70 change nothing'],
      [[70, 4, 0], '1 bytes are left over in a chunk'],
    ] as const) {
      const chunk = new ByteWriter(16);
      chunk.u8(ChunkType.absences);
      chunk.varint(payload.length);
      chunk.bytes(Uint8Array.from(payload));
      chunk.u32(crc32(chunk.view, 0, chunk.length));
      const bytes = Uint8Array.from([...start, ...chunk.buffer.slice(0, chunk.length)]);
      const read = readRecording(bytes);
      expect(read).toMatchObject({ frames: 70, truncated: true });
      expect(read.problem).toContain(problem);
    }
  });

  it('takes no player whom it does not have for absent', () => {
    const writer = new RecordingWriter({ ...recorded([]).header });
    expect(() => writer.frame(new Int32Array(3), 1, 8)).toThrow('gone is 8; expected an integer from 0 to 7');
  });
});
