import { compareRecordings, type Recording, readRecording, verify } from '@riposte/shared';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { type mixer, mixerInput } from '../../shared/testing/mixer.js';
import { Party, type PartyOptions } from '../simulation/party.js';
import { partyGame } from '../simulation/party-game.js';

type State = ReturnType<typeof mixer.state.create>;
type Input = ReturnType<typeof mixer.input.create>;

function party(players: number, options: Partial<PartyOptions<State, Input>> = {}): Party<State, Input> {
  return new Party<State, Input>({
    game: partyGame,
    players,
    link: { delayMs: 40, jitterMs: 8, lossRate: 0.05 },
    input: (player) => seededBot(mixerInput, player + 1),
    ...options,
  });
}

/** All of these have the same confirmed frames, more than `frames` of them, by rollbacks and with other states. */
function expectAgreement({ peers }: Party<State, Input>, players: readonly number[], frames: number): void {
  const sessions = players.map((player) => peers[player]!.session);
  const newest = Math.min(...sessions.map(({ driver }) => driver!.checker.newest));
  expect(newest).toBeGreaterThanOrEqual(frames);
  const first = Math.max(...sessions.map(({ driver }) => driver!.firstFrame));
  const hashes = new Set<number>();
  for (let frame = first; frame <= newest; frame++) {
    const all = sessions.map(({ driver }) => driver!.checker.chainOf(frame));
    expect(
      all.every((chain) => chain === all[0]),
      `frame ${frame}: ${all}`,
    ).toBe(true);
    hashes.add(sessions[0]!.driver!.checker.hashOf(frame)!);
  }
  expect(hashes.size).toBeGreaterThan((newest - first) / 2);
  for (const { desync, sim } of sessions) {
    expect(desync).toBeNull();
    expect(sim!.stats.rollbacks).toBeGreaterThan(5);
  }
}

/** The newest recordings of these: each runs again as it says, and any two say the same of the frames that both hold. */
function expectSoundRecordings({ peers }: Party<State, Input>, players: readonly number[]): Recording[] {
  const recordings = players.map((player) => readRecording(peers[player]!.recordings.at(-1)!.bytes()));
  for (const recording of recordings) {
    expect(verify(partyGame, recording)).toMatchObject({ ok: true, frames: recording.frames });
    expect(compareRecordings(recordings[0]!, recording, partyGame)).toMatchObject({ same: true });
  }
  return recordings;
}

