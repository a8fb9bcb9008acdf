import type { EventLog } from '@riposte/shared';
import { race } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../testing/command-line.js';
import { recordedRace } from '../../testing/recorded-race.js';

const { riposte, json, refusal, put } = commandLine();

describe('riposte', () => {
  it('says what it can do when it is called in a way it does not know', async () => {
    const commands = 'expected peer, authority, info, verify, diff, inspect, synctest, export, serve, new (see --help)';
    expect(await refusal('')).toBe(`no command is given; ${commands}`);
    expect(await refusal('replay x.rpl')).toBe(`there is no command "replay"; ${commands}`);
    expect(await refusal('verify')).toMatch(/missing required args.*expected: riposte verify <file> \[options\]/);
    expect(await refusal('verify a.rpl b.rpl')).toMatch(/unused args: "b.rpl"/);
    expect(await refusal('verify a.rpl --fast')).toMatch(/unknown option "--fast"/);
    expect(await refusal('verify a.rpl --game')).toMatch(/option "--game <game>" value is missing/);
  });
});

describe('riposte info', () => {
  it('shows header, players, length and whether the recording is complete', async () => {
    await put('info.rpl', recordedRace({ settings: { laps: 3 } }));
    expect(await json('info {info.rpl}')).toMatchObject({
      code: 0,
      result: {
        game: { id: 'race', version: race.version },
        tickRate: 60,
        players: [
          { name: 'Ada', inputDelay: 2 },
          { name: 'Grace "the Amazing"', inputDelay: 3 },
        ],
        recordedBy: 1,
        settings: { laps: 3 },
        frames: 150,
        seconds: 2.5,
        complete: true,
        truncated: false,
        endReason: 'finished',
      },
    });
    const { out } = await riposte('info {info.rpl}');
    expect(out).toContain('150 frames, 0:02');
    expect(out).toContain('yes, the match ended: finished');
  });

  it('shows where it starts, and which states it holds', async () => {
    await put('late.rpl', recordedRace({ firstFrame: 100, frames: 1300 }));
    const keyframes = [100, 600, 1200].map((frame) => ({
      frame,
      bytes: race.state.encode(race.state.create()).length,
    }));
    expect(await json('info {late.rpl}')).toMatchObject({
      code: 0,
      result: { firstFrame: 100, frames: 1200, keyframes },
    });
    const { out } = await riposte('info {late.rpl}');
    expect(out).toMatch(/^length +1200 frames, 0:20, from frame 100 on: /m);
    expect(out).toMatch(/^keyframes +3, at frames 100 to 1200, of \d+ bytes$/m);
  });
});

