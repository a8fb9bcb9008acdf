// biome-ignore-all lint/style/noRestrictedGlobals: some of these games do what a game must not do.
import { describe, expect, it } from 'vitest';
import { bagGame, bagModel } from '../../testing/bag-model.js';
import { guardDeterminism } from '../desync/guard.js';
import { defineGame } from '../game/define-game.js';
import type { Game } from '../game/game.js';
import { duel } from '../games/duel/duel.js';
import { race } from '../games/race.js';
import { axis, button, buttons, controls } from '../input/controls.js';
import { Random } from '../math/random.js';
import { plain } from '../state/plain/plain.js';
import { f64, i32, random } from '../state/struct/fields.js';
import { struct } from '../state/struct/struct.js';
import { syncTest } from './sync-test.js';

const state = struct({ x: f64, count: i32, rng: random() });
type State = ReturnType<typeof state.create>;

/** A game that adds what `step` gives to a counting state. */
function gameOf(
  step: (state: State, frame: number) => number | undefined,
  parts: Partial<Game<State, { readonly a: boolean }>> = {},
) {
  return defineGame({
    id: 'control',
    version: '1',
    tickRate: 60,
    players: 2,
    input: buttons('a'),
    state,
    step(subject, inputs, { frame }) {
      subject.count += inputs[0]!.a ? 2 : 1;
      subject.x += step(subject, frame) ?? 0;
    },
    ...parts,
  });
}

const basics = { id: 'plain', version: '1', tickRate: 60, players: 1, input: buttons('a') };

describe('syncTest finds nothing wrong in', () => {
  it('the games that come with the project, under the guard', () => {
    expect(syncTest(guardDeterminism(race), { frames: 120, distance: 8, seed: 1 })).toMatchObject({
      ok: true,
      frames: 120,
      rollbacks: 120,
      firstMismatch: null,
    });
    const result = syncTest(guardDeterminism(duel), { frames: 120, distance: 8, seed: 1 });
    expect(result).toMatchObject({ ok: true, frames: 120, rollbacks: 120, firstMismatch: null });
    expect(result.distinctStates).toBeGreaterThan(100);
  });

  it('a generator that lies in the state', () => {
    const game = gameOf(({ rng }) => rng.unit());
    expect(syncTest(game, { frames: 60, distance: 7 })).toEqual({
      ok: true,
      frames: 60,
      rollbacks: 60,
      distinctStates: 61,
      firstMismatch: null,
    });
  });

  it('plain objects that come and go', () => {
    const game = defineGame({
      ...basics,
      state: plain(() => ({
        list: [0],
        bonus: undefined as { frame: number } | undefined,
        seen: new Map([[0, 'start']]),
      })),
      step(subject, _inputs, { frame }) {
        subject.list.push(frame);
        if (subject.list.length > 9) subject.list.shift();
        subject.bonus = frame % 3 === 0 ? { frame } : undefined;
        subject.seen.set(frame % 7, `at ${frame}`);
      },
    });
    expect(syncTest(guardDeterminism(game), { frames: 60, distance: 6 })).toMatchObject({
      ok: true,
      firstMismatch: null,
    });
  });

  it('objects that a model copies well', () => {
    const game = bagGame(
      bagModel(() => ({ list: [0] })),
      (bag, frame) => {
        if (frame % 3 === 0) bag[`key${frame % 12}`] = { frame };
        else delete bag[`key${frame % 8}`];
        bag['list'] = [frame];
      },
    );
    expect(syncTest(game, { frames: 50, distance: 5 })).toMatchObject({ ok: true });
  });
});

