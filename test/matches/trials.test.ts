import { type Recording, readRecording, verify } from '@riposte/shared';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { mixer, press } from '../../shared/testing/mixer.js';
import { Witness } from '../../shared/testing/sparks.js';
import { board } from '../games/board.js';
import { island } from '../games/island.js';
import { AuthorityWorld } from '../simulation/authority-world.js';
import { Luck } from '../simulation/luck.js';
import { Pair } from '../simulation/pair.js';
import { truthOf } from '../simulation/truth.js';

const FRAMES = 3000;
const ROUGH = { delayMs: 60, jitterMs: 20, lossRate: 0.1 };

/** Holds one way for a while, so that platform, pit and door are all met. */
function wanderer(seed: number) {
  const bot = seededBot(island.input, seed);
  let tick = 0;
  return () => {
    const { act } = bot();
    const way = Math.floor(tick++ / 90) * (seed + 1);
    return { left: way % 3 === 0, right: way % 3 === 1, act: act === true };
  };
}

describe('a platform that moves, a pit with a respawn, and a door that teleports', () => {
  /** Both modes: the same game unchanged, over the same link. */
  const modes = {
    'between two peers': () => {
      const pair = new Pair({
        game: island,
        link: ROUGH,
        frames: FRAMES,
        inputDelay: 0,
        inputs: [wanderer(3), wanderer(4)],
        session: { maxPrediction: 16 },
      });
      const pages = [new Witness(), new Witness()];
      for (let ms = 0; pair.peers.some(({ ended }) => ended === undefined); ms += 10) {
        if (ms > 90_000) throw new Error('the match did not end');
        pair.run(10);
        for (const [player, { session }] of pair.peers.entries()) {
          const queue = session.driver?.collectEffects();
          if (queue !== undefined) pages[player]!.poll(queue);
        }
      }
      const sims = pair.peers.map(({ session }) => session.sim!);
      return { sims, pages, recording: readRecording(pair.recordings[0]!.bytes()) };
    },
    'against an authority': () => {
      const inputs = [wanderer(3), wanderer(4)];
      const world = new AuthorityWorld({ game: island, links: [ROUGH], inputs, authority: { frames: FRAMES } });
      world.runToEnd(90_000);
      for (const client of world.clients) client.collect();
      const pages = world.clients.map(({ page }) => page);
      const sims = world.clients.map(({ session }) => session.sim!);
      return { sims, pages, recording: readRecording(world.recording!.bytes()) };
    },
  };

  it.each(Object.entries(modes))('come out as replay says %s, each fact told once', (_mode, play) => {
    const { sims, pages, recording } = play();
    const { state, facts } = truthOf(island, recording);
    expect(recording.frames).toBe(FRAMES);
    expect(facts.length).toBeGreaterThan(3);
    for (const [player, sim] of sims.entries()) {
      expect(island.state.diff(sim.stateAt(FRAMES), state)).toEqual([]);
      expect(pages[player]!.facts).toEqual(facts);
      expect(pages[player]!.finals.map(({ kind }) => kind)).toContain('teleport');
      expect(sim.stats.rollbacks).toBeGreaterThan(50);
    }
  });
});

describe('inputs of both that change in every frame', () => {
  const flipping = (step: number) => {
    let tick = 0;
    return () => press((tick++ * step) & 7);
  };
  const inputs = () => [flipping(1), flipping(3)] as const;
  const modes: Readonly<Record<string, () => Recording>> = {
    'between two peers': () => {
      const pair = new Pair({ game: mixer, link: ROUGH, frames: 900, inputDelay: 0, inputs: inputs() });
      pair.runToEnd(60_000);
      const [one, two] = pair.peers.map(({ session }) => session.sim!);
      expect(one!.hashAt(900)).toBe(two!.hashAt(900));
      for (const { stats } of [one!, two!]) expect(stats.rollbacks).toBeGreaterThan(200);
      return readRecording(pair.recordings[1]!.bytes());
    },
    'against an authority': () => {
      const world = new AuthorityWorld({ game: mixer, links: [ROUGH], inputs: inputs(), authority: { frames: 900 } });
      world.runToEnd(60_000);
      for (const { session } of world.clients) {
        expect(session.sim!.hashAt(900)).toBe(world.authority.sim.hashAt(900));
        expect(session.meter!.corrections.count).toBeGreaterThan(200);
      }
      return readRecording(world.recording!.bytes());
    },
  };

  it.each(Object.entries(modes))('come out as replay says %s', (_mode, play) => {
    const recording = play();
    expect(verify(mixer, recording)).toMatchObject({ ok: true, frames: 900 });
    for (const { runs } of recording.inputs) expect(runs).toBeGreaterThan(700);
  });
});