describe('the events of a recording', () => {
  const events = (log: EventLog, frame: number): void => {
    if (frame === 50) log.rollback(48, 1, 45);
    if (frame === 60) log.rollback(58, 1, 57);
    if (frame === 70) log.stall(69);
    if (frame % 30 === 0) log.sample(frame, 1, 40 + frame, 1, -2);
    if (frame === 40 || frame === 62) log.correction(frame, frame / 16);
    if (frame % 60 === 0) {
      const inputAges = { count: frame, total: frame * 3.2 };
      log.work(frame, 3, 8, frame / 10, { resimulationMs: { count: 2, total: frame / 20 }, inputAges });
    }
    if (frame === 80) log.effect(80, 'hit, hard', 'start', 79);
  };

  it('are summed up by info', async () => {
    await put('events.rpl', recordedRace({ events }));
    const { result } = await json('info {events.rpl}');
    expect(result).toMatchObject({
      rollbacks: { count: 2, maxFrames: 4, resimulatedFrames: 6 },
      stalledTicks: 1,
      rttMs: { median: 100, p95: 160, max: 160 },
      effects: { started: 1, cancelled: 0 },
      corrections: { count: 2, size: { median: 3.88, p95: 3.88, max: 3.88 } },
      resimulationMs: { median: 3, p95: 3, max: 3 },
      inputAge: { median: 3.2, p95: 3.2, max: 3.2 },
      predictedFrames: { median: 3, p95: 3, max: 3 },
      window: { median: 8, p95: 8, max: 8 },
    });
    const { out } = await riposte('info {events.rpl}');
    expect(out).toMatch(/^rollbacks +2, 0\.8 a second, 3\.0 frames each, the deepest 4$/m);
    expect(out).toMatch(/^round trip +100 ms in the middle, 160 ms for all but 5 %, 160 ms at most$/m);
    expect(out).toMatch(/^corrected +by 3\.88 in the middle, 3\.88 for all but 5 %, 3\.88 at most, of 2 measured$/m);
    expect(out).toMatch(/^run again +3 ms of each second in the middle, 3 ms at most$/m);
    expect(out).toMatch(/^predicted +3 frames in the middle, 3 at most, of a window of 8$/m);
    expect(out).toMatch(/^input age +3\.2 frames in the middle, 3\.2 at most$/m);
  });

  it('are told by export, each at the frame after which it happened', async () => {
    const csv = (await riposte('export {events.rpl} --format csv')).out.split('\n');
    expect(csv[49]).toMatch(/,rollback of 4 for player 1$/);
    expect(csv[41]).toMatch(/,corrected by 2\.5 at 41$/);
    expect(csv[81]).toMatch(/,"hit, hard start of 79"$/);
    const { events: told }: { events: unknown[] } = JSON.parse(
      (await riposte('export {events.rpl} --format json')).out,
    );
    expect(told).toContainEqual({ kind: 'rollback', frame: 48, player: 1, first: 45 });
    expect(told).toContainEqual({ kind: 'correction', frame: 40, of: 41, distance: 2.5 });
    expect(told).toContainEqual({
      kind: 'work',
      frame: 60,
      resimulatedFrames: 6,
      resimulationMs: 3,
      inputAge: 3.2,
      predictedFrames: 3,
      window: 8,
    });
    expect(told).toContainEqual({ kind: 'sample', frame: 120, player: 1, rttMs: 160, speed: 1, lead: -2 });
  });

  it("are not told in another game's words", async () => {
    expect(await refusal('export {events.rpl} --format csv --game duel')).toBe(
      'the recording is of "race", and --game is duel; expected that game',
    );
  });
});

