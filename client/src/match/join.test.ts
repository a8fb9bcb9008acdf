import { getEventListeners } from 'node:events';
import { race } from '@riposte/shared/games';
import { type RunningServer, startServer } from '@riposte/signaling';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { joinAuthority } from '../authority/join-authority.js';
import type { Pairing } from '../lobby/room.js';
import { loopbackPair } from '../transport/loopback.js';
import type { Transport } from '../transport/transport.js';
import { TransportError } from '../transport/transport-error.js';
import type { ConnectOptions } from './connect.js';
import { joinMatch } from './join.js';
import type { Match, MatchOptions, Phase } from './match.js';
import { watchMatch } from './watch.js';

type State = ReturnType<typeof race.state.create>;
type Input = ReturnType<typeof race.input.create>;
type Options = Partial<MatchOptions<State, Input>>;

/** A connection that is being made: its two ends meet here, in place of WebRTC. */
const attempts: { isUnderWay: boolean }[] = [];
const ends: Transport[] = [];
/** By room: the end that the other side has still to come for. */
const waiting = new Map<string, Transport>();
/** Connections do not come about any more. */
let isCut = false;

vi.mock('./connect.js', () => ({
  connectPeer: ({ room }: Pairing, { signal }: ConnectOptions): Promise<Transport> =>
    new Promise((resolve, reject) => {
      const attempt = { isUnderWay: true };
      attempts.push(attempt);
      signal?.addEventListener('abort', () => {
        attempt.isUnderWay = false;
        reject(new TransportError('aborted', 'Connecting was cancelled.'));
      });
      if (isCut) return;
      const pair = loopbackPair((delayMs, run) => void setTimeout(run, delayMs + 5));
      const end = waiting.get(room) ?? pair[0];
      if (!waiting.delete(room)) waiting.set(room, pair[1]);
      ends.push(end);
      attempt.isUnderWay = false;
      resolve(end);
    }),
}));

let server: RunningServer;
let url: string;
const matches: Match<State, Input>[] = [];

