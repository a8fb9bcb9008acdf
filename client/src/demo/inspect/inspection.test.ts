import { defineGame, type EventLog } from '@riposte/shared';
import { duel, race } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { recorded } from '../../../testing/recorded.js';
import { analyse } from './analysis.js';
import type { InspectedGame } from './games.js';
import { type Analyst, Inspection } from './inspection.js';
import { press } from './keys.js';
import { readFile } from './opened.js';

const games: readonly InspectedGame[] = [
  { game: duel, pictureOn: null },
  { game: race, pictureOn: null },
];
const inTime = () => false;
const FAULT = 300;

const analyst: Analyst = async (files, gameId, onProgress) =>
  analyse(files, games.find(({ game }) => game.id === gameId)?.game, onProgress);

const a = { name: 'a.rpl', bytes: recorded(duel, { frames: 900 }) };
const b = {
  name: 'b.rpl',
  bytes: recorded(duel, {
    frames: 900,
    recordedBy: 1,
    fault: (frame, state) => {
      if (frame === FAULT) state.fighters[1]!.health -= 5;
    },
  }),
};

/** Lets the search end, and everything that is to be shown be run. */
async function settle(inspection: Inspection): Promise<void> {
  while (inspection.view.progress !== null) {
    await new Promise<void>((resolve) => {
      const stop = inspection.listen(() => {
        stop();
        resolve();
      });
    });
  }
  while (!inspection.view.isSettled) inspection.tick(0, inTime);
}

async function opened(...files: (typeof a)[]): Promise<Inspection> {
  const inspection = new Inspection(games, analyst);
  inspection.add(files.map(readFile));
  await settle(inspection);
  return inspection;
}

describe('an inspection of two recordings', () => {
  it('names the first difference, and goes to where it shows', async () => {
    const inspection = await opened(a, b);
    expect(inspection.view.finding).toMatchObject({
      kind: 'comparison',
      result: { kind: 'state', frame: FAULT, fields: [{ path: 'fighters[1].health' }], replayAgreesWith: 'a' },
    });
    inspection.seekDifference();
    await settle(inspection);
    expect(inspection.view.frame).toBe(FAULT + 1);
    const [inA, inB] = [inspection.stateOf(0), inspection.stateOf(1)];
    if (inA.kind !== 'state' || inB.kind !== 'state') throw new Error('there is no state');
    expect(games[0]!.game.state.diff(inA.state, inB.state)).toMatchObject([{ path: 'fighters[1].health' }]);
  });

  it('knows frame and kind at once, before the search that names the field', () => {
    const inspection = new Inspection(games, () => new Promise(() => {}));
    inspection.add([a, b].map(readFile));
    expect(inspection.view).toMatchObject({ progress: 0, finding: { result: { kind: 'state', frame: FAULT } } });
    inspection.cancelSearch();
    expect(inspection.view).toMatchObject({ progress: null, finding: { result: { frame: FAULT } } });
  });

  it('leaves out one of another match, in words, and keeps the first', async () => {
    const inspection = await opened(a);
    inspection.add([{ name: 'race.rpl', bytes: recorded(race) }].map(readFile));
    expect(inspection.view.sides.map(({ name }) => name)).toEqual(['a.rpl']);
    expect(inspection.view.refusals).toEqual([expect.stringMatching(/^race\.rpl was left out: .*game is duel.*race/)]);
  });

  it('takes a third one only when a place is free', async () => {
    const inspection = await opened(a, b);
    inspection.add([{ ...a, name: 'c.rpl' }].map(readFile));
    expect(inspection.view.refusals).toEqual([expect.stringContaining('c.rpl has no place')]);
    inspection.close(0);
    await settle(inspection);
    expect(inspection.view.sides.map(({ name }) => name)).toEqual(['b.rpl']);
    inspection.add([a].map(readFile));
    expect(inspection.view.sides.map(({ name }) => name)).toEqual(['b.rpl', 'a.rpl']);
  });

  it('covers the frames of both when they hold different ones', async () => {
    const late = { name: 'late.rpl', bytes: recorded(duel, { frames: 1000, firstFrame: 600 }) };
    const inspection = await opened(a, late);
    expect(inspection.view).toMatchObject({ firstFrame: 0, lastFrame: 1000 });
    inspection.seek(100);
    await settle(inspection);
    expect(inspection.stateOf(0)).toMatchObject({ kind: 'state' });
    expect(inspection.stateOf(1)).toEqual({ kind: 'none', why: 'This recording has frames 600 to 1000.' });
  });
});