describe('riposte verify', () => {
  it('exits 0 when every hash is equal', async () => {
    await put('sound.rpl', recordedRace());
    expect(await json('verify {sound.rpl}')).toEqual({
      code: 0,
      result: { ok: true, firstFrame: 0, frames: 150, firstMismatch: null, truncated: false },
    });
    expect(await riposte('verify {sound.rpl} --game race')).toMatchObject({ code: 0, err: '' });
  });

  it('exits 1 and names the frame whose step went wrong', async () => {
    await put('fault.rpl', recordedRace({ fault: 77 }));
    expect(await json('verify {fault.rpl}')).toMatchObject({
      code: 1,
      result: {
        ok: false,
        frames: 150,
        firstMismatch: { frame: 77, fieldsFrame: 78, fields: [{ path: 'cars[0].x' }] },
      },
    });
    expect((await riposte('verify {fault.rpl}')).out).toMatch(
      /^mismatch at frame 77: the recording has [0-9a-f]{8}, .*\n.* by the hash: .*\n {2}cars\[0\].x: \d+ in the recording, \d+ in/,
    );
  });

  it('runs a late recording from the state that it begins with', async () => {
    await put('late.rpl', recordedRace({ firstFrame: 100 }));
    expect(await json('verify {late.rpl}')).toMatchObject({
      code: 0,
      result: { ok: true, firstFrame: 100, frames: 50 },
    });
    expect((await riposte('verify {late.rpl}')).out).toMatch(
      /^ok: 50 frames of race \S+, from frame 100 on, every hash/,
    );
    await put('late.rpl', recordedRace({ firstFrame: 100, fault: 120 }));
    expect(await json('verify {late.rpl}')).toMatchObject({ code: 1, result: { firstMismatch: { frame: 120 } } });
  });

  it('verifies a recording that was cut off as far as it goes, and says so', async () => {
    const bytes = recordedRace();
    await put('cut.rpl', bytes.slice(0, bytes.length - 100));
    expect(await json('verify {cut.rpl}')).toMatchObject({
      code: 0,
      result: { ok: true, frames: 120, truncated: true },
    });
    expect((await riposte('verify {cut.rpl}')).out).toMatch(/read only so far: the chunk at byte \d+ is cut off/);
    await put('head.rpl', bytes.slice(0, 200));
    expect(await refusal('verify {head.rpl}')).toContain('holds no whole part of a match');
  });

  it('exits 2 on what is no recording, or of another game, and says why', async () => {
    await put('text.rpl', 'hello');
    await put('odd.rpl', recordedRace({ game: { id: 'odd' } }));
    await put('old.rpl', recordedRace({ game: { version: '0' } }));
    expect(await refusal('verify {absent.rpl}')).toMatch(/absent.rpl cannot be read: there is no such file or folder$/);
    expect(await refusal('verify {}')).toMatch(/cannot be read: it is a folder$/);
    expect(await refusal('verify {text.rpl}')).toMatch(/text.rpl: not a Riposte recording: expected an .rpl file$/);
    expect(await refusal('verify {odd.rpl}')).toMatch(
      /of "odd", which is not built in \(.*race.*\): give its module by --game/,
    );
    expect(await refusal('verify {odd.rpl} --game race')).toContain('game race; expected odd');
    expect(await refusal('verify {old.rpl}')).toContain(`version ${race.version}; expected 0`);
    expect(await refusal('verify {old.rpl} --game tennis')).toContain('--game is "tennis", which is neither');
  });

  it("takes an author's game from a module anywhere on the disk", async () => {
    await put('mine.rpl', recordedRace({ game: { id: 'mine' } }));
    const source = `
      import { array, buttons, defineGame, fixed, fxMul, struct, type Game } from '@riposte/shared';
      const game = defineGame({
        id: 'mine', version: '${race.version}', tickRate: 60, players: 2,
        input: buttons('right'),
        state: struct({ cars: array(2, { x: fixed, v: fixed }) }),
        step(state, inputs) {
          for (let player: number = 0; player < 2; player++) {
            const car = state.cars[player]!;
            car.v = fxMul(car.v + (inputs[player]!.right ? 16384 : 0), 58982);
            car.x = (car.x + car.v) | 0;
          }
        },
      });
      export default game;`;
    await put('mine.ts', source);
    await put('mine.js', `import { race } from '@riposte/shared/games'; export default { ...race, id: 'mine' };`);
    expect(await json('verify {mine.rpl} --game {mine.ts}')).toMatchObject({ code: 0, result: { ok: true } });
    expect(await json('verify {mine.rpl} --game {mine.js}')).toMatchObject({ code: 0, result: { ok: true } });
  });

  it('says in words what is wrong with a game module', async () => {
    await put('mine.rpl', recordedRace({ game: { id: 'mine' } }));
    await put('empty.ts', 'export const game = 1;');
    await put('broken.ts', 'export default {');
    await put('slow.ts', "export default { id: 'mine', version: '1', step() {} };");
    const verify = (file: string) => refusal(`verify {mine.rpl} --game {${file}}`);
    expect(await verify('empty.ts')).toMatch(/empty.ts has no game as its default export; expected: export default/);
    expect(await verify('broken.ts')).toMatch(/broken.ts cannot be loaded: /);
    expect(await verify('slow.ts')).toMatch(/slow.ts: the game's state is undefined; expected a state model/);
  });
});