beforeEach(async () => {
  server = await startServer({ port: 0, host: '127.0.0.1', logLevel: 'silent', stunUrls: [] });
  url = `http://127.0.0.1:${server.port}`;
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(async () => {
  for (const match of matches.splice(0)) match.leave();
  attempts.length = 0;
  ends.length = 0;
  waiting.clear();
  isCut = false;
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  await server.close();
});

const input = () => ({});

/** Two who play; `first` and `second` are the options of each. Two addresses of one server keep their seats apart. */
async function pair(first: Options = {}, second: Options = {}): Promise<Match<State, Input>[]> {
  let joined: Promise<Match<State, Input>> | undefined;
  const onRoom = ({ code }: { code: string }): void => {
    joined = joinMatch(race, { server: `${url}/`, room: code, input, ...second });
    joined.catch(() => undefined);
  };
  matches.push(await joinMatch(race, { server: url, create: true, input, onRoom, ...first }));
  if (joined !== undefined) matches.push(await joined);
  return matches;
}

/** The seats that pages have kept, by what they are kept under; none of them is taken back. */
function keptSeats(): Map<string, string> {
  const kept = new Map<string, string>();
  const getItem = () => null;
  const setItem = (key: string, text: string) => kept.set(key, text);
  vi.stubGlobal('sessionStorage', { getItem, setItem, removeItem: (key: string) => kept.delete(key) });
  return kept;
}

describe('joining a match', () => {
  it.each([
    ['settings.speed is NaN', { settings: { speed: Number.NaN } }],
    ['settings.level is [object Object]', { settings: { level: {} } as never }],
    ['settings is 65 entries', { settings: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`s${at}`, at])) }],
    ['frames is 1.5', { frames: 1.5 }],
    ['inputDelay is 20', { inputDelay: 20 }],
    ['name is xxx', { name: 'x'.repeat(25) }],
  ] satisfies [string, Options][])('says at once that %s', async (words, options) => {
    const onPhase = vi.fn();
    const joining = joinMatch(race, { server: url, create: true, input, onPhase, ...options });
    await expect(joining).rejects.toMatchObject({ code: 'bad-argument', message: expect.stringContaining(words) });
    expect(onPhase).not.toHaveBeenCalled();
  });

  it('is not hindered by a page whose listeners throw', async () => {
    const bug = new TypeError('a bug of the page');
    const fail = (): void => {
      throw bug;
    };
    const all = await pair({ onPhase: fail, onSeats: fail }, { onPhase: fail, onSeats: fail, onRoom: fail });
    expect(all.map((match) => match.status().phase)).toEqual(['running', 'running']);
    expect(console.error).toHaveBeenCalledWith(bug);
  });

  it.each([
    ['connecting', 1],
    ['lobby', 1],
    ['connecting', 2],
    ['syncing', 1],
    ['running', 1],
  ] satisfies [Phase, number][])(
    'is aborted when %s is told, time %i: it rejects, and keeps nothing',
    async (at, time) => {
      const kept = keptSeats();
      const abort = new AbortController();
      let times = 0;
      const onPhase = (phase: Phase): void => {
        if (phase === at && ++times === time) abort.abort();
      };
      await expect(pair({ signal: abort.signal, onPhase })).rejects.toMatchObject({ code: 'aborted' });
      await vi.waitFor(() => expect(getEventListeners(abort.signal, 'abort')).toEqual([]));
      expect(kept.has(`riposte.seat race ${url}`)).toBe(false);
      expect(attempts.some(({ isUnderWay }) => isUnderWay)).toBe(false);
    },
  );

  it('ends with no connection under way when a player leaves while one is made anew', async () => {
    const { signal } = new AbortController();
    const all = await pair({ signal }, { signal });
    isCut = true;
    for (const end of ends) end.close();
    await vi.waitFor(() => expect(attempts.filter(({ isUnderWay }) => isUnderWay)).toHaveLength(2), 5000);
    for (const match of all) match.leave();
    await vi.waitFor(() => expect(attempts.some(({ isUnderWay }) => isUnderWay)).toBe(false));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('joining a match of an authority', () => {
  it('closes its connection to the server when an option cannot be', async () => {
    const { signal } = new AbortController();
    const joining = joinAuthority(race, { server: url, room: 'ABCDEF', input, inputDelay: 99, signal });
    await expect(joining).rejects.toMatchObject({ code: 'bad-argument' });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('watching a match', () => {
  async function watched(options: { onPhase?: (phase: Phase) => void; record?: boolean; game?: typeof race } = {}) {
    const [player] = await pair();
    const { game = race, ...rest } = options;
    const match = await watchMatch(game, { server: url, room: player!.status().room ?? '', ...rest });
    matches.push(match);
    return match;
  }

  it('ends in the words of the room when the players go before the first frame', async () => {
    const abort = new AbortController();
    const room = new Promise<string>((resolve) => {
      const onRoom = ({ code }: { code: string }): void => resolve(code);
      joinMatch(race, { server: url, create: true, input, signal: abort.signal, onRoom }).catch(() => undefined);
    });
    const { signal } = new AbortController();
    const onPhase = (phase: Phase): void => {
      if (phase === 'lobby') abort.abort();
    };
    const watching = watchMatch(race, { server: url, room: await room, signal, onPhase });
    await expect(watching).rejects.toMatchObject({ code: 'peer-gone' });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends in words when the game throws in a step', async () => {
    const bug = new TypeError('no such car');
    const broken = {
      ...race,
      step: () => {
        throw bug;
      },
    };
    const match = await watched({ game: broken });
    await vi.waitFor(() => expect(match.status().phase).toBe('failed'), 5000);
    expect(match.status()).toMatchObject({ cause: 'game-fault', reason: expect.stringContaining('no such car') });
    expect(console.error).toHaveBeenCalledWith(bug);
  });

  it('says why there is no recording', async () => {
    const match = await watched({ record: false });
    await expect(match.recording()).rejects.toMatchObject({
      code: 'bad-recording',
      message: expect.stringContaining('`record`'),
    });
  });

  it('is not hindered by a page whose listener throws', async () => {
    const match = await watched({
      onPhase: () => {
        throw new TypeError('a bug of the page');
      },
    });
    expect(match.status().phase).toBe('running');
  });
});