describe('an inspection of one recording', () => {
  it('runs it again and says that every hash is equal', async () => {
    const inspection = await opened(a);
    expect(inspection.view.finding).toMatchObject({ kind: 'verification', result: { ok: true, frames: 900 } });
    expect(inspection.differenceFrame).toBeNull();
  });

  it('finds the fault in a recording of the faulty side alone', async () => {
    const inspection = await opened(b);
    expect(inspection.differenceFrame).toBe(FAULT + 1);
  });

  it('plays in real time up to the end, and from the start again', async () => {
    const inspection = await opened(a);
    inspection.play();
    inspection.tick(1000, inTime);
    inspection.tick(2000, inTime);
    expect(inspection.view).toMatchObject({ frame: 60, isPlaying: true });
    inspection.tick(60_000, inTime);
    expect(inspection.view).toMatchObject({ frame: 900, isPlaying: false, isSettled: true });
    inspection.play();
    expect(inspection.view).toMatchObject({ frame: 0, isPlaying: true });
  });

  it('waits for a game that is slower than its rate, and then leaves frames out', async () => {
    const inspection = await opened(a);
    inspection.play();
    inspection.tick(0, inTime);
    inspection.tick(5000, () => true);
    expect(inspection.view).toMatchObject({ frame: 300, isSettled: false });
    inspection.tick(6000, inTime);
    expect(inspection.view).toMatchObject({ frame: 300, isSettled: true });
    inspection.tick(6000, inTime);
    expect(inspection.view).toMatchObject({ frame: 360, isSettled: true });
  });

  it('obeys the keys', async () => {
    const inspection = await opened(b);
    const after = (...keys: string[]) => {
      for (const key of keys) expect(press(inspection, key)).toBe(true);
      return inspection.view.frame;
    };
    expect(after('End')).toBe(900);
    expect(after('ArrowRight')).toBe(900);
    expect(after('Home', 'PageDown', 'ArrowRight')).toBe(61);
    expect(after('PageUp', 'ArrowLeft', 'ArrowLeft')).toBe(0);
    expect(after('D')).toBe(FAULT + 1);
    expect(press(inspection, 'x')).toBe(false);
    after(' ');
    expect(inspection.view.isPlaying).toBe(true);
    after(' ');
    expect(inspection.view.isPlaying).toBe(false);
  });

  it('opens at the frame that was asked for before', () => {
    const inspection = new Inspection(games, analyst);
    inspection.seek(123);
    inspection.add([a].map(readFile));
    expect(inspection.view.frame).toBe(123);
  });
});

describe('a file that cannot be looked at', () => {
  it.each([
    ['no recording', Uint8Array.of(1, 2, 3), /x\.rpl cannot be opened: not a Riposte recording/],
    ['cut off in its header', a.bytes.slice(0, 20), /x\.rpl cannot be opened: .*cut off/],
    ['empty', new Uint8Array(0), /x\.rpl cannot be opened/],
  ])('is refused in words: %s', (_, bytes, words) => {
    const inspection = new Inspection(games, analyst);
    inspection.add([{ name: 'x.rpl', bytes }].map(readFile));
    expect(inspection.view).toMatchObject({ sides: [], refusals: [expect.stringMatching(words)] });
  });

  it('is read as far as it goes when it breaks off later', async () => {
    const inspection = await opened({ name: 'cut.rpl', bytes: a.bytes.slice(0, a.bytes.length / 2) });
    expect(inspection.view.lastFrame).toBeGreaterThan(100);
    expect(inspection.view.finding).toMatchObject({ result: { ok: true, truncated: true } });
  });

  it('has its inputs shown when the page does not have its game', async () => {
    const game = defineGame({ ...race, id: 'unheard' });
    const inspection = await opened({ name: 'x.rpl', bytes: recorded(game) });
    expect(inspection.view.game).toBeNull();
    expect(inspection.view.gameProblem).toMatch(/unheard 1, and this page has duel and race.*--game/);
    expect(inspection.inputAt(inspection.view.sides[0]!.recording, 0)).toHaveLength(1);
    expect(inspection.view.isSettled).toBe(true);
  });

  it('is not run by another version of its game', async () => {
    const game = defineGame({ ...race, version: '99' });
    const inspection = await opened({ name: 'x.rpl', bytes: recorded(game) });
    expect(inspection.view.gameProblem).toMatch(/cannot be run here: .*race 99.*race 1/);
  });
});

describe('an inspection of a recording with rollbacks', () => {
  /** Player 1's press of a frame came three frames late. */
  const events = (log: EventLog, frame: number): void => {
    if (frame % 50 === 20) log.rollback(frame, 1, frame - 3);
  };
  const rough = { name: 'rough.rpl', bytes: recorded(duel, { frames: 900, events }) };

  it('shows what was seen, until the frame that put it right, and then what turned out', async () => {
    const inspection = await opened(rough);
    const { recording } = inspection.view.sides[0]!;
    const hashes = async (): Promise<number[]> => {
      const found: number[] = [];
      for (let frame = 1; frame <= 900; frame++) {
        inspection.seek(frame);
        await settle(inspection);
        const side = inspection.stateOf(0);
        found.push(side.kind === 'state' ? games[0]!.game.state.hash(side.state) : -1);
      }
      return found;
    };
    expect(await hashes()).toEqual([...recording.hashes]);
    press(inspection, 's');
    expect(inspection.view.isAsSeen).toBe(true);
    const seen = await hashes();
    const wrong = seen.flatMap((hash, index) => (hash === recording.hashes[index] ? [] : [index]));
    expect(wrong.length).toBeGreaterThan(5);
    for (const frame of wrong) expect([17, 18, 19, 20]).toContain(frame % 50);
    press(inspection, 's');
    expect(inspection.view.isAsSeen).toBe(false);
  });

  it('offers nothing of that where none is recorded', async () => {
    const inspection = await opened(a);
    press(inspection, 's');
    expect(inspection.view.isAsSeen).toBe(false);
  });
});