describe('bursts, in which all inputs and updates are lost, or come late and at once', () => {
  // Between peers they are part of the simulated scenarios.
  it('come out as replay says against an authority, with no state taken whole', () => {
    const inputs = [seededBot(mixer.input, 5), seededBot(mixer.input, 6)];
    const world = new AuthorityWorld({ game: mixer, links: [ROUGH], inputs });
    const luck = new Luck(11, 0);
    let lost = 0;
    world.run(1000);
    for (let burst = 0; burst < 60; burst++) {
      const player = luck.below(2);
      const isLost = luck.chance(0.5);
      world.setLink(player, isLost ? { ...ROUGH, lossRate: 1 } : { ...ROUGH, delayMs: 300 });
      world.run(50 + luck.below(150));
      world.setLink(player, ROUGH);
      world.run(100 + luck.below(300));
      if (isLost) lost++;
    }
    world.run(1000);
    expect(lost).toBeGreaterThan(20);
    for (const { session, recording } of world.clients) {
      const frame = session.authorityFrame;
      expect(frame).toBeGreaterThan(world.authority.frame - 30);
      expect(session.sim!.hashAt(frame)).toBe(world.authority.sim.hashAt(frame));
      expect(session.figures).toMatchObject({ divergences: 0, statesTaken: 0 });
      expect(session.figures!.staleUpdates).toBeGreaterThan(10);
      expect(verify(mixer, readRecording(recording!.bytes()))).toMatchObject({ ok: true, firstFrame: 0 });
    }
  });
});

describe('a turn-based game against an authority that knows its rules', () => {
  const press = { turn: 0, moves: [] as (readonly [player: number, cell: 'one' | 'two' | 'three' | 'four'])[] };
  const input = (player: number) => () => {
    const at = press.moves.findIndex(([who]) => who === player);
    return at < 0 ? {} : { [press.moves.splice(at, 1)[0]![1]]: true };
  };

  it('shows a move at once, and falls back to the state of the authority that refuses it', () => {
    const links = [{ delayMs: 150, jitterMs: 5, lossRate: 0.1 }];
    const inputs = [input(0), input(1)];
    const world = new AuthorityWorld({ game: board, links, inputs });
    world.run(3000);
    const [one, two] = world.clients;
    const cells = (player: number) => [...world.clients[player]!.session.sim!.state.cells];
    press.moves.push([0, 'two']);
    world.run(60);
    expect(cells(0)).toEqual([0, 1, 0, 0]);
    expect(world.authority.sim.state.moves).toBe(0);
    world.run(1500);
    expect(cells(1)).toEqual([0, 1, 0, 0]);

    // Taken, and out of turn: each shows its own move at once.
    press.moves.push([1, 'two'], [0, 'four']);
    world.run(60);
    expect(cells(0)).toEqual([0, 1, 0, 1]);
    expect(cells(1)).toEqual([0, 2, 0, 0]);
    world.run(1500);
    for (const player of [0, 1]) expect(cells(player)).toEqual([0, 1, 0, 0]);
    expect(one!.events.find(({ type }) => type === 'denied')).toMatchObject({ reason: 'it is not your turn' });
    expect(two!.events.find(({ type }) => type === 'denied')).toMatchObject({ reason: 'the cell is taken' });
    expect(world.authority.seats.map(({ refused }) => refused)).toEqual([1, 1]);
    expect(one!.session.deniedInputs).toBe(1);

    // A refused move was never a fact; the next good one is.
    press.moves.push([1, 'one']);
    world.run(1500);
    for (const { page } of world.clients) {
      expect(page.facts.map(({ data }) => data)).toEqual([
        { player: 0, cell: 1 },
        { player: 1, cell: 0 },
      ]);
    }
  });
});
