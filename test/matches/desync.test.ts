import { compareRecordings, type DesyncChoice, type Game, Random, readRecording, verify } from '@riposte/shared';
import { duel } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { PlantedFault } from '../../client/src/demo/planted-fault.js';
import { seededBot } from '../../client/src/input/bot.js';
import { withFault } from '../../client/src/match/fault.js';
import { type mixer, mixerInput } from '../../shared/testing/mixer.js';
import { Pair } from '../simulation/pair.js';
import { Party } from '../simulation/party.js';
import { partyGame } from '../simulation/party-game.js';

type State = ReturnType<typeof duel.state.create>;
type Input = ReturnType<typeof duel.input.create>;
type PartyState = ReturnType<typeof mixer.state.create>;
type PartyInput = ReturnType<typeof mixer.input.create>;

const FAULT = 600;
const isExhaustive = process.env['THOROUGH'] === 'true';

/** A duel of which one side goes wrong, over a link that loses packets and moves their times. */
function faultyPair(
  choice: DesyncChoice | undefined,
  faulty: 0 | 1,
  frames = 1500,
  fault: number | (() => number) = FAULT,
): Pair<State, Input> {
  const game: Game<State, Input> = choice === undefined ? duel : { ...duel, desync: choice };
  const bad = withFault(game, fault);
  return new Pair<State, Input>({
    game,
    games: faulty === 0 ? [bad, game] : [game, bad],
    inputs: [seededBot(duel.input, 11), seededBot(duel.input, 22)],
    link: { delayMs: 60, jitterMs: 20, lossRate: 0.05 },
    frames,
  });
}

const both = [0, 1] as const;

