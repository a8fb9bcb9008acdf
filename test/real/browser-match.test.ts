import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MatchStatus } from '../../client/src/match/match.js';
import { Command, hasChromium, isExhaustive, isThorough, type Player, Stage } from './stage.js';

/** 60 ms one way, 10 ms jitter, 5 % loss. */
const ROUGH = 'linkDelay=60&linkJitter=10&linkLoss=5';
const BOT_MS = 60_000;

describe.skipIf(!hasChromium)('two Chromium pages', () => {
  let stage: Stage;
  let folder: string;

  beforeAll(async () => {
    stage = await Stage.open();
    folder = await mkdtemp(join(tmpdir(), 'riposte-real-'));
  });
  afterAll(async () => {
    await stage.close();
    await rm(folder, { recursive: true });
  });

  async function save(player: Player, name: string): Promise<string> {
    const file = join(folder, name);
    await writeFile(file, await player.recording());
    return file;
  }

  function expectCleanEnd(status: MatchStatus, frames: number): void {
    expect(status).toMatchObject({ phase: 'ended', cause: 'finished', desync: null, confirmedFrame: frames - 1 });
    expect(status.comparedFrames).toBeGreaterThanOrEqual(frames - 60);
  }

  it('play a bot match of 1,800 frames over a rough link to the same end, and both recordings stand', async () => {
    const players = await stage.pair(`bot=5&frames=1800&${ROUGH}`, `bot=6&frames=1800&${ROUGH}`);
    const ends = await Promise.all(players.map((player) => player.reach('ended', BOT_MS)));
    for (const status of ends) {
      expectCleanEnd(status, 1800);
      expect(status.rollbacks).toBeGreaterThan(30);
      expect(status.rollbacks).toBeLessThanOrEqual(status.remoteInputChanges);
    }
    const asked = Array.from({ length: 30 }, (_, at) => (at + 1) * 60);
    const [one, two] = await Promise.all(players.map((player) => player.hashes(asked)));
    expect(one).toEqual(two);
    expect(new Set(one).size).toBe(30);
    const state = await players[0].page.evaluate(() => JSON.parse(JSON.stringify(globalThis.riposte.stateAt(1800))));
    const [left, right] = state.fighters;
    expect(left.hitsLanded + right.hitsLanded).toBeGreaterThanOrEqual(5);
    expect(state.round).toBeGreaterThanOrEqual(2);

    const files = [await save(players[0], 'a.rpl'), await save(players[1], 'b.rpl')];
    for (const file of files) {
      const { code, stdout } = await new Command('verify', file, '--json').ended;
      expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, ok: true, frames: 1800, truncated: false });
    }
    const { code, stdout } = await new Command('diff', ...files, '--json').ended;
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      same: true,
      comparedFrames: 1800,
      replayAgreesWith: 'both',
    });
  });

  it.runIf(isExhaustive)('never roll back for a player who presses nothing', async () => {
    const players = await stage.pair(`bot=5&frames=600&${ROUGH}`, `frames=600&${ROUGH}`);
    const [active, idle] = await Promise.all(players.map((player) => player.reach('ended', BOT_MS)));
    expectCleanEnd(active!, 600);
    expect(active!.rollbacks).toBe(0);
    expect(idle!.rollbacks).toBeGreaterThan(10);
  });

  it.runIf(isThorough)('report a state that is altered in frame 600 at exactly that frame, on both sides', async () => {
    const players = await stage.pair(`bot=5&frames=720&fault=600&${ROUGH}`, `bot=6&frames=720&${ROUGH}`);
    for (const status of await Promise.all(players.map((player) => player.reach('ended', BOT_MS)))) {
      expect(status.desync).toMatchObject({ frame: 600 });
    }
    const [one, two] = await Promise.all(players.map((player) => player.hashes([600, 601])));
    expect(one![0]).toBe(two![0]);
    expect(one![1]).not.toBe(two![1]);
    expect(await players[1].page.textContent('body')).toContain('600');
    const files = [await save(players[0], 'fault.rpl'), await save(players[1], 'clean.rpl')];
    const { code, stdout } = await new Command('diff', ...files, '--json').ended;
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 1,
      same: false,
      kind: 'state',
      frame: 600,
      replayAgreesWith: 'b',
    });
  });

  it.runIf(isExhaustive)(
    'are level again within seconds after one page was blocked for two, in steps of three at most',
    async () => {
      const players = await stage.pair(`bot=5&frames=900&${ROUGH}`, `bot=6&frames=900&${ROUGH}`);
      await players[0].reachFrame(200);
      await players[0].page.evaluate(() => {
        const steps: number[] = [];
        Object.assign(globalThis, { stepsPerDraw: steps });
        let last = globalThis.riposte.status().frame;
        const sample = () => {
          const { frame } = globalThis.riposte.status();
          steps.push(frame - last);
          last = frame;
          requestAnimationFrame(sample);
        };
        requestAnimationFrame(sample);
        const end = performance.now() + 2000;
        while (performance.now() < end);
      });
      await players[0].reachFrame(450);
      const gaps: number[] = [];
      for (let sample = 0; sample < 5; sample++) {
        const [one, two] = await Promise.all(players.map((player) => player.status()));
        gaps.push(Math.abs(one!.frame - two!.frame));
      }
      // Two pages are asked one after the other: the smallest of a few gaps is the true one.
      expect(Math.min(...gaps)).toBeLessThanOrEqual(3);
      for (const status of await Promise.all(players.map((player) => player.reach('ended', BOT_MS)))) {
        expectCleanEnd(status, 900);
        expect(status.stalledFrames + status.rollbacks).toBeGreaterThan(0);
      }
      const steps = await players[0].page.evaluate(() => Reflect.get(globalThis, 'stepsPerDraw') as number[]);
      expect(Math.max(...steps)).toBeLessThanOrEqual(3);
      expect(Math.max(...steps)).toBeGreaterThan(1);
    },
  );

  it.runIf(isExhaustive)('move by the keyboard, and each sees the other move', async () => {
    const players = await stage.pair('name=Ada', 'name=Bo');
    for (const player of players) await player.reachFrame(240);
    const places = (player: Player) =>
      player.page.evaluate(() => {
        const state = globalThis.riposte.stateAt(globalThis.riposte.status().confirmedFrame) as {
          fighters: { x: number }[];
        };
        return state.fighters.map(({ x }) => x);
      });
    const before = await places(players[0]);
    await players[0].page.keyboard.down('ArrowRight');
    await players[1].page.keyboard.down('ArrowRight');
    await players[1].reachFrame(300);
    const after = await places(players[1]);
    expect(after[0]).toBeGreaterThan(before[0]!);
    expect(after[1]).toBeGreaterThan(before[1]!);
    await players[0].page.keyboard.up('ArrowRight');
    await players[1].page.close();
    const { reason } = await players[0].reach('ended', 45_000);
    expect(reason).toMatch(/\.$/);
  });

  it('complained of nothing in the console', () => {
    expect(stage.problems).toEqual([]);
  });
});
