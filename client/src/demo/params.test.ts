import { describe, expect, it } from 'vitest';
import { readParams } from './params.js';

describe('the address of the page', () => {
  it('asks for a duel and for nothing else when it is bare', () => {
    expect(readParams('')).toEqual({ ok: true, request: { game: 'duel' }, meeting: null });
  });

  it('can ask for everything that a match can be played with', () => {
    expect(
      readParams(
        '?create=1&game=race&players=3&bot=7&frames=1800&delay=2&transport=simple-peer&name=Ana&fault=600&desync=stop&linkDelay=60&linkJitter=10&linkLoss=5',
      ),
    ).toEqual({
      ok: true,
      meeting: { create: true },
      request: {
        game: 'race',
        players: 3,
        name: 'Ana',
        bot: 7,
        frames: 1800,
        inputDelay: 2,
        transport: 'simple-peer',
        fault: 600,
        desync: 'stop',
        link: { delayMs: 60, jitterMs: 10, lossRate: 0.05 },
      },
    });
    expect(readParams('?room=k7m2qx&delay=auto&transport=peerjs')).toMatchObject({
      meeting: { room: 'K7M2QX' },
      request: { inputDelay: 'auto', transport: 'peerjs' },
    });
    expect(readParams('?create=1&fault=key')).toMatchObject({ request: { fault: 'key' } });
    expect(readParams('?watch=k7m2qx&behind=120')).toMatchObject({
      meeting: { watch: 'K7M2QX' },
      request: { behind: 120 },
    });
  });

  it.each([
    ['?game=chess', 'game'],
    ['?game=race&players=5', 'players'],
    ['?game=race&players=1', 'players'],
    ['?players=3', 'players'],
    ['?bot=abc', 'bot'],
    ['?bot=-1', 'bot'],
    ['?bot=4294967296', 'bot'],
    ['?frames=0', 'frames'],
    ['?frames=1e9', 'frames'],
    ['?delay=16', 'delay'],
    ['?delay=soon', 'delay'],
    ['?transport=pigeon', 'transport'],
    ['?fault=1.5', 'fault'],
    ['?fault=soon', 'fault'],
    ['?desync=ignore', 'desync'],
    ['?name=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'name'],
    ['?linkDelay=forever', 'linkDelay'],
    ['?linkLoss=101', 'linkLoss'],
    ['?room=OOOOOO', 'room'],
    ['?room=', 'room'],
    ['?create=yes', 'create'],
    ['?watch=OOOOOO', 'watch'],
    ['?behind=601', 'behind'],
  ])('%s is answered by a sentence that names %s', (search, key) => {
    const params = readParams(search);
    expect(params.ok).toBe(false);
    if (!params.ok) expect(params.problem).toMatch(new RegExp(`^The address has ${key}=.* ${key} takes .*\\.$`));
  });

  it('cannot ask to create a room and to join one', () => {
    expect(readParams('?room=K7M2QX&create=1')).toMatchObject({ ok: false });
  });
});