describe('syncTest runs', () => {
  it('on drawn inputs that use every bit, hold for some frames and follow the seed', () => {
    const seen = new Map<number, string[]>();
    const game = defineGame({
      ...basics,
      players: 2,
      state,
      input: controls({ jump: button, x: axis(7), y: axis(2000) }),
      step(subject: State, inputs: readonly { jump: boolean; x: number; y: number }[], { frame }) {
        seen.set(frame, [...(seen.get(frame) ?? []), JSON.stringify(inputs)]);
        subject.count++;
      },
    });
    const inputsOf = (seed: number) => {
      seen.clear();
      expect(syncTest(game, { frames: 100, distance: 3, seed }).ok).toBe(true);
      for (const runs of seen.values()) expect(new Set(runs).size).toBe(1);
      return [...seen.values()].map(([first]) => first);
    };
    const ones = inputsOf(1);
    const changes = ones.filter((input, frame) => input !== ones[frame - 1]).length;
    expect(changes).toBeGreaterThan(15);
    expect(changes).toBeLessThan(60);
    expect(inputsOf(1)).toEqual(ones);
    expect(inputsOf(2)).not.toEqual(ones);
  });

  it('on given inputs, with the settings and players that are given', () => {
    const game = gameOf(() => 0, {
      init(subject, { settings, players }) {
        subject.x = Number(settings['start']) * players;
      },
    });
    const states = new Set<string>();
    const counting: typeof game = {
      ...game,
      step(subject, inputs, ctx) {
        states.add(`${ctx.frame}: ${subject.x} ${inputs.map(({ a }) => a).join()}`);
        game.step(subject, inputs, ctx);
      },
    };
    syncTest(counting, {
      frames: 2,
      distance: 1,
      players: 3,
      settings: { start: 5 },
      inputs: (frame, player) => ({ a: frame === player }),
    });
    expect([...states]).toEqual(['0: 15 true,false,false', '1: 15 false,true,false']);
  });

  it('each frame once forward and again in every rollback that reaches it', () => {
    const runs: number[] = [];
    const game = gameOf((_, frame) => {
      runs[frame] = (runs[frame] ?? 0) + 1;
      return 0;
    });
    syncTest(game, { frames: 10, distance: 3 });
    expect(runs).toEqual([4, 4, 4, 4, 4, 4, 4, 4, 3, 2]);
  });

  it('telling how far it is', () => {
    const told: string[] = [];
    syncTest(
      gameOf(() => 0),
      { frames: 130, distance: 1, onProgress: (done, total) => told.push(`${done}/${total}`) },
    );
    expect(told).toEqual(['0/130', '64/130', '128/130']);
  });

  it('only with options in range', () => {
    const game = gameOf(() => 0);
    expect(() => syncTest(game, { frames: 0, distance: 1 })).toThrow('frames is 0; expected an integer from 1');
    expect(() => syncTest(game, { frames: 1, distance: 0 })).toThrow('distance is 0; expected an integer from 1');
    expect(() => syncTest(game, { frames: 1, distance: 1, players: 9 })).toThrow('players is 9; expected');
  });
});