describe('two peers that part', () => {
  it.each(both)('record both states right after the bad frame, whoever went wrong: player %i', (faulty) => {
    const pair = faultyPair(undefined, faulty);
    pair.runToEnd(60_000);
    const [a, b] = pair.recordings.map((writer) => readRecording(writer!.bytes()));
    for (const { keyframes, problem } of [a!, b!]) {
      expect(problem).toBeNull();
      expect(keyframes.map(({ frame }) => frame)).toContain(FAULT + 1);
    }
    const found = compareRecordings(a!, b!, duel);
    expect(found).toMatchObject({ kind: 'state', frame: FAULT, fieldsFrame: FAULT + 1, fieldsFrom: 'keyframe' });
    expect(found.fields).toHaveLength(1);
    expect(found.replayAgreesWith).toBe(faulty === 0 ? 'b' : 'a');
  });

  it.each(both)('leave a whole recording where the page of player %i leaves as it is told', (me) => {
    const pair = faultyPair('mark', 0);
    const { session } = pair.peers[me];
    pair.peers[me].onEvent = ({ type, ...told }) => {
      if (type === 'desync') session.leave();
      if (type === 'ended') pair.recordings[me]!.end('cause' in told ? told.cause : type);
    };
    pair.run(30_000);
    const recording = readRecording(pair.recordings[me]!.bytes());
    expect(recording).toMatchObject({ complete: true, endReason: 'left', problem: null });
    expect(recording.frames).toBe(session.driver!.checker.newest + 1);
    expect(recording.frames).toBeGreaterThan(FAULT);
    expect(session.sim!.stats.rollbacks).toBeGreaterThan(0);
  });

  it('play on to the end where the game marks it, and call the match void', () => {
    const pair = faultyPair('mark', 1);
    pair.runToEnd(60_000);
    for (const { session, ended } of pair.peers) {
      expect(session.driver!.checker.newest).toBe(1499);
      expect(ended).toMatchObject({ cause: 'finished', message: expect.stringContaining('void') });
    }
  });

  it.each(both)('stop at one frame soon after where the game says so: player %i went wrong', (faulty) => {
    const pair = faultyPair('stop', faulty);
    pair.runToEnd(60_000);
    const [one, two] = pair.peers.map(({ session }) => session.driver!);
    expect(one!.endFrame).toBe(two!.endFrame);
    expect(one!.endFrame).toBeGreaterThan(FAULT);
    expect(one!.endFrame).toBeLessThan(FAULT + 60);
    for (const { session, ended } of pair.peers) {
      expect(session.desync).toEqual({ frame: FAULT });
      expect(session.sim!.lastFrame()).toBe(one!.endFrame - 1);
      expect(ended).toEqual({
        type: 'ended',
        cause: 'finished',
        message: 'The match is void: the two machines parted at frame 600.',
      });
    }
    const frames = pair.recordings.map((writer) => readRecording(writer!.bytes()).frames);
    expect(frames).toEqual([one!.endFrame, one!.endFrame]);
  });

  it.each(both)('go on from the state of player 0 where the game says so: player %i went wrong', (faulty) => {
    const pair = faultyPair('resync', faulty);
    pair.runToEnd(60_000);
    const [one, two] = pair.peers.map(({ session }) => session.driver!);
    const from = two!.firstFrame;
    expect(from).toBeGreaterThan(FAULT);
    expect(from).toBeLessThan(FAULT + 60);
    expect(one!.firstFrame).toBe(0);
    for (let frame = from; frame <= 1500; frame++) expect(one!.hashAt(frame)).toBe(two!.hashAt(frame));
    for (const { session, ended } of pair.peers) {
      expect(session.desync).toEqual({ frame: FAULT });
      expect(session.comparedFrames).toBe(1500 - session.driver!.firstFrame);
      expect(ended).toMatchObject({ cause: 'finished', message: expect.stringContaining('frame 600') });
    }
  });

  it('part where the player of one asks for it, once, and not before', () => {
    const fault = new PlantedFault();
    const pair = faultyPair('stop', 1, 1500, fault.at);
    pair.run(8000);
    const { session } = pair.peers[1];
    expect(fault.frame ?? session.desync).toBeNull();
    const planted = session.sim!.lastFrame();
    fault.plant(planted);
    fault.plant(planted + 100);
    pair.runToEnd(60_000);
    expect(fault.frame).toBeGreaterThan(planted);
    expect(fault.frame).toBeLessThan(planted + 60);
    for (const peer of pair.peers) expect(peer.session.desync).toEqual({ frame: fault.frame });
  });

  it('are mended a few times only where they part again and again', () => {
    const game: Game<State, Input> = { ...duel, desync: 'resync' };
    const bad: Game<State, Input> = {
      ...game,
      step(state, inputs, ctx) {
        duel.step(state, inputs, ctx);
        if (ctx.frame % 60 === 0) state.fighters[1]!.hitsLanded ^= 1;
      },
    };
    const pair = new Pair<State, Input>({
      game,
      games: [game, bad],
      inputs: [seededBot(duel.input, 11), seededBot(duel.input, 22)],
      link: { delayMs: 40, jitterMs: 0, lossRate: 0 },
      frames: 1500,
    });
    pair.runToEnd(90_000);
    for (const { session, ended } of pair.peers) {
      expect(session.desync).toEqual({ frame: 0 });
      expect(ended).toMatchObject({ cause: 'finished' });
    }
    const restarts = pair.peers[1].events.filter(({ type }) => type === 'running').length;
    expect(restarts).toBe(9);
  });
});

/** A party whose players go wrong in a frame of their own, where they have one in `faults`. */
function faultyParty(
  desync: DesyncChoice,
  players: number,
  faults: ReadonlyMap<number, number>,
  { link = { delayMs: 60, jitterMs: 20, lossRate: 0.05 }, seed = 1, frames = 1500 } = {},
): { readonly match: Party<PartyState, PartyInput>; readonly games: Game<PartyState, PartyInput>[] } {
  const game: Game<PartyState, PartyInput> = { ...partyGame, desync };
  const games = Array.from({ length: players }, (_, player) => {
    const frame = faults.get(player);
    return frame === undefined ? game : withFault(game, frame);
  });
  const input = (player: number) => seededBot(mixerInput, seed * 8 + player + 1);
  return { games, match: new Party({ game, games, players, link, frames, seed, inputDelay: 2, input }) };
}