describe('a match of more than two', () => {
  it.each([3, 4, 8])('is played by %i to the same end, with rollbacks and every frame compared', (players) => {
    const match = party(players, { frames: 600 });
    match.runToEnd(60_000);
    for (const { ended, session } of match.peers) {
      expect(ended?.cause).toBe('finished');
      expect(session.comparedFrames).toBe(600);
      expect(session.droppedPackets).toBe(0);
    }
    expectAgreement(
      match,
      match.peers.map(({ me }) => me),
      599,
    );
    // Nobody ran away: at 60 a second, the start and the end aside.
    expect(match.clock.nowMs).toBeLessThan(11_500);
  });

  it('goes on over a third player when two do not hear each other, one way or both', () => {
    for (const ways of [
      [[0, 1]],
      [
        [0, 1],
        [1, 0],
      ],
    ] as const) {
      const match = party(3, { link: { delayMs: 20, jitterMs: 5, lossRate: 0.05 } });
      match.run(2000);
      for (const [from, to] of ways) match.silence(from, to);
      match.run(1000);
      const stood = match.peers.map(({ session }) => session.sim!.lastFrame());
      const stalls = match.peers.map(({ session }) => session.driver!.stalledFrames);
      match.run(12_000);
      for (const { me, session, events } of match.peers) {
        expect(session.sim!.lastFrame() - stood[me]!).toBeGreaterThan(700);
        expect(session.driver!.stalledFrames - stalls[me]!).toBeLessThan(60);
        expect(events.some(({ type }) => type === 'ended')).toBe(false);
        expect(session.presenceOf((me + 1) % 3)).toBe('here');
      }
      expectAgreement(match, [0, 1, 2], 800);
    }
  });

  it.each([
    [3, 2],
    [3, 0],
    [4, 1],
    [8, 0],
  ])('of %i plays on without player %i, who is killed, once its last frame is agreed', (players, lost) => {
    const match = party(players);
    match.run(3000);
    match.kill(lost);
    match.run(4500);
    const living = match.peers.map(({ me }) => me).filter((me) => me !== lost);
    for (const me of living) expect(match.peers[me]!.session.presenceOf(lost)).toBe('interrupted');
    match.run(6000);
    for (const me of living) {
      const { session, events } = match.peers[me]!;
      expect(session.presenceOf(lost)).toBe('gone');
      expect(events.filter(({ type }) => type === 'interrupted' || type === 'running').at(-1)?.type).toBe('running');
    }
    const gone = living.map((me) => match.peers[me]!.session.sim!.absenceAfter(lost, 0));
    for (const absence of gone) expect(absence).toEqual(gone[0]);
    expectAgreement(match, living, 400);
  });

  it('survives two deaths at once, also that of the one who leads', () => {
    const match = party(5);
    match.run(3000);
    match.kill(0);
    match.run(60);
    match.kill(3);
    match.run(12_000);
    for (const me of [1, 2, 4]) {
      expect([0, 3].map((lost) => match.peers[me]!.session.presenceOf(lost))).toEqual(['gone', 'gone']);
    }
    expectAgreement(match, [1, 2, 4], 400);
    const [{ absences } = { absences: [] }] = expectSoundRecordings(match, [1, 2, 4]);
    expect(absences.at(-1)?.gone).toBe(0b01001);
  });

  it('ends, with a reason, for the side that has no majority, and goes on for the other', () => {
    const match = party(4);
    match.run(3000);
    match.partition([0, 3]);
    match.run(15_000);
    for (const me of [1, 2])
      expect(match.peers[me]!.ended).toMatchObject({
        cause: 'lost',
        message: expect.stringMatching(/most of the players/),
      });
    for (const me of [0, 3]) expect(match.peers[me]!.ended).toBeUndefined();
    expectAgreement(match, [0, 3], 700);
  });

  it('goes on at once without a player who leaves, and ends when nobody else is left', () => {
    const match = party(3);
    match.run(3000);
    match.peers[1]!.session.leave();
    match.run(1500);
    for (const me of [0, 2]) expect(match.peers[me]!.session.presenceOf(1)).toBe('gone');
    match.run(1000);
    expectAgreement(match, [0, 2], 250);
    match.peers[0]!.session.leave();
    match.run(1000);
    expect(match.peers[2]!.ended?.cause).toBe('peer-left');
  });

  it('does not wait for a player whose own word that it leaves comes late, when others have passed it on', () => {
    const match = party(4, { link: { delayMs: 40, jitterMs: 0, lossRate: 0 } });
    match.run(3000);
    match.silence(2, 1);
    match.peers[2]!.session.leave();
    // The others have passed it on, and nothing is settled, when the one who leads is gone.
    match.run(100);
    match.kill(0);
    match.run(8000);
    for (const me of [1, 3]) {
      expect(match.peers[me]!.ended).toBeUndefined();
      for (const other of [0, 2]) expect(match.peers[me]!.session.presenceOf(other)).toBe('gone');
    }
    expectAgreement(match, [1, 3], 200);
  });

  it.each([0, 1, 2])('takes player %i in again after a reload, from one frame on that all agree on', (player) => {
    const match = party(3);
    match.run(3000);
    match.reload(player);
    match.run(8000);
    const all = [0, 1, 2];
    for (const me of all) {
      for (const other of all) if (me !== other) expect(match.peers[me]!.session.presenceOf(other)).toBe('here');
    }
    const absences = all.map((me) => match.peers[me]!.session.sim!.absenceAfter(player, 0));
    expect(absences[0]?.[1]).toBeGreaterThan(0);
    for (const absence of absences) expect(absence?.[1]).toBe(absences[0]?.[1]);
    const before = match.peers[player]!.session.sim!.heldThrough(player);
    match.run(3000);
    expect(match.peers[player]!.session.sim!.heldThrough(player)).toBeGreaterThan(before + 150);
    expectAgreement(match, all, 600);
    const recordings = expectSoundRecordings(match, all);
    expect(recordings[(player + 1) % 3]!.absences.map(({ gone }) => gone)).toEqual([1 << player, 0]);
  });

  it('takes a player in again who slept for longer than the others wait', () => {
    const match = party(3);
    match.run(3000);
    match.peers[2]!.asleepUntilMs = match.clock.nowMs + 10_000;
    match.run(9000);
    expect(match.peers[0]!.session.presenceOf(2)).toBe('gone');
    match.run(8000);
    for (const me of [0, 1]) expect(match.peers[me]!.session.presenceOf(2)).toBe('here');
    expectAgreement(match, [0, 1, 2], 800);
  });
});
