import { readRecording, verify } from '@riposte/shared';
import { duel } from '@riposte/shared/games';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { withFault } from '../../client/src/match/fault.js';
import { helloOf } from '../../client/src/session/handshake.js';
import { mixerInput } from '../../shared/testing/mixer.js';
import { sparks } from '../../shared/testing/sparks.js';
import { AuthorityWorld, type AuthorityWorldOptions } from '../simulation/authority-world.js';
import { largeGame } from '../simulation/large-game.js';
import { truthOf } from '../simulation/truth.js';

type State = ReturnType<typeof sparks.state.create>;
type Input = ReturnType<typeof mixerInput.create>;
type World = AuthorityWorld<State, Input>;

const ROUGH = { delayMs: 40, jitterMs: 8, lossRate: 0.05 };
const GOOD = { delayMs: 20, jitterMs: 1, lossRate: 0 };
const CUT = { delayMs: 20, jitterMs: 0, lossRate: 1 };

const bots = () => [seededBot(mixerInput, 11), seededBot(mixerInput, 22)];

function sparksWorld(options: Partial<AuthorityWorldOptions<State, Input>> = {}): World {
  return new AuthorityWorld<State, Input>({ game: sparks, inputs: bots(), links: [ROUGH], ...options });
}

/** What the inputs that the authority stepped give without any prediction. */
const steppedBy = ({ recording }: World) => truthOf(sparks, readRecording(recording!.bytes()));

/** What is held of the authority's word is its very state, at any time. */
function expectHeld({ clients, authority }: World): void {
  for (const { session } of clients) {
    const frame = session.authorityFrame;
    if (session.sim === undefined || frame < authority.frame - 100) continue;
    expect(session.sim.hashAt(frame)).toBe(authority.sim.hashAt(frame));
  }
}

