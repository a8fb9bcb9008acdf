import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandIo } from '../../testing/command-io.js';
import type { JoinAuthorityOptions } from '../authority/join-authority.js';
import type { JoinOptions, Match, MatchEvents, MatchStatus } from '../match/match.js';
import { MatchError } from '../match/match-error.js';
import { blankStatus } from '../match/status.js';
import type { WatchMatchOptions } from '../match/watch.js';
import type { WebRtc } from '../transport/simple-peer.js';
import type { AnyGame } from './games.js';
import { type PeerServices, peerCommand } from './peer.js';
import { run } from './run.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'riposte-peer-'));
});
afterAll(() => rm(folder, { recursive: true }));

// The fake match connects nothing: whatever stands for WebRTC is only handed on.
const wrtc = { marker: 'wrtc' } as unknown as WebRtc;

const FINISHED: MatchStatus = { ...blankStatus, phase: 'ended', frame: 99, confirmedFrame: 99, cause: 'finished' };

/** A match that is over as soon as somebody listens. */
function endedMatch(game: AnyGame, status: MatchStatus): Match<unknown, unknown> {
  return {
    me: 0,
    game,
    status: () => status,
    on<E extends keyof MatchEvents>(_event: E, _listener: MatchEvents[E]) {
      return () => {};
    },
    stateAt: () => game.state.create(),
    hashAt: (frame) => frame * 1000,
    recording: async () => Uint8Array.of(1, 2, 3),
    report: async () => Uint8Array.of(4, 5),
    setInputDelay: () => undefined,
    route: async () => null,
    pause: () => {},
    resume: () => {},
    rematch: async () => {},
    leave: () => {},
  };
}

/** Plays by `outcome` instead of the network. */
async function peer(line: string, outcome: MatchStatus | Error = FINISHED, services: Partial<PeerServices> = {}) {
  let joined: JoinOptions<unknown, unknown> | undefined;
  let against: JoinAuthorityOptions<unknown, unknown> | undefined;
  let watched: WatchMatchOptions<unknown> | undefined;
  const { io, written } = commandIo();
  const command = peerCommand({
    async join(game, options) {
      joined = options;
      options.onRoom?.({ code: 'K7PQ2M', link: 'http://localhost/?room=K7PQ2M' });
      if (outcome instanceof Error) throw outcome;
      return endedMatch(game, outcome);
    },
    async joinAuthority(game, options) {
      against = options;
      return endedMatch(game, FINISHED);
    },
    async watch(game, options) {
      watched = options;
      return endedMatch(game, FINISHED);
    },
    webRtc: async () => wrtc,
    pause: async () => {},
    ...services,
  });
  const code = await run(['peer', ...line.split(' ').filter((arg) => arg !== '')], io, [command]);
  return { code, ...written(), joined, against, watched };
}

const SERVER = '--server http://localhost:8080 --game race';

