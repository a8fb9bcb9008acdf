import { beforeAll, describe, expect, it } from 'vitest';
import { commandLine } from '../../testing/command-line.js';
import { press, recordedRace } from '../../testing/recorded-race.js';

const { riposte, json, refusal, put } = commandLine();

const SAME = { same: true, kind: null, frame: null, a: null, b: null, fields: [], fieldsFrame: null, fieldsFrom: null };

describe('riposte diff', () => {
  beforeAll(async () => {
    await put('a.rpl', recordedRace());
  });

  it('exits 0 for two recordings of one match, over the frames that both hold', async () => {
    await put('b.rpl', recordedRace({ frames: 140 }));
    expect(await json('diff {a.rpl} {b.rpl}')).toEqual({
      code: 0,
      result: { ...SAME, comparedFrames: 140, replayAgreesWith: 'both', truncated: { a: false, b: false } },
    });
    expect((await riposte('diff {a.rpl} {b.rpl}')).out).toMatch(/^same over 140 frames\n/);
  });

  it('exits 1 and tells settings, inputs and states apart', async () => {
    await put('b.rpl', recordedRace({ seed: 2 }));
    expect(await json('diff {a.rpl} {b.rpl}')).toMatchObject({
      code: 1,
      result: { kind: 'settings', frame: null, fields: [{ path: 'seed', a: 1, b: 2 }] },
    });

    const shifted = (frame: number, player: number) => press(player === 1 ? frame - 1 : frame, player);
    await put('b.rpl', recordedRace({ press: shifted }));
    const frame = Array.from({ length: 150 }, (_, at) => at).find((at) => press(at, 1) !== shifted(at, 1));
    const [a, b] = press(frame!, 1) ? ['right', '-'] : ['-', 'right'];
    expect(await json('diff {a.rpl} {b.rpl}')).toMatchObject({
      code: 1,
      result: { kind: 'inputs', frame, player: 1, a, b, replayAgreesWith: 'both' },
    });
    expect((await riposte('diff {a.rpl} {b.rpl}')).out).toContain(`player 1 pressed ${a} in A, ${b} in B`);

    await put('b.rpl', recordedRace({ fault: 60 }));
    expect(await json('diff {a.rpl} {b.rpl}')).toMatchObject({
      code: 1,
      result: { same: false, kind: 'state', frame: 60, fieldsFrame: 61, comparedFrames: 150, replayAgreesWith: 'a' },
    });
    expect((await riposte('diff {a.rpl} {b.rpl}')).out).toMatch(
      /^the states part at frame 60, .*\n.* by the hash: .*\n {2}cars\[0\].x: \d+ in A, \d+ in B\n.*\n.*agrees with A\n/,
    );
  });

  it('names the fields at the next state that is recorded, and compares a late recording', async () => {
    await put('long.rpl', recordedRace({ frames: 700 }));
    await put('b.rpl', recordedRace({ frames: 700, firstFrame: 100, fault: 590, damage: 0x10101 }));
    expect(await json('diff {long.rpl} {b.rpl}')).toMatchObject({
      code: 1,
      result: { kind: 'state', frame: 590, comparedFrames: 600, fieldsFrame: 600, fields: [{ path: 'cars[0].x' }] },
    });
    const { out } = await riposte('diff {b.rpl} {long.rpl}');
    expect(out).toMatch(/\n {2}read before frame 600, .*\n {2}cars\[0\].x: \d+ in A, \d+ in B\n/);
    expect(out).toMatch(/agrees with B\n$/);
    await put('c.rpl', recordedRace({ frames: 100 }));
    expect(await refusal('diff {b.rpl} {c.rpl}')).toMatch(/both hold: .*b.rpl has 100 to 699; .*c.rpl has 0 to 99$/);
  });

  it('exits 2 for what is not one match, or has no frame to compare', async () => {
    await put('b.rpl', recordedRace({ game: { version: '2' } }));
    expect(await refusal('diff {a.rpl} {b.rpl}')).toContain('not two recordings of one match: the game version is');
    await put('b.rpl', recordedRace({ frames: 0 }));
    expect(await refusal('diff {a.rpl} {b.rpl}')).toMatch(/no frame that both hold: .*b.rpl has none$/);
  });
});

describe('riposte export', () => {
  it('prints every frame with its inputs as the game names them', async () => {
    const frames = 10_000;
    await put('export.rpl', recordedRace({ frames }));
    const csv = (await riposte('export {export.rpl} --format csv')).out.split('\n');
    expect(csv.length).toBe(frames + 2);
    expect(csv[0]).toBe('frame,player0,player1,hash,events');
    expect(csv[1]).toMatch(/^0,right,-,[0-9a-f]{8},$/);
    const parsed: { frames: { frame: number; inputs: string[]; hash: string }[] } = JSON.parse(
      (await riposte('export {export.rpl} --format json')).out,
    );
    expect(parsed).toMatchObject({ header: { gameId: 'race', seed: 1 }, complete: true, frameCount: frames });
    expect(parsed.frames.map(({ frame, inputs, hash }) => `${frame},${inputs.join(',')},${hash},`)).toEqual(
      csv.slice(1, -1),
    );
  });

  it('prints the frames of a late recording by their numbers', async () => {
    await put('late.rpl', recordedRace({ firstFrame: 100 }));
    const whole = (await riposte('export {export.rpl} --format csv')).out.split('\n');
    const late = (await riposte('export {late.rpl} --format csv')).out.split('\n');
    expect(late.slice(1, -1)).toEqual(whole.slice(101, 151));
    const parsed: unknown = JSON.parse((await riposte('export {late.rpl} --format json')).out);
    expect(parsed).toMatchObject({ header: { firstFrame: 100 }, frameCount: 50, keyframes: [{ frame: 100 }] });
  });

  it('prints words when it does not know the game, and wants a format that it knows', async () => {
    await put('odd.rpl', recordedRace({ game: { id: 'odd' } }));
    expect((await riposte('export {odd.rpl} --format csv')).out).toMatch(/\n0,00000001,00000000,[0-9a-f]{8},\n/);
    expect(await refusal('export {odd.rpl}')).toBe('--format is not given; expected json or csv');
    expect(await refusal('export {odd.rpl} --format xml')).toBe('--format is "xml"; expected json or csv');
  });
});
