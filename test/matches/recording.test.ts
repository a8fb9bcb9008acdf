import { compareRecordings, type Game, type Recording, readRecording, verify } from '@riposte/shared';
import { duel } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { withFault } from '../../client/src/match/fault.js';
import { type DuelInput, type DuelState, duelPair } from '../simulation/duel-pair.js';
import type { Pair } from '../simulation/pair.js';

const roughPair: typeof duelPair = (options = {}) =>
  duelPair({ link: { delayMs: 40, jitterMs: 10, lossRate: 0.05 }, ...options });

function recordingsOf(pair: Pair<DuelState, DuelInput>): [Recording, Recording] {
  const [one, two] = pair.recordings.map((writer) => readRecording(writer!.bytes()));
  return [one!, two!];
}

/** A fault too large for a single byte: the state as a whole is that of another moment. */
function withShift(game: typeof duel, frame: number): typeof duel {
  return {
    ...game,
    step(state, inputs, context) {
      game.step(state, inputs, context);
      if (context.frame !== frame) return;
      for (const fighter of state.fighters) fighter.x += 1.25;
    },
  };
}

/** As if no peer had been heard: with the states of every 600th frame alone. */
function withoutStates(recordings: readonly [Recording, Recording]): [Recording, Recording] {
  const bare = (recording: Recording): Recording => ({
    ...recording,
    keyframes: recording.keyframes.filter(({ frame }) => frame % 600 === 0),
  });
  return [bare(recordings[0]), bare(recordings[1])];
}

describe('the recordings of a match', () => {
  it('hold the same states every 600 frames, and verify from the first on', () => {
    const pair = roughPair({ frames: 1300 });
    pair.runToEnd(60_000);
    const recordings = recordingsOf(pair);
    const [one, two] = recordings.map(({ keyframes }) => keyframes);
    expect(one!.map(({ frame }) => frame)).toEqual([0, 600, 1200]);
    expect(two!.map((keyframe) => ({ ...keyframe, bytes: keyframe.bytes() }))).toEqual(
      one!.map((keyframe) => ({ ...keyframe, bytes: keyframe.bytes() })),
    );
    for (const recording of recordings) expect(verify(duel, recording)).toMatchObject({ ok: true, frames: 1300 });
    expect(compareRecordings(...recordings, duel)).toMatchObject({ same: true, comparedFrames: 1300 });
  });

  it.each([0, 1] as const)('begin late where page %i was reloaded, verify by themselves and agree', (me) => {
    const frames = 1500;
    const pair = roughPair({ frames });
    pair.run(6000);
    const before = readRecording(pair.recordings[me]!.bytes());
    pair.reload(me);
    pair.runToEnd(60_000);
    const { firstFrame } = pair.peers[me].session.driver!;
    expect(firstFrame).toBeGreaterThan(300);
    const late = readRecording(pair.recordings[me]!.bytes());
    const whole = readRecording(pair.recordings[1 - me]!.bytes());
    expect(late).toMatchObject({ firstFrame, frames: frames - firstFrame, truncated: false });
    expect(late.header).toMatchObject({ ...whole.header, firstFrame, recordedBy: me });
    expect(late.keyframes.map(({ frame }) => frame)).toEqual([firstFrame, 600, 1200]);
    expect(verify(duel, late)).toMatchObject({ ok: true, firstFrame, frames: frames - firstFrame });
    expect(verify(duel, whole)).toMatchObject({ ok: true, firstFrame: 0, frames });
    const same = { same: true, comparedFrames: frames - firstFrame, replayAgreesWith: 'both' };
    expect(compareRecordings(late, whole, duel)).toMatchObject(same);
    expect(compareRecordings(whole, late, duel)).toMatchObject(same);
    // What the page had recorded before it was reloaded.
    expect(compareRecordings(before, whole, duel)).toMatchObject({ same: true, comparedFrames: before.frames });
    expect(compareRecordings(before, late, duel)).toMatchObject({ same: true });
  });

  it.each(['a', 'b'] as const)('lead to the field of one altered bit on side %s, in the very frame', (side) => {
    const bad = withFault(duel, 700);
    const pair = roughPair({ frames: 1300, games: side === 'a' ? [bad, duel] : [duel, bad] });
    pair.runToEnd(60_000);
    const recordings = recordingsOf(pair);
    const found = compareRecordings(...recordings, duel);
    expect(found).toMatchObject({ kind: 'state', frame: 700, fieldsFrame: 701, fieldsFrom: 'keyframe' });
    expect(compareRecordings(...withoutStates(recordings), duel)).toEqual({ ...found, fieldsFrom: 'hash' });
    expect(found.replayAgreesWith).toBe(side === 'a' ? 'b' : 'a');
    const [field] = found.fields;
    expect(found.fields).toHaveLength(1);
    expect(field!.path).toBe('phase');
    const { firstMismatch } = verify(duel, recordings[side === 'a' ? 0 : 1]);
    expect(firstMismatch).toMatchObject({ frame: 700, fieldsFrame: 701, fields: [{ path: field!.path }] });
  });

  it('lead to the fields of a large fault right after it, and without its states at the next that both recorded', () => {
    const pair = roughPair({ frames: 1300, games: [duel, withShift(duel, 1190)] });
    pair.runToEnd(60_000);
    const recordings = recordingsOf(pair);
    const found = compareRecordings(...recordings, duel);
    expect(found).toMatchObject({ kind: 'state', frame: 1190, fieldsFrame: 1191, fieldsFrom: 'keyframe' });
    const later = compareRecordings(...withoutStates(recordings), duel);
    expect(later).toMatchObject({ kind: 'state', frame: 1190, fieldsFrame: 1200, fieldsFrom: 'keyframe' });
    for (const { replayAgreesWith, fields } of [found, later]) {
      expect(replayAgreesWith).toBe('a');
      expect(fields.map(({ path }) => path)).toEqual(expect.arrayContaining(['fighters[0].x', 'fighters[1].x']));
    }
  });

  it('lead to a fault on the machine of a player who returned', () => {
    const games: readonly [Game<DuelState, DuelInput>, Game<DuelState, DuelInput>] = [duel, withFault(duel, 900)];
    const pair = roughPair({ frames: 1300, games });
    pair.run(6000);
    pair.reload(1);
    pair.runToEnd(60_000);
    const [whole, late] = recordingsOf(pair);
    expect(late.firstFrame).toBeGreaterThan(300);
    const parted = { kind: 'state', frame: 900, fieldsFrame: 901, fields: [{ path: 'phase' }] };
    expect(compareRecordings(whole, late, duel)).toMatchObject({ ...parted, replayAgreesWith: 'a' });
    expect(compareRecordings(late, whole, duel)).toMatchObject({ ...parted, replayAgreesWith: 'b' });
  });

  it('take at most 250 kB for ten minutes of two busy players', () => {
    const endless = { ...duel, over: () => undefined };
    const pair = roughPair({ frames: 36_000, game: endless, link: { delayMs: 60, jitterMs: 10, lossRate: 0.05 } });
    pair.runToEnd(700_000);
    expect.assertions(8);
    for (const writer of pair.recordings) {
      const bytes = writer!.bytes();
      const recording = readRecording(bytes);
      const changes = recording.inputs.map(({ runs }) => runs / 600);
      expect(Math.min(...changes)).toBeGreaterThan(5);
      expect(recording.frames).toBe(36_000);
      expect(recording.keyframes).toHaveLength(61);
      expect(bytes.length).toBeLessThan(250_000);
    }
  });
});