describe('riposte peer', () => {
  it('plays against an authority in a room that one made, and in no other', async () => {
    const { code, joined, against } = await peer(`${SERVER} --room k7pq2m --authority --bot 3`);
    expect([code, joined]).toEqual([0, undefined]);
    expect(against).toMatchObject({ room: 'k7pq2m', server: 'http://localhost:8080', name: 'Bot 3' });
    const wrong = await peer(`${SERVER} --create --authority`);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('--authority is given without --room');
  });

  it('watches the match of a room, as far behind as asked', async () => {
    const { code, joined, watched } = await peer(`${SERVER} --watch K7PQ2M --delay 120`);
    expect([code, joined]).toEqual([0, undefined]);
    expect(watched).toMatchObject({ room: 'K7PQ2M', delay: 120, name: 'Headless spectator', wrtc });
    const wrong = await peer(`${SERVER} --watch K7PQ2M --bot 3`);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('--watch and --bot are given');
    expect((await peer(`${SERVER} --watch K7PQ2M --delay 601`)).code).toBe(2);
  });

  it('hands the command line on to the match', async () => {
    const { joined } = await peer(`${SERVER} --room 2E4567 --frames 100 --delay 3 --fault 60 --transport simple-peer`);
    expect(joined).toMatchObject({
      server: 'http://localhost:8080',
      room: '2E4567',
      frames: 100,
      inputDelay: 3,
      fault: 60,
      transport: 'simple-peer',
      wrtc,
    });
    expect(joined!.input()).toEqual({});
    expect((await peer(`${SERVER} --quick`)).joined).toMatchObject({ quick: true, inputDelay: 'auto' });
    expect((await peer(`${SERVER} --create --relay-only`)).joined).toMatchObject({ create: true, relayOnly: true });
  });

  it('plays with as many as --players says, the race then as the game that takes them', async () => {
    const games: string[] = [];
    const services: Partial<PeerServices> = {
      async join(game) {
        games.push(game.id);
        return endedMatch(game, FINISHED);
      },
    };
    expect((await peer(`${SERVER} --create --players 3`)).joined).toMatchObject({ create: true, players: 3 });
    for (const players of ['', '--players 2', '--players 3', '--players 4']) {
      expect((await peer(`${SERVER} --create ${players}`, FINISHED, services)).code).toBe(0);
    }
    expect(games).toEqual(['race', 'race', 'race4', 'race4']);
  });

  it('presses seeded inputs with --bot', async () => {
    const { joined } = await peer(`${SERVER} --quick --bot 7`);
    const pressed = new Set(Array.from({ length: 200 }, () => JSON.stringify(joined!.input())));
    expect(pressed.size).toBe(2);
  });

  it('prints the room first and the final status last', async () => {
    const plain = await peer(`${SERVER} --create --frames 100`);
    expect(plain).toMatchObject({ code: 0, err: '' });
    expect(plain.out).toMatch(/^room K7PQ2M\n100 frames confirmed, .*final hash 000186a0\n$/);
    const { code, out, err } = await peer(`${SERVER} --create --frames 100 --json`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines: unknown[] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([{ room: 'K7PQ2M' }, { ...FINISHED, finalHash: 100_000, route: null }]);
    expect((await peer(`${SERVER} --room K7PQ2M`)).out).not.toContain('room');
  });

  it('exits 1 on a desync, on a lost peer, and on an end that was not asked for', async () => {
    const code = async (status: Partial<MatchStatus>, line = '') =>
      (await peer(`${SERVER} --quick ${line}`, { ...FINISHED, ...status })).code;
    expect(await code({})).toBe(0);
    expect(await code({ desync: { frame: 60 } })).toBe(1);
    expect(await code({ cause: 'lost' })).toBe(1);
    expect(await code({ cause: 'peer-left' })).toBe(1);
    expect(await code({ cause: 'left' }, '--frames 100')).toBe(1);
    expect(await code({ cause: 'left' })).toBe(0);
    const refused = await peer(`${SERVER} --quick --json`, new MatchError('refused', 'Another version: reload both.'));
    expect(refused).toMatchObject({ code: 1, err: '' });
    expect(JSON.parse(refused.out)).toMatchObject({
      phase: 'failed',
      reason: 'Another version: reload both.',
      finalHash: null,
      route: null,
    });
  });

  it('writes the recording before it ends', async () => {
    const file = join(folder, 'match.rpl');
    expect((await peer(`${SERVER} --quick --record ${file}`)).code).toBe(0);
    expect([...(await readFile(file))]).toEqual([1, 2, 3]);
  });

  it.each([
    ['--game race --quick', '--server is not given'],
    ['--game race --quick --server localhost', '--server is "localhost"; expected an address such as http://'],
    ['--server http://localhost --quick', '--game is not given; expected a built-in game or a game file'],
    [SERVER, 'none is given; expected exactly one of --room CODE, --create and --quick'],
    [`${SERVER} --room ABCDEF --quick`, '--room and --quick is given'],
    [`${SERVER} --quick --frames 0`, '--frames is "0"; expected an integer from 1 to'],
    [`${SERVER} --create --players 9`, '--players is "9"; expected an integer from 2 to 8'],
    [`${SERVER} --create --players 5`, '--players is 5; expected at most 4, as race4 takes'],
    ['--server http://localhost --game duel --create --players 3', '--players is 3; expected at most 2, as duel takes'],
    [`${SERVER} --quick --bot x`, '--bot is "x"; expected an integer from 0 to 4294967295'],
    [`${SERVER} --quick --delay 16`, '--delay is "16"; expected an integer from 0 to 15'],
    [`${SERVER} --quick --bot 1 --bot 2`, '--bot is given 2 times; expected once'],
    [`${SERVER} --quick --transport pigeon`, '--transport is "pigeon"; expected simple-peer'],
    [
      `${SERVER} --quick --record /absent/folder/x.rpl`,
      '/absent/folder cannot be used: there is no such file or folder',
    ],
    [`${SERVER} --quick --record ${tmpdir()}`, `--record is "${tmpdir()}", which is a folder; expected a file`],
    [
      `${SERVER} --quick --report ${import.meta.filename}/x.report`,
      `${import.meta.filename} cannot be used: there is a file of that name`,
    ],
    [`${SERVER} --quick --relayOnly`, 'unknown option "--relayOnly"; expected --server, --room'],
    [`${SERVER} --quick --no-json`, 'unknown option "--no-json"'],
    [`${SERVER} --room K7PQ2M --relay-only`, '--room and --relay-only are given; expected one of them'],
    [`${SERVER} --room K7PQ2M --authority --frames 9`, '--authority and --frames are given; expected one of them'],
    [`${SERVER} --watch K7PQ2M --report a.rpr`, '--watch and --report are given; expected one of them'],
  ])('refuses "%s" in words, before anything is connected', async (line, message) => {
    const { code, out, err, joined } = await peer(line);
    expect({ code, out, joined }).toEqual({ code: 2, out: '', joined: undefined });
    expect(err).toContain(message);
  });

  it('says which package is missing where there is no WebRTC', async () => {
    const webRtc = () => Promise.reject(new Error('Cannot find package'));
    const { code, err } = await peer(`${SERVER} --quick`, FINISHED, { webRtc });
    expect(code).toBe(2);
    expect(err).toBe('riposte: WebRTC for Node is missing: install the package @roamhq/wrtc, and try again\n');
  });
});
