import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecording } from '@riposte/shared';
import { race } from '@riposte/shared/games';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandIo } from '../../testing/command-io.js';
import { recorded } from '../../testing/recorded.js';
import { run } from './run.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'riposte-synctest-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs `riposte synctest` as a shell would. */
async function synctest(line: string, errIsTerminal = false) {
  const argv = ['synctest', ...line.split(' ').filter((arg) => arg !== '')];
  const { io, written } = commandIo(errIsTerminal);
  const code = await run(argv, io);
  return { code, ...written() };
}

async function recordedFile(name: string, bytes: Uint8Array): Promise<string> {
  const file = join(folder, `${name}.rpl`);
  await writeFile(file, bytes);
  return file;
}

/** Writes a game whose step does this, and returns its file. */
async function gameFile(name: string, step: string, before = ''): Promise<string> {
  const file = join(folder, `${name}.ts`);
  await writeFile(
    file,
    `import { buttons, defineGame, f64, random, struct } from '@riposte/shared';
     import { sin } from '@riposte/shared/math';
     ${before}
     export default defineGame({
       id: '${name}', version: '1', tickRate: 60, players: 2,
       input: buttons('push'),
       state: struct({ x: f64, rng: random() }),
       step(state, inputs, ctx) { ${step} },
     });`,
  );
  return file;
}

describe('riposte synctest', () => {
  it('passes the built-in games, in words and as JSON', async () => {
    expect(await synctest('--game race --frames 90 --distance 6')).toEqual({
      code: 0,
      out: expect.stringMatching(/^ok: 90 frames, 90 rollbacks, \d+ different states\n$/),
      err: '',
    });
    const { code, out, err } = await synctest('--game duel --frames 60 --seed 7 --json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toEqual({
      ok: true,
      frames: 60,
      rollbacks: 60,
      distinctStates: expect.any(Number),
      firstMismatch: null,
    });
  });

  it('tells apart what JSON cannot: NaN, and the two zeros', async () => {
    const step = 'ran++; state.x = ran === 1 ? 0 : ran === 2 ? -0 : Number.NaN;';
    const zeros = await gameFile('zeros', step, 'let ran = 0;');
    expect(JSON.parse((await synctest(`--game ${zeros} --frames 5 --json`)).out)).toMatchObject({
      firstMismatch: { frame: 0, fields: [{ path: 'x', a: 0, b: '-0', ulps: 0 }] },
    });
    const nan = await gameFile('nan', 'state.x = ran++ ? Number.NaN : -0;', 'let ran = 0;');
    expect((await synctest(`--game ${nan} --frames 5`)).out).toContain('x: -0 the first time, NaN then');
  });

  it('passes a file that uses the deterministic functions and the generator of its state', async () => {
    const file = await gameFile('clean', 'state.x += sin(state.x + 1) + state.rng.unit();');
    expect(await synctest(`--game ${file} --frames 60`)).toMatchObject({ code: 0, err: '' });
  });

  it('names the call that the guard refuses, and its frame', async () => {
    const file = await gameFile('clock', 'state.x += ctx.frame === 11 ? Date.now() : 1;');
    const { code, out, err } = await synctest(`--game ${file} --frames 60 --json`);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(JSON.parse(out)).toEqual({
      ok: false,
      frames: 11,
      rollbacks: 11,
      distinctStates: 12,
      firstMismatch: { frame: 11, fields: [], cause: expect.stringMatching(/^guard: Date.now in step: a step has no/) },
    });
  });

  it('names the field that a counter outside the state changes', async () => {
    const file = await gameFile('counter', 'state.x += ctx.frame < 5 ? 1 : ++calls;', 'let calls = 0;');
    const { code, out } = await synctest(`--game ${file} --frames 60`);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^fault at frame 5: outside-state: frame 5 gave another result .*\n {2}x: 6 the first time, 7 then\n$/,
    );
  });

  it('does not take a state that never moves for a proof', async () => {
    const file = await gameFile('still', '');
    expect(await synctest(`--game ${file} --frames 10`)).toMatchObject({
      code: 1,
      out: expect.stringContaining('never-moves: all 11 states are the same'),
    });
  });

  it('shows its progress on a terminal only, and nothing of it on stdout', async () => {
    const { out, err } = await synctest('--game race --frames 128 --json', true);
    expect(err).toContain('rolling back: 50 %');
    expect(() => JSON.parse(out)).not.toThrow();
  });

  it('takes what was pressed in a recording, and its start', async () => {
    const file = await recordedFile('race', recorded(race, { frames: 90 }));
    expect(await synctest(file)).toMatchObject({ code: 0, out: expect.stringMatching(/^ok: 90 frames, 90 rollbacks/) });
    expect((await synctest(`${file} --frames 40`)).out).toMatch(/^ok: 40 frames/);

    const bytes = recorded({ ...race, id: 'presses' }, { frames: 90 });
    const game = join(folder, 'presses.ts');
    await writeFile(
      game,
      `import { race } from '@riposte/shared/games';
       let last = -1;
       export default { ...race, id: 'presses', step(state, inputs, ctx) {
         race.step(state, inputs, ctx);
         if (!inputs[0].right || ctx.frame <= 20) return;
         if (ctx.frame <= last) state.cars[0].x = 7;
         last = ctx.frame;
       } };`,
    );
    const [track] = readRecording(bytes).inputs;
    const words = new Int32Array(1);
    let pressed = 20;
    do track!.read(++pressed, words, 0);
    while (words[0] === 0);
    const { code, out } = await synctest(`${await recordedFile('presses', bytes)} --game ${game} --json`);
    expect({ code, frame: JSON.parse(out).firstMismatch.frame }).toEqual({ code: 1, frame: pressed });
  });

  it('refuses what it cannot use', async () => {
    const late = await recordedFile('late', recorded(race, { firstFrame: 30 }));
    const refused = async (line: string) => {
      const { code, out, err } = await synctest(line);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      return err;
    };
    expect(await refused(late)).toContain('begins at frame 30; a sync test needs a match from its start');
    expect(await refused(`${late} --seed 3`)).toContain('has a seed of its own');
    expect(await refused(`${late} --game duel`)).toContain('the game given is duel');
    expect(await refused('')).toContain('--game is missing; expected a built-in game');
    expect(await refused('--game chess')).toContain('--game is "chess", which is neither a built-in game nor a file');
    expect(await refused('--game race --frames 0')).toContain('--frames is "0"; expected an integer from 1');
    expect(await refused('--game race --distance x')).toContain(
      '--distance is "x"; expected an integer from 1 to 1024',
    );
  });
});