describe('syncTest names', () => {
  it('a generator in a closure', () => {
    const rng = new Random(new Int32Array(2), 0);
    rng.seed(1);
    const game = gameOf((_, frame) => (frame >= 12 ? rng.unit() : 0));
    const { firstMismatch, ...result } = syncTest(game, { frames: 60, distance: 5 });
    expect(result).toEqual({ ok: false, frames: 13, rollbacks: 13, distinctStates: 14 });
    expect(firstMismatch).toMatchObject({ frame: 12, fields: [{ path: 'x' }] });
    expect(firstMismatch?.cause).toMatch(/^outside-state: frame 12 gave another result .* a generator, a counter/);
  });

  it('a counter outside the state', () => {
    let calls = 0;
    const game = gameOf((_, frame) => {
      calls++;
      return frame === 20 ? calls : 0;
    });
    const { firstMismatch } = syncTest(game, { frames: 60, distance: 5 });
    expect(firstMismatch).toMatchObject({ frame: 20, fields: [{ path: 'x', a: 111, b: 116 }] });
    expect(firstMismatch?.cause).toMatch(/^outside-state: frame 20/);
  });

  it('a template that was put into the state instead of a copy of it', () => {
    const template = { hits: 0 };
    const game = defineGame({
      ...basics,
      state: plain(() => ({ fighter: { hits: 10 } })),
      step(subject, _inputs, { frame }) {
        if (frame === 5) subject.fighter = template;
        else subject.fighter.hits++;
      },
    });
    const { firstMismatch } = syncTest(game, { frames: 30, distance: 4 });
    expect(firstMismatch).toMatchObject({ frame: 5, fields: [{ path: 'fighter.hits', a: 0, b: 15 }] });
    expect(firstMismatch?.cause).toMatch(/^outside-state: /);
  });

  it('an init that reads something outside', () => {
    let calls = 0;
    const game = gameOf(() => 0, {
      init(subject) {
        subject.count = ++calls;
      },
    });
    expect(syncTest(game, { frames: 9, distance: 2 })).toMatchObject({
      ok: false,
      frames: 0,
      rollbacks: 0,
      firstMismatch: {
        frame: -1,
        fields: [{ path: 'count', a: 1, b: 2 }],
        cause: expect.stringMatching(/^outside-state: init gave/),
      },
    });
  });

  it('a snapshot that shares a part with the live state', () => {
    const shallow = bagModel(
      () => ({ frame: 0, list: [] }),
      (live) => ({ ...live }),
    );
    const game = bagGame(shallow, (bag, frame) => {
      bag['frame'] = frame + 1;
      if (frame === 9 && Array.isArray(bag['list'])) bag['list'].push('hit');
    });
    const { firstMismatch, frames } = syncTest(game, { frames: 30, distance: 4 });
    expect(frames).toBe(10);
    expect(firstMismatch).toMatchObject({ frame: 9, fields: [{ path: 'list', a: [], b: ['hit'] }] });
    expect(firstMismatch?.cause).toMatch(/^alias: the snapshot of the state before frame 6 changed after it was saved/);
  });

  it('a load that hands out the snapshot itself', () => {
    const shallow = bagModel(
      () => ({ frame: 0, list: [] }),
      undefined,
      (saved, live) => void Object.assign(live, saved),
    );
    const game = bagGame(shallow, (bag, frame) => {
      bag['frame'] = frame + 1;
      if (frame === 9 && Array.isArray(bag['list'])) bag['list'].push('hit');
    });
    const { firstMismatch } = syncTest(game, { frames: 30, distance: 4 });
    expect(firstMismatch).toMatchObject({ frame: 9, fields: [{ path: 'list', a: [], b: ['hit'] }] });
    expect(firstMismatch?.cause).toMatch(/^alias: /);
  });

  it('snapshots that come from too small a pool', () => {
    const model = bagModel(() => ({ frame: 0 }));
    const pool = [model.createSnapshot(), model.createSnapshot(), model.createSnapshot()];
    let taken = 0;
    const game = bagGame({ ...model, createSnapshot: () => pool[taken++ % 3]! }, (bag, frame) => {
      bag['frame'] = frame + 1;
    });
    expect(syncTest(game, { frames: 30, distance: 5 }).firstMismatch).toMatchObject({
      frame: 2,
      fields: [{ path: 'frame', a: 0, b: 3 }],
      cause: expect.stringMatching(/^alias: the snapshot of the state before frame 0/),
    });
  });

  it('an alias whose snapshot remembers its hash', () => {
    const model = bagModel(
      () => ({ frame: 0, list: [] }),
      (live) => ({ ...live }),
    );
    const game = bagGame(
      {
        ...model,
        createSnapshot() {
          const snapshot = model.createSnapshot();
          let hash = 0;
          return {
            save(live) {
              snapshot.save(live);
              hash = snapshot.hash();
            },
            load: (into) => snapshot.load(into),
            hash: () => hash,
          };
        },
      },
      (bag, frame) => {
        bag['frame'] = frame + 1;
        if (frame === 9 && Array.isArray(bag['list'])) bag['list'].push('hit');
      },
    );
    expect(syncTest(game, { frames: 30, distance: 4 }).firstMismatch).toMatchObject({
      frame: 9,
      cause: expect.stringMatching(/^alias: the snapshot of the state before frame 6 no longer holds/),
    });
  });

  it('a key that was added after the save and kept by the load', () => {
    const keeping = bagModel(
      () => ({ frame: 0 }),
      undefined,
      (saved, live) => void Object.assign(live, structuredClone(saved)),
    );
    const game = bagGame(keeping, (bag, frame) => {
      bag['frame'] = frame + 1;
      if (frame === 7) bag['bonus'] = 'shield';
    });
    const { firstMismatch } = syncTest(game, { frames: 30, distance: 4 });
    expect(firstMismatch).toMatchObject({ frame: 7, fields: [{ path: 'bonus', a: undefined, b: 'shield' }] });
    expect(firstMismatch?.cause).toMatch(
      /^kept-key: loading the state before frame 4 left something of the newer state/,
    );
  });

  it('a model that does not save everything', () => {
    const forgetful = bagModel(
      () => ({ frame: 0, secret: 0 }),
      ({ secret: _, ...rest }) => ({ ...rest, secret: 0 }),
    );
    const game = bagGame(forgetful, (bag, frame) => {
      bag['frame'] = frame + 1;
      if (frame >= 5) bag['secret'] = frame;
    });
    expect(syncTest(game, { frames: 30, distance: 4 }).firstMismatch).toMatchObject({
      frame: 5,
      fields: [{ path: 'secret', a: 5, b: 0 }],
      cause: expect.stringMatching(/^lossy-snapshot: the snapshot of frame 6 does not hash like the state/),
    });
  });

  it.each<[string, string, () => number]>([
    ['Date.now', 'guard: Date.now in step: a step has no clock', () => Date.now()],
    ['Math.random', 'guard: Math.random in step: use a random() field of the state', () => Math.random()],
    ['Math.sin', 'guard: Math.sin in step: engines differ in its last bits: use sin', () => Math.sin(1)],
    [
      'a sort comparator that contradicts itself',
      'guard: Array.prototype.sort in step: its comparator is not consistent',
      () => [3, 1, 2].sort((a, b) => Number(a > b))[0]!,
    ],
  ])('%s, under the guard, with the frame that called it', (_, cause, call) => {
    const game = guardDeterminism(gameOf((_state, frame) => (frame === 17 ? call() : 0)));
    const result = syncTest(game, { frames: 60, distance: 5 });
    expect(result).toMatchObject({ ok: false, frames: 17, firstMismatch: { frame: 17, fields: [] } });
    expect(result.firstMismatch?.cause).toContain(cause);
  });

  it('a guard fault in init', () => {
    const game = guardDeterminism(
      gameOf(() => 0, {
        init(subject) {
          subject.x = Math.random();
        },
      }),
    );
    expect(syncTest(game, { frames: 9, distance: 2 }).firstMismatch).toMatchObject({
      frame: -1,
      cause: expect.stringContaining('guard: Math.random in init'),
    });
  });

  it('a state that never moves: one state is no proof', () => {
    const result = syncTest(
      gameOf(() => 0, { step() {} }),
      { frames: 40, distance: 5 },
    );
    expect(result).toMatchObject({ ok: false, frames: 40, rollbacks: 40, distinctStates: 1 });
    expect(result.firstMismatch?.cause).toMatch(/^never-moves: all 41 states are the same, which proves nothing/);
  });

  it('an error of the game, and one that only a second run meets', () => {
    const throwing = gameOf((_, frame) => {
      if (frame === 4) throw new TypeError('no such fighter');
      return 0;
    });
    expect(syncTest(throwing, { frames: 9, distance: 2 }).firstMismatch).toEqual({
      frame: 4,
      fields: [],
      cause: 'threw: the game threw in frame 4: TypeError: no such fighter',
    });
    const queue = [1, 2, 3];
    const emptied = gameOf((_, frame) => {
      if (frame === 4 && queue.shift() === undefined) throw new Error('the queue is empty');
      return 0;
    });
    expect(syncTest(emptied, { frames: 9, distance: 4 }).firstMismatch).toMatchObject({
      frame: 4,
      cause: expect.stringMatching(/^outside-state: .* Error: the queue is empty$/),
    });
  });
});
