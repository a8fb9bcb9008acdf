import { buttons, DesyncChecker, defineGame, RollbackSim, struct, u8 } from '@riposte/shared';
import { describe, expect, it } from 'vitest';
import { describeMatch, StateReceiver } from './state-transfer.js';

const game = defineGame({
  id: 'told',
  version: '1',
  tickRate: 60,
  players: 3,
  input: buttons('a'),
  state: struct({ frames: u8 }),
  step: (state) => {
    state.frames++;
  },
});

/** A match of three up to `frame`, in which player 2 was gone from frame 10 on, as it is told to player 1. */
function toldAt(frame: number, backFrom: number | undefined, playedThrough = -1) {
  const sim = new RollbackSim(game, { players: 3 });
  const checker = new DesyncChecker();
  for (let next = 0; next < frame; next++) {
    if (next === 10) sim.disconnect(2, 10);
    if (next === backFrom) sim.admit(2, backFrom);
    const isGone = next >= 10 && (backFrom === undefined || next < backFrom);
    sim.predictStep({ 0: { a: true }, 1: {}, ...(isGone ? {} : { 2: { a: true } }) });
    checker.record(sim.hashAt(next + 1));
  }
  if (frame === 10) sim.disconnect(2, 10);
  if (backFrom !== undefined && backFrom >= frame) sim.admit(2, backFrom);
  for (let next = backFrom ?? 0; next <= playedThrough; next++) sim.applyRemote(2, next, {});
  const agreed = { seed: 1, settings: {}, names: ['a', 'b', 'c'], inputDelays: [0, 0, 0], frames: 1000 };
  const { welcome, chunks } = describeMatch({ sim, checker }, 1, 1, agreed);
  const receiver = new StateReceiver(game, welcome);
  for (const chunk of chunks) receiver.take(chunk);
  return { sim, told: receiver.simulation({}) };
}

describe('a match that is told', () => {
  it.each([
    ['who is not there', undefined, -1],
    ['who will be there again', 60, -1],
    ['who is there again from the first frame on that is told, and was not heard yet', 30, -1],
    ['who is there again and was heard', 30, 35],
  ])('has of one %s the whole absence, as all others have it', (_, backFrom, playedThrough) => {
    const { sim, told } = toldAt(30, backFrom, playedThrough);
    expect(told.lastFrame()).toBe(29);
    expect(told.absenceAfter(2, -1)).toEqual([10, backFrom ?? null]);
    expect(told.heldThrough(2)).toBe(sim.heldThrough(2));
    expect(told.hashAt(30)).toBe(sim.hashAt(30));
  });

  it.each([10, 11, 30])('goes on from the last inputs before frame %i', (frame) => {
    const { told } = toldAt(frame, undefined);
    const words = new Int32Array(1);
    const inputs = [0, 1, 2].map((player) => told.readInput(player, frame - 1, words, 0) && words[0]);
    expect(inputs).toEqual([1, 0, frame === 10 ? 1 : 0]);
  });

  it('can have an end of an absence put off that is the first frame told', () => {
    const { told } = toldAt(30, 30);
    told.admit(2, 45);
    expect([30, 44, 45].map((frame) => told.isGone(2, frame))).toEqual([true, true, false]);
  });

  it('has nothing of an absence that is over', () => {
    const { told } = toldAt(30, 20);
    expect(told.absenceAfter(2, -1)).toBeNull();
    expect(told.heldThrough(2)).toBe(29);
  });
});
