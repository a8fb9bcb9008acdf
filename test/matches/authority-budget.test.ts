import { readRecording } from '@riposte/shared';
import { describe, expect, it } from 'vitest';
import { measuresOf } from '../../client/src/authority/measures.js';
import { sparks } from '../../shared/testing/sparks.js';
import { AuthorityWorld } from '../simulation/authority-world.js';
import { truthOf } from '../simulation/truth.js';

const LINK = { delayMs: 150, jitterMs: 6, lossRate: 0.05 };

/** Half a tick of 60 Hz holds four such steps; one of them is kept for the tick's own frame. */
const STEP_MS = 2;
const BUDGET = 3;

/** The game at one page, where each step takes its time by that page's clock. */
function dear() {
  let steps = 0;
  const game: typeof sparks = {
    ...sparks,
    step(state, inputs, ctx) {
      sparks.step(state, inputs, ctx);
      steps++;
    },
  };
  return { game, clock: () => steps * STEP_MS, steps: () => steps };
}

/** Presses something else once in so many ticks. */
function seldom(everyTicks: number) {
  let tick = 0;
  return () => ({ a: Math.floor(tick++ / everyTicks) % 2 === 0 });
}

describe('a client whose game is too dear to run a long correction again in one tick', () => {
  it.each([
    ['seldom', 100],
    ['all the time', 2],
  ])('passes its budget in no tick, and comes to the state of the authority, with corrections %s', (_often, every) => {
    const page = dear();
    const stepsInTick: number[] = [];
    const lacking: number[] = [];
    let before = 0;
    let lacksNow = () => 0;
    const press = seldom(7);
    const world = new AuthorityWorld({
      game: sparks,
      games: [page.game, sparks],
      links: [LINK],
      inputs: [
        () => {
          // Asked for once a tick: all since the last time belongs to that tick.
          stepsInTick.push(page.steps() - before);
          before = page.steps();
          lacking.push(lacksNow());
          return press();
        },
        seldom(every),
      ],
      authority: { frames: 1200 },
      client: { clock: page.clock },
    });
    lacksNow = () => world.clients[0]!.session.catchingUp;
    world.run(15_000);
    const measures = measuresOf(world.clients[0]!.session, world.clock.nowMs)!;
    world.runToEnd(30_000);
    const { session, page: told } = world.clients[0]!;

    expect(Math.max(...stepsInTick)).toBeLessThanOrEqual(BUDGET + 1);
    expect(measures.replayBudget).toBe(BUDGET);
    expect(measures.deferrals).toBeGreaterThan(5);
    expect(Math.max(...lacking)).toBeGreaterThan(10);
    // With time between corrections the present is whole again.
    if (every === 100) expect(lacking.filter((frames) => frames === 0).length).toBeGreaterThan(lacking.length / 3);

    expect(session.sim!.hashAt(1200)).toBe(world.authority.sim.hashAt(1200));
    expect(session.figures).toMatchObject({ divergences: 0, statesTaken: 0 });
    const { facts } = truthOf(sparks, readRecording(world.recording!.bytes()));
    world.clients[0]!.collect();
    expect(told.facts).toEqual(facts);
    expect(told.playing.size).toBe(0);
  });

  it('finds no difference after silences, in which what is wrong and what is missing pass its budget together', () => {
    const page = dear();
    const link = { ...LINK, delayMs: 40, lossRate: 0 };
    const world = new AuthorityWorld({
      game: sparks,
      games: [page.game, sparks],
      links: [link],
      inputs: [seldom(7), seldom(5)],
      client: { clock: page.clock },
    });
    for (let silence = 0; silence < 8; silence++) {
      world.run(1500);
      world.setLink(0, { ...link, lossRate: 1 });
      world.run(350);
      world.setLink(0, link);
    }
    world.run(1500);
    const { session } = world.clients[0]!;
    expect(session.deferrals).toBeGreaterThan(100);
    expect(session.stalledFrames).toBeGreaterThan(100);
    expect(session.figures!.divergences).toBe(0);
  });

  it('has no budget to speak of where steps cost little', () => {
    const world = new AuthorityWorld({ game: sparks, links: [LINK], inputs: [seldom(3), seldom(5)] });
    world.run(5000);
    const { session } = world.clients[0]!;
    expect(measuresOf(session, world.clock.nowMs)).toMatchObject({ replayBudget: null, catchingUp: 0, deferrals: 0 });
  });
});
