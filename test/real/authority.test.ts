import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecording, verify } from '@riposte/shared';
import { duel } from '@riposte/shared/games';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthorityMatchStatus } from '../../client/src/authority/client-match.js';
import type { HostStatus } from '../../client/src/authority/host-authority.js';
import { Command, hasChromium, isExhaustive, type Player, Stage } from './stage.js';

const FRAMES = 900;

describe.skipIf(!hasChromium)('riposte authority', () => {
  let stage: Stage;
  let folder: string;

  beforeAll(async () => {
    stage = await Stage.open();
    folder = await mkdtemp(join(tmpdir(), 'riposte-authority-'));
  });
  afterAll(async () => {
    await stage.close();
    await rm(folder, { recursive: true });
  });

  const authorityOf = async (player: Player) => {
    // The page's status says more where an authority runs the match.
    const status = (await player.status()) as AuthorityMatchStatus;
    return status.authority!;
  };

  it('runs a match of two pages at 80 ms and 5 % loss to the same end, with corrections', async () => {
    const file = join(folder, 'authority.rpl');
    const server = ['--server', stage.server.url, '--game', 'duel'];
    const command = new Command('authority', ...server, '--frames', `${FRAMES}`, '--record', file, '--json');
    const { room, link } = JSON.parse(await command.line());
    expect(new URL(link).searchParams.get('authority')).toBe('1');
    const search = (bot: number) => `?room=${room}&authority=1&bot=${bot}&linkDelay=80&linkLoss=5`;
    const players = [await stage.player(search(3)), await stage.player(search(4))];
    for (const player of players) await player.reach('ended', 60_000);
    const { code, stdout } = await command.ended;
    const host: HostStatus = JSON.parse(stdout.split('\n').at(-1) ?? '');
    expect(code).toBe(0);
    expect(host).toMatchObject({ frame: FRAMES, cause: 'finished' });
    for (const player of players) {
      expect(await player.status()).toMatchObject({ confirmedFrame: FRAMES - 1, cause: 'finished', desync: null });
      expect(await player.hashes([FRAMES])).toEqual([host.hash]);
      const { corrections, divergences } = await authorityOf(player);
      expect(corrections.count).toBeGreaterThan(10);
      expect(corrections.max).toBeGreaterThan(0);
      expect(divergences).toBe(0);
      expect(verify(duel, readRecording(await player.recording()))).toMatchObject({ ok: true });
    }
    expect(verify(duel, readRecording(await readFile(file)))).toMatchObject({ ok: true, frames: FRAMES });
    for (const { missed } of host.players) expect(missed).toBeLessThan(FRAMES / 4);
    expect(stage.problems).toEqual([]);
  });

  it.runIf(isExhaustive)(
    'gives a page that is loaded again in the match its seat and the running match back',
    async () => {
      const command = new Command(
        'authority',
        '--server',
        stage.server.url,
        '--game',
        'duel',
        '--frames',
        '1200',
        '--json',
      );
      const { room } = JSON.parse(await command.line());
      const search = (bot: number) => `?room=${room}&authority=1&bot=${bot}`;
      const [one, two] = [await stage.player(search(3)), await stage.player(search(4))];
      await one.reachFrame(200);
      await one.page.reload();
      await one.page.waitForFunction(() => 'riposte' in globalThis);
      await one.reachFrame(500);
      const status = await authorityOf(one);
      expect(status.statesTaken).toBe(1);
      for (const player of [one, two]) await player.reach('ended', 60_000);
      const { stdout } = await command.ended;
      const host: HostStatus = JSON.parse(stdout.split('\n').at(-1) ?? '');
      for (const player of [one, two]) expect(await player.hashes([1200])).toEqual([host.hash]);
    },
  );

  it.runIf(isExhaustive)('takes a page back whose connection was closed under it', async () => {
    const server = ['--server', stage.server.url, '--game', 'duel'];
    const command = new Command('authority', ...server, '--frames', '1200', '--json');
    const { room } = JSON.parse(await command.line());
    const one = await stage.player(`?room=${room}&authority=1&bot=3`, (context) =>
      context.addInitScript(() => {
        const made: RTCPeerConnection[] = [];
        Object.assign(globalThis, { madeConnections: made });
        globalThis.RTCPeerConnection = class extends RTCPeerConnection {
          constructor(configuration?: RTCConfiguration) {
            super(configuration);
            made.push(this);
          }
        };
      }),
    );
    const two = await stage.player(`?room=${room}&authority=1&bot=4`);
    await one.reachFrame(200);
    await one.page.evaluate(() => (Reflect.get(globalThis, 'madeConnections') as RTCPeerConnection[])[0]!.close());
    await one.reach('interrupted');
    await one.reach('running');
    for (const player of [one, two]) await player.reach('ended', 60_000);
    const host: HostStatus = JSON.parse((await command.ended).stdout.split('\n').at(-1) ?? '');
    expect(host.cause).toBe('finished');
    for (const player of [one, two]) expect(await player.hashes([1200])).toEqual([host.hash]);
  });
});
