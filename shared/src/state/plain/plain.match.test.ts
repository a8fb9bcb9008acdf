import { expect, it } from 'vitest';
import { defineGame } from '../../game/define-game.js';
import { buttons } from '../../input/controls.js';
import { Random } from '../../math/random.js';
import { replay } from '../../rollback/replay.js';
import { RollbackSim } from '../../rollback/sim.js';
import { syncTest } from '../../rollback/sync-test.js';
import { plain } from './plain.js';
import { plainRandom } from './random.js';

interface Fighter {
  x: number;
  hp: number;
  mood?: string;
}

interface Shot {
  x: number;
  speed: number;
  owner: number;
}

/** Objects that come and go, a key that comes and goes, a shared reference, a Map that is reordered, a generator. */
const skirmish = defineGame({
  id: 'skirmish',
  version: '1',
  tickRate: 60,
  players: 2,
  input: buttons('right', 'fire'),
  state: plain(() => ({
    fighters: [
      { x: 0, hp: 100 },
      { x: 50.5, hp: 100 },
    ] as Fighter[],
    /** Who was fired at last: the same object as in `fighters`. */
    aimedAt: null as Fighter | null,
    shots: [] as Shot[],
    hits: new Map<string, number>(),
    recent: new Set<number>(),
    trail: new Float64Array(8),
    dice: plainRandom(),
  })),
  init(state) {
    state.fighters[0].x = state.dice.below(10);
  },
  step(state, inputs, { frame }) {
    for (const [player, { right, fire }] of inputs.entries()) {
      const fighter = state.fighters[player];
      if (right) fighter.x += 0.1;
      if (fire) state.shots.push({ x: fighter.x, speed: 1 + state.dice.unit(), owner: player });
      if (fire) state.aimedAt = state.fighters[1 - player];
      if (fire) fighter.mood = 'angry';
      else delete fighter.mood;
    }
    for (const shot of state.shots) shot.x += shot.speed;
    for (const shot of state.shots.filter(({ x }) => x > 60)) {
      const name = `by ${shot.owner}`;
      const before = state.hits.get(name) ?? 0;
      state.hits.delete(name);
      state.hits.set(name, before + 1);
      if (state.aimedAt !== null) state.aimedAt.hp -= 1;
      state.recent.add(frame);
    }
    state.shots = state.shots.filter(({ x }) => x <= 60);
    if (state.recent.size > 3) state.recent.clear();
    state.trail[frame % 8] = state.fighters[0].x;
  },
});

it('a game of ordinary objects passes the sync test', () => {
  const result = syncTest(skirmish, { frames: 300, distance: 7, seed: 5 });
  expect(result).toMatchObject({ ok: true, firstMismatch: null });
  expect(result.distinctStates).toBeGreaterThan(200);
});

it('a game of ordinary objects equals replay when inputs come late', () => {
  const random = new Random(new Int32Array(2), 0);
  random.seed(9);
  const inputs = Array.from({ length: 400 }, () =>
    [0, 1].map(() => ({ right: random.below(2) === 0, fire: random.below(4) === 0 })),
  );
  const sim = new RollbackSim(skirmish, { seed: 77 });
  let arrived = 0;
  for (const [frame, pressed] of inputs.entries()) {
    sim.predictStep({ 0: pressed[0] });
    for (const until = frame - random.below(7); arrived <= until; arrived++) {
      sim.applyRemote(1, arrived, inputs[arrived][1]);
    }
  }
  for (; arrived < inputs.length; arrived++) sim.applyRemote(1, arrived, inputs[arrived][1]);
  expect(sim.stats.rollbacks).toBeGreaterThan(50);
  const truth = replay(skirmish, inputs, { seed: 77 });
  expect(truth.hits.size).toBe(2);
  expect(truth.fighters.some(({ hp }) => hp < 100)).toBe(true);
  expect(skirmish.state.diff(sim.state, truth)).toEqual([]);
  expect(skirmish.state.hash(sim.state)).toBe(skirmish.state.hash(truth));
});