describe('an authority and two clients over a rough link', () => {
  it('play 1,800 frames of duel to the same end, the clients ahead, with corrections and few late inputs', () => {
    const world = new AuthorityWorld({
      game: duel,
      inputs: [seededBot(duel.input, 11), seededBot(duel.input, 22)],
      links: [ROUGH],
      authority: { frames: 1800 },
    });
    world.run(15_000);
    for (const { session } of world.clients) {
      expect(session.sim!.lastFrame()).toBeGreaterThan(world.authority.frame);
      expect(session.lead.rtt.percentile(0.5)).toBeGreaterThan(70);
    }
    world.runToEnd(30_000);
    const nowMs = world.clock.nowMs;
    for (const { session, ended, deepest } of world.clients) {
      const { missedFrames, divergences, statesTaken } = session.figures!;
      const { corrections, inputAges } = session.meter!;
      expect(ended?.cause).toBe('finished');
      expect(session.sim!.hashAt(1800)).toBe(world.authority.sim.hashAt(1800));
      expect(corrections.count).toBeGreaterThan(50);
      expect(corrections.percentile(nowMs, 1)).toBeGreaterThan(0);
      expect(inputAges.percentile(nowMs, 0.5)).toBeGreaterThan(2);
      expect(missedFrames).toBeLessThan(90);
      expect(session.stalledFrames).toBe(0);
      expect([divergences, statesTaken]).toEqual([0, 0]);
      expect(deepest).toBeLessThan(25);
      // Of 600 updates that were sent, one in twenty.
      expect(session.lostUpdates).toBeGreaterThan(15);
      expect(session.lostUpdates).toBeLessThan(50);
    }
    expect(verify(duel, readRecording(world.recording!.bytes()))).toMatchObject({ ok: true, frames: 1800 });
  });

  it('tell both pages the facts and final effects of replay, once and in order', () => {
    const world = sparksWorld({ authority: { frames: 900 }, duplicateRate: 0.2 });
    world.runToEnd(30_000);
    const truth = steppedBy(world);
    expect(truth.facts.length).toBeGreaterThan(100);
    for (const client of world.clients) {
      client.collect();
      expect(client.page.facts).toEqual(truth.facts);
      expect(client.page.finals).toEqual(truth.finals);
      expect(client.page.playing.size).toBe(0);
      expect(client.page.cancels).toBeGreaterThan(50);
    }
  });

  it('hold the state that replay gives, under any delay, loss, duplication and order of inputs and updates', () => {
    const link = fc.record({
      delayMs: fc.nat(150),
      jitterMs: fc.nat(80),
      lossRate: fc.double({ min: 0, max: 0.4, noNaN: true }),
    });
    let stale = 0;
    let corrections = 0;
    const run = fc.property(
      fc.tuple(link, link),
      fc.double({ min: 0, max: 0.5, noNaN: true }),
      fc.integer({ min: 1, max: 1000 }),
      fc.constantFrom(5, 20, 60),
      (links, duplicateRate, seed, updatesPerSecond) => {
        const inputs = [seededBot(mixerInput, seed), seededBot(mixerInput, seed + 1)];
        const world = sparksWorld({ inputs, links, duplicateRate, seed, authority: { updatesPerSecond, frames: 240 } });
        for (let step = 0; step < 40; step++) {
          world.run(100);
          expectHeld(world);
        }
        for (const player of [0, 1]) world.setLink(player, GOOD);
        world.runToEnd(20_000);
        const { hashes, facts } = steppedBy(world);
        for (const client of world.clients) {
          client.collect();
          expect(client.ended?.cause).toBe('finished');
          const held = client.session.sim!;
          for (const frame of [238, 239, 240]) expect(held.hashAt(frame)).toBe(hashes[frame]);
          const told = client.page.facts;
          // A state that was taken whole tells no facts of the frames before it.
          if (client.session.figures!.statesTaken === 0) expect(told).toEqual(facts);
          stale += client.session.figures!.staleUpdates;
          corrections += client.session.meter!.corrections.count;
        }
      },
    );
    fc.assert(run, { numRuns: 25 });
    expect(stale).toBeGreaterThan(10);
    expect(corrections).toBeGreaterThan(500);
  });

  it('agree when both change their input in every frame', () => {
    let frame = 0;
    const flip = () => ({ a: ++frame % 2 === 0, b: frame % 3 === 0 });
    const world = sparksWorld({ inputs: [flip, flip], authority: { frames: 600 } });
    world.runToEnd(20_000);
    const { hashes } = steppedBy(world);
    for (const { session } of world.clients) expect(session.sim!.hashAt(600)).toBe(hashes[600]);
  });

  it('count no late input on a link without jitter, and correct only for the other player', () => {
    const world = sparksWorld({ links: [GOOD], inputs: [bots()[0]!, () => ({})], authority: { frames: 600 } });
    world.runToEnd(20_000);
    const [one, two] = world.clients;
    expect(world.authority.figures(world.clock.nowMs).map(({ missed, late }) => [missed, late])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(one!.session.meter!.corrections.count).toBe(0);
    expect(two!.session.meter!.corrections.count).toBeGreaterThan(20);
  });

  it('play on time over a link whose round trip is longer than a join waits for its answer', () => {
    const far = { delayMs: 300, jitterMs: 5, lossRate: 0.05 };
    const world = sparksWorld({ links: [far, GOOD], authority: { frames: 900 } });
    world.run(8000);
    const { session } = world.clients[0]!;
    expect(session.sim!.lastFrame() - world.authority.frame).toBeGreaterThan(15);
    expect(session.lead.rtt.percentile(0.05)).toBeGreaterThan(580);
    world.runToEnd(20_000);
    expect(world.authority.seats[0]!.missed).toBeLessThan(60);
    expect(session.sim!.hashAt(900)).toBe(world.authority.sim.hashAt(900));
  });

  it('play on time a second after a page that froze as the match began wakes up', () => {
    // The other one joins later.
    const world = sparksWorld({ links: [ROUGH, { ...ROUGH, delayMs: 500 }] });
    world.run(20);
    world.setLink(1, ROUGH);
    world.run(280);
    // This page reads of the beginning a second late, and has no way to know how late.
    world.clients[0]!.asleepUntilMs = world.clock.nowMs + 1200;
    world.run(3000);
    const [seat] = world.authority.seats;
    const { missed } = seat!;
    expect(missed).toBeGreaterThan(30);
    world.run(3000);
    expect(seat!.missed - missed).toBeLessThan(20);
    expectHeld(world);
  });

  it('keep a client further ahead when its link gets longer, and nearer when it gets shorter', () => {
    const world = sparksWorld({ links: [GOOD] });
    const aheadMs = () => world.authority.seats[0]!.slack.percentile(world.clock.nowMs, 0.5);
    const leadFrames = () => world.clients[0]!.session.sim!.lastFrame() - world.authority.frame;
    world.run(6000);
    const near = leadFrames();
    world.setLink(0, { delayMs: 120, jitterMs: 2, lossRate: 0 });
    world.run(6000);
    expect(leadFrames() - near).toBeGreaterThanOrEqual(5);
    const { missed } = world.authority.seats[0]!;
    world.run(5000);
    expect(world.authority.seats[0]!.missed).toBe(missed);
    world.setLink(0, GOOD);
    world.run(15_000);
    expect(leadFrames() - near).toBeLessThanOrEqual(1);
    expect(aheadMs()).toBeGreaterThan(0);
    expectHeld(world);
  });

  it('stall at the limit during a silence, say so, and catch up by the newest state', () => {
    const world = sparksWorld();
    world.run(4000);
    const [client] = world.clients;
    const { session, events } = client!;
    world.setLink(0, CUT);
    world.run(3000);
    expect(events.at(-1)?.type).toBe('interrupted');
    expect(session.stalledFrames).toBeGreaterThan(60);
    expect(session.resumeLeftMs(world.clock.nowMs)).toBeGreaterThan(20_000);
    expect(session.sim!.lastFrame() - session.authorityFrame).toBeLessThan(40);
    expect(world.events.at(-1)).toEqual({ type: 'interrupted', player: 0 });
    const { missed } = world.authority.seats[0]!;
    expect(missed).toBeGreaterThan(150);
    world.setLink(0, ROUGH);
    world.run(1000);
    expect(events.at(-1)?.type).toBe('running');
    expect(session.figures!.statesTaken).toBe(1);
    expect(session.figures!.missedFrames).toBeGreaterThan(150);
    world.run(2000);
    expect(session.sim!.lastFrame()).toBeGreaterThan(world.authority.frame);
    expect(world.authority.seats[0]!.missed - missed).toBeLessThan(60);
    expectHeld(world);
  });

  it('miss no fact, effect or recorded frame by a silence that the inputs of one update reach over', () => {
    const world = sparksWorld({ authority: { frames: 1200 } });
    for (let silence = 0; silence < 6; silence++) {
      world.run(1500);
      world.setLink(0, CUT);
      world.run(200 + silence * 120);
      world.setLink(0, GOOD);
    }
    world.runToEnd(20_000);
    const truth = steppedBy(world);
    const [client] = world.clients;
    client!.collect();
    expect(client!.session.stalledFrames).toBeGreaterThan(20);
    expect(client!.session.figures!.statesTaken).toBe(0);
    expect(client!.page.facts).toEqual(truth.facts);
    expect(client!.page.finals).toEqual(truth.finals);
    expect(verify(sparks, readRecording(client!.recording!.bytes()))).toMatchObject({ ok: true, frames: 1200 });
  });

  // Of some lengths, for the states that come after them are kept in other slots.
  it.each([1400, 1450, 1500, 2500, 3500])(
    'end a recording at a silence of %i ms, and begin another one',
    (silenceMs) => {
      const world = sparksWorld();
      const [client] = world.clients;
      world.run(3000);
      const writers = [client!.recording!];
      world.setLink(0, CUT);
      world.run(500);
      const proven = client!.session.authorityFrame;
      world.run(silenceMs);
      world.setLink(0, GOOD);
      world.run(3000);
      client!.session.leave();
      writers.push(client!.recording!);
      const [before, after] = writers.map((writer) => readRecording(writer.bytes()));
      expect([before!.endReason, after!.endReason]).toEqual(['resync', 'left']);
      expect(before!.frames).toBe(proven);
      expect(after!.firstFrame).toBeGreaterThan(before!.firstFrame + before!.frames + 60);
      for (const recording of [before!, after!]) expect(verify(sparks, recording)).toMatchObject({ ok: true });
    },
  );

  it('take the corrections that arrive while they stand at the prediction limit', () => {
    const world = sparksWorld({ links: [GOOD] });
    world.run(3000);
    world.authorityAsleepUntilMs = world.clock.nowMs + 450;
    world.run(440);
    const [client] = world.clients;
    expect(client!.session.stalledFrames).toBeGreaterThan(3);
    const { count } = client!.session.meter!.corrections;
    const head = client!.session.sim!.lastFrame();
    while (client!.session.meter!.corrections.count === count) world.run(5);
    expect(client!.session.sim!.lastFrame()).toBeLessThan(head + 20);
    world.run(2000);
    expect(client!.session.sim!.lastFrame()).toBeGreaterThan(world.authority.frame);
    expectHeld(world);
  });

  it('play on past the frames that sixteen bits can name', () => {
    const quick = { ...sparks, tickRate: 240 };
    const screens = { drawsPerSecond: [240, 240] };
    const world = sparksWorld({ game: quick, links: [GOOD], authority: { updatesPerSecond: 40 }, ...screens });
    world.run((66_500 / 240) * 1000);
    expect(world.authority.frame).toBeGreaterThan(65_536 + 500);
    expectHeld(world);
    expect(world.clients[0]!.session.figures!.divergences).toBe(0);
    expect(world.authority.seats[0]!.missed).toBeLessThan(200);
  });
});

describe('an authority', () => {
  it('refuses a page that looks for a peer, in words that it understands', () => {
    const world = sparksWorld({ inputs: bots().slice(0, 1) });
    const hello = helloOf({ game: sparks, me: 1, players: 2, name: 'Bo', seed: 1, inputDelay: 0 }, false);
    world.authority.receive(0, 0, 'reliable', new TextEncoder().encode(JSON.stringify(hello)));
    world.run(100);
    expect(world.clients[0]!.ended).toMatchObject({ cause: 'refused' });
    expect(world.clients[0]!.ended?.message).toContain('authority=1');
  });

  it('refuses a page of another release, whose first message has other fields, in words', () => {
    const world = sparksWorld({ inputs: bots().slice(0, 1) });
    const join = '{"type":"join","wire":7,"something":"else"}';
    world.authority.receive(0, 0, 'reliable', new TextEncoder().encode(join));
    world.run(100);
    expect(world.clients[0]!.ended).toMatchObject({ cause: 'refused' });
    expect(world.clients[0]!.ended?.message).toContain('(wire versions 7 and 1): reload the page');
  });

  it('refuses another version of the game, in words', () => {
    const games = [{ ...sparks, version: '2' }, sparks];
    const world = sparksWorld({ games });
    world.run(500);
    expect(world.clients[0]!.ended).toMatchObject({ cause: 'refused' });
    expect(world.clients[0]!.ended?.message).toContain('different versions of sparks (2 and 1)');
    expect(world.authority.frame).toBe(0);
  });

  it('gives a page that was loaded again the running match', () => {
    const world = sparksWorld();
    world.run(3000);
    world.reload(1);
    world.run(1500);
    const { session, page } = world.clients[1]!;
    expect(session.figures!.statesTaken).toBe(1);
    expect(session.sim!.lastFrame()).toBeGreaterThan(world.authority.frame);
    expectHeld(world);
    // Nothing of what happened before is told again.
    expect(page.facts[0]!.frame).toBeGreaterThan(150);
  });

  it('goes on over a new connection of a page that lost its own', () => {
    const world = sparksWorld();
    world.run(3000);
    world.clients[0]!.ends![0].close();
    world.run(300);
    expect(world.clients[0]!.events.at(-1)?.type).toBe('interrupted');
    world.connect(0);
    world.run(1000);
    expect(world.clients[0]!.events.at(-1)?.type).toBe('running');
    expect(world.clients[0]!.session.figures!.divergences).toBe(0);
    expectHeld(world);
  });

  it('plays on without a player who left, whom the game then sees as gone on every side', () => {
    const seen: boolean[] = [];
    const game = {
      ...sparks,
      step: ((state, inputs, ctx) => {
        sparks.step(state, inputs, ctx);
        if (!ctx.players[1]!.connected) state.hash = Math.imul(state.hash, 3);
        seen.push(ctx.players[1]!.connected);
      }) as typeof sparks.step,
    };
    const world = sparksWorld({ game });
    world.run(2000);
    world.clients[1]!.session.leave();
    world.run(2000);
    expect(world.events.at(-1)).toEqual({ type: 'gone', player: 1 });
    expect(world.ended).toBeUndefined();
    expect(world.clients[0]!.session.figures!.divergences).toBe(0);
    expect(seen.at(-1)).toBe(false);
    expectHeld(world);
    world.clients[0]!.session.leave();
    world.run(200);
    expect(world.ended?.cause).toBe('peer-left');
  });

  it('has the last word over a client whose game gives another state, and counts that', () => {
    const world = sparksWorld({ games: [withFault(sparks, 200), sparks], links: [GOOD] });
    world.run(6000);
    const [one, two] = world.clients.map(({ session }) => session.figures!);
    expect(one).toMatchObject({ divergences: 1, statesTaken: 1 });
    expect(two).toMatchObject({ divergences: 0, statesTaken: 0 });
    expectHeld(world);
  });

  it('sends a state that fits no datagram in pieces, when one is needed', () => {
    const world = new AuthorityWorld({ game: largeGame, inputs: bots(), links: [ROUGH] });
    world.run(2000);
    expect(world.clients[0]!.session.figures!.statesTaken).toBe(0);
    world.reload(0);
    world.run(2500);
    const { session } = world.clients[0]!;
    expect(session.figures!.statesTaken).toBe(1);
    expect(session.sim!.lastFrame()).toBeGreaterThan(world.authority.frame);
    expect(session.sim!.hashAt(session.authorityFrame)).toBe(world.authority.sim.hashAt(session.authorityFrame));
  });

  it('counts and drops what is no message, and plays on', () => {
    const world = sparksWorld();
    world.run(1000);
    const noise = (seed: number) => Uint8Array.from({ length: seed % 40 }, (_, at) => (at * seed + (seed >> 3)) & 255);
    for (let seed = 0; seed < 300; seed++) {
      for (const channel of ['reliable', 'unreliable'] as const) {
        world.authority.receive(world.clock.nowMs, 0, channel, noise(seed));
        world.clients[1]!.session.receive(world.clock.nowMs, channel, noise(seed));
      }
    }
    expect(world.authority.droppedMessages).toBeGreaterThan(200);
    expect(world.clients[1]!.session.droppedPackets).toBeGreaterThan(200);
    world.run(2000);
    expectHeld(world);
  });
});
