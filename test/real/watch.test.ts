import { readRecording, verify } from '@riposte/shared';
import { duel } from '@riposte/shared/games';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Command, hasChromium, isExhaustive, isThorough, Stage } from './stage.js';

/** Four pages at once are much for a small machine. */
const END_MS = 120_000;
/** Twenty seconds after frame 300, for a page and a program to come and see the most of it. */
const FRAMES = 1500;

describe.skipIf(!hasChromium || !isThorough)('a match in Chromium that is watched', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  it('is seen by pages, one of them late and behind by choice, and by a program, frame by frame as it is played', async () => {
    const players = await stage.pair(
      `bot=5&frames=${FRAMES}&linkDelay=40&linkLoss=5`,
      `bot=6&frames=${FRAMES}&linkDelay=40&linkLoss=5`,
    );
    const room = await players[0].room();
    const early = isExhaustive
      ? await stage.player(`?watch=${room}&linkLoss=10&linkDelay=50&linkJitter=20`)
      : undefined;
    await players[0].reachFrame(300, END_MS);
    const late = await stage.player(`?watch=${room}&behind=60`);
    const program = new Command('peer', '--server', stage.server.url, '--watch', room, '--game', 'duel', '--json');
    await late.reach('running');
    const behind = async () => {
      const { confirmedFrame, frame } = await late.status();
      return confirmedFrame - frame;
    };
    await expect.poll(behind, { timeout: 20_000 }).toBeGreaterThan(50);
    for (const player of players) {
      const status = await player.reach('ended', END_MS);
      expect(status).toMatchObject({ cause: 'finished', desync: null, comparedFrames: FRAMES });
      expect(status.rollbacks).toBeGreaterThan(10);
    }
    const [last] = await players[0].hashes([FRAMES]);
    for (const page of early === undefined ? [late] : [early, late]) {
      expect(await page.reach('ended', END_MS)).toMatchObject({ cause: 'finished', desync: null, frame: FRAMES - 1 });
      expect(await page.hashes([FRAMES])).toEqual([last]);
      const recording = readRecording(await page.recording());
      expect(recording.frames).toBeGreaterThan(60);
      expect(verify(duel, recording).firstMismatch).toBeNull();
    }
    const { code, stdout, stderr } = await program.ended;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ cause: 'finished', finalHash: last, desync: null });
    expect(stage.problems).toEqual([]);
  });

  it.runIf(isExhaustive)('goes on for a page whose source is closed, by another one', async () => {
    const players = await stage.pair(
      'game=race&players=3&bot=1&linkDelay=20',
      'game=race&players=3&bot=2&linkDelay=20',
    );
    const room = await players[0].room();
    const third = await stage.player(`?room=${room}&game=race&players=3&bot=3&linkDelay=20`);
    await third.reach('running');
    const watching = await stage.player(`?watch=${room}&game=race&players=3`);
    await watching.reach('running');
    // The server sends the first who watches to the first player.
    await players[0].page.close();
    await watching.reach('interrupted');
    const { frame } = await watching.status();
    await watching.reach('running', 30_000);
    await watching.reachFrame(frame + 400, 30_000);
    const status = await watching.status();
    expect(status.desync).toBeNull();
    await watching.reachPresence(0, 'gone');
    expect(status.comparedFrames).toBeGreaterThan(frame);
  });
});
