import assert from 'node:assert/strict';
import { test } from 'node:test';
import game, { GOAL } from './public/game.js';
import { guardDeterminism, RollbackSim, replay, syncTest } from './public/riposte.js';

test('can be rolled back in every frame, and asks for nothing that differs between machines', () => {
  const result = syncTest(guardDeterminism(game), { frames: 600, distance: 8 });
  assert.equal(result.firstMismatch, null);
  assert.ok(result.distinctStates > 500);
});

test('gives the same match whether inputs come in time or late', () => {
  const inputs = Array.from({ length: 60 }, (_, frame) => [{ right: frame % 20 < 10 }, { down: frame % 14 < 7 }]);

  const sim = new RollbackSim(game, { seed: 7 });
  for (const [frame, [own]] of inputs.entries()) {
    sim.predictStep({ 0: own });
    if (frame >= 5) sim.applyRemote(1, frame - 5, inputs[frame - 5][1]);
  }
  for (let frame = 55; frame < 60; frame++) sim.applyRemote(1, frame, inputs[frame][1]);

  assert.deepEqual(game.state.diff(sim.state, replay(game, inputs, { seed: 7 })), []);
  assert.ok(sim.stats.rollbacks > 0);
});

test('is won by whoever runs free for long enough', () => {
  const state = replay(game, Array(GOAL).fill([{}, {}]), { seed: 1 });
  assert.equal(game.over(state), 1);
});