/** All are to the end in one match of equal states; each recording can be run again by its own player's game. */
function expectMended({ match, games }: ReturnType<typeof faultyParty>, frames: number): void {
  const last = match.peers.map(({ session }) => session.driver?.hashAt(frames));
  expect(new Set(last).size).toBe(1);
  expect(last[0]).toBeDefined();
  for (const { me, ended, recordings } of match.peers) {
    expect(ended?.cause).toBe('finished');
    for (const writer of recordings) {
      const recording = readRecording(writer.bytes());
      expect(recording.problem).toBeNull();
      expect(verify(games[me]!, recording).firstMismatch).toBeNull();
    }
  }
}

describe('more than two that part', () => {
  it.each<[string, number, [number, number][]]>([
    ['the first of three went wrong', 3, [[0, 300]]],
    ['the last of three went wrong', 3, [[2, 300]]],
    [
      'two of four went wrong, each in its own way and frame',
      4,
      [
        [1, 308],
        [3, 300],
      ],
    ],
    ['one of eight went wrong', 8, [[5, 300]]],
  ])('stop at one frame soon after the first that differs where the game says so: %s', (_, players, faults) => {
    const { match } = faultyParty('stop', players, new Map(faults));
    match.runToEnd(60_000);
    for (const { session, ended, recordings } of match.peers) {
      expect(session.desync).toEqual({ frame: 300 });
      expect(ended).toEqual({
        type: 'ended',
        cause: 'finished',
        message: 'The match is void: the two machines parted at frame 300.',
      });
      expect([session.sim!.lastFrame(), recordings.length]).toEqual([420, 1]);
      expect(readRecording(recordings[0]!.bytes()).frames).toBe(421);
    }
  });

  it.each<[string, number, number[], [number, number][]]>([
    ['the last of three went wrong', 3, [2], [[2, 300]]],
    ['the first of three went wrong', 3, [1, 2], [[0, 300]]],
    [
      'the first and two others of eight went wrong',
      8,
      [1, 2, 3, 4, 5, 6, 7],
      [
        [0, 300],
        [4, 304],
        [6, 320],
      ],
    ],
  ])('go on from the state of player 0 where the game says so: %s', (_, players, takers, faults) => {
    const party = faultyParty('resync', players, new Map(faults), { frames: 700 });
    const { peers } = party.match;
    party.match.runToEnd(60_000);
    expectMended(party, 700);
    for (const { me, session, ended, events, recordings } of peers) {
      const { firstFrame } = session.driver!;
      expect([session.desync, ended?.message]).toEqual([{ frame: 300 }, expect.stringContaining('void')]);
      if (takers.includes(me))
        expect([firstFrame > 300, firstFrame < 420, recordings.length > 1]).toEqual([true, true, true]);
      else expect([firstFrame, recordings.length]).toEqual([0, 1]);
      // Nobody leaves the match for it, and every later frame is compared.
      expect(events.some((event) => event.type === 'presence' && event.presence !== 'here')).toBe(false);
      expect(session.comparedFrames).toBe(700 - firstFrame);
    }
  });

  it('are mended whoever of them goes wrong, over whatever link, also where one comes back to it in between', () => {
    const luck = new Random(new Int32Array(2), 0);
    luck.seed(6);
    for (let seed = 1; seed <= (isExhaustive ? 100 : 2); seed++) {
      const players = 3 + luck.below(isExhaustive ? 6 : 3);
      const faults = new Map(
        Array.from({ length: 1 + luck.below(players) }, () => [luck.below(players), 200 + luck.below(100)] as const),
      );
      const delayMs = [10, 60, 150, 250][luck.below(4)]!;
      const link = { delayMs, jitterMs: delayMs / 3, lossRate: [0, 0.05, 0.12][luck.below(3)]! };
      const party = faultyParty('resync', players, faults, { link, seed, frames: 700 });
      party.match.run(3000 + luck.below(3000));
      if (luck.below(2) === 1) party.match.reload(luck.below(players));
      party.match.runToEnd(90_000);
      expectMended(party, 700);
    }
  });
});
