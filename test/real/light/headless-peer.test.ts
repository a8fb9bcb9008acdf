import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Command, hasChromium, isThorough, Stage } from '../stage.js';

describe.skipIf(!hasChromium)('a headless peer', () => {
  let stage: Stage;
  let folder: string;

  beforeAll(async () => {
    stage = await Stage.open();
    folder = await mkdtemp(join(tmpdir(), 'riposte-peer-'));
  });
  afterAll(async () => {
    await stage.close();
    await rm(folder, { recursive: true });
  });

  const peer = (...args: string[]) =>
    new Command('peer', '--server', stage.server.url, '--game', 'duel', '--json', ...args);

  async function roomOf(command: Command): Promise<string> {
    return JSON.parse(await command.line()).room;
  }

  it('plays another one over real WebRTC to the same end, each with a recording that stands', async () => {
    const files = [join(folder, 'a.rpl'), join(folder, 'b.rpl')] as const;
    const first = peer('--create', '--bot', '1', '--frames', '600', '--delay', '0', '--record', files[0]);
    const second = peer(
      '--room',
      await roomOf(first),
      '--bot',
      '2',
      '--frames',
      '600',
      '--delay',
      '0',
      '--record',
      files[1],
    );
    const results = await Promise.all([first.ended, second.ended]);
    const [one, two] = results.map(({ code, stdout }) => ({ code, ...JSON.parse(stdout.split('\n').at(-1) ?? '') }));
    for (const status of [one, two]) {
      expect(status).toMatchObject({ code: 0, phase: 'ended', desync: null, confirmedFrame: 599 });
      expect(status.comparedFrames).toBeGreaterThanOrEqual(540);
      expect(status.rollbacks).toBeGreaterThan(0);
    }
    expect(one?.finalHash).toBe(two?.finalHash);
    const { code, stdout } = await new Command('diff', ...files, '--json').ended;
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, same: true, comparedFrames: 600 });
  });

  it.runIf(isThorough)('plays a browser page, with equal hashes', async () => {
    const player = await stage.player('?create=1&bot=3&frames=600&linkDelay=40&linkLoss=5');
    const command = peer('--room', await player.room(), '--bot', '4', '--frames', '600');
    const status = await player.reach('ended', 60_000);
    const { code, stdout } = await command.ended;
    const other = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(status).toMatchObject({ desync: null, confirmedFrame: 599 });
    expect(other).toMatchObject({ desync: null, confirmedFrame: 599 });
    expect(other.rollbacks).toBeGreaterThan(10);
    expect(await player.hashes([600])).toEqual([other.finalHash]);
  });

  it('and a page of another game version refuse each other with words on both sides', async () => {
    const player = await stage.player('?create=1&game=race&bot=3&frames=600');
    const file = join(folder, 'race2.mjs');
    await writeFile(
      file,
      `import { race } from '@riposte/shared/games';\nexport default { ...race, version: 'other' };\n`,
    );
    const command = new Command(
      'peer',
      '--server',
      stage.server.url,
      '--game',
      file,
      '--json',
      '--room',
      await player.room(),
    );
    const status = await player.reach('failed');
    expect(status.reason).toContain('different versions of race');
    const { code, stdout, stderr } = await command.ended;
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('different versions of race');
  });
});
