import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { defineGame } from '@riposte/shared';
import { describe, expect, it } from 'vitest';
import { mixer } from '../../shared/testing/mixer.js';
import { mutants, sessionMutants } from '../mutants.js';
import { type Scenario, scenarioOf } from '../simulation/scenario.js';
import { simulate } from '../simulation/world.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Outcome {
  readonly code: number | null;
  readonly runs: number;
  readonly failures: readonly { readonly seed: number; readonly reason: string }[];
  readonly rollbacks: number;
  readonly frames: number;
  readonly realTimeFactor: number;
}

/** Runs `npm run sim` with these arguments. */
function sim(...given: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, ['scripts/sim.mjs', ...given, '--json'], { cwd: root });
  let output = '';
  let errors = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (output === '') reject(new Error(`the simulation said nothing: ${errors}`));
      else resolve({ code, ...JSON.parse(output) });
    });
  });
}

/** A scenario in which nothing is wrong with machines and links, changed as asked. */
function quiet(changes: Partial<Scenario> = {}): Scenario {
  const drawn = scenarioOf(1);
  return {
    ...drawn,
    machines: drawn.machines.map((machine) => ({
      ...machine,
      habit: 'random',
      pauses: [],
      delayChanges: [],
      inputDelay: 0,
      tickMs: 1,
    })),
    links: drawn.links.map((link) => ({ ...link, rough: link.calm, partitions: [], clogs: [] })),
    cuts: [],
    maxPrediction: 8,
    ending: { kind: 'frames', frames: 300 },
    ...changes,
  };
}

describe('the network simulation', () => {
  it('finds nothing in 200 seeds, which play, roll back and stall, many times faster than real time', async () => {
    const outcome = await sim('--seeds', '1..200');
    expect(outcome.failures).toEqual([]);
    expect(outcome).toMatchObject({ code: 0, runs: 200 });
    expect(outcome.frames).toBeGreaterThan(100_000);
    expect(outcome.rollbacks).toBeGreaterThan(20_000);
    // Measured alone it makes a thousand; the suite shares its machine.
    expect(outcome.realTimeFactor).toBeGreaterThan(50);
  });

  it('finds nothing in 60 parties of 2 to 8, who die, leave, reload and sleep', async () => {
    const outcome = await sim('--seeds', '1000001..1000060');
    expect(outcome.failures).toEqual([]);
    expect(outcome).toMatchObject({ code: 0, runs: 60 });
    expect(outcome.frames).toBeGreaterThan(30_000);
    expect(outcome.rollbacks).toBeGreaterThan(30_000);
  });

  it.each([...Object.keys(mutants), ...Object.keys(sessionMutants)])('finds "%s" within 300 seeds', async (mutant) => {
    const { code, runs, failures } = await sim('--mutant', mutant);
    expect(failures).toHaveLength(1);
    expect(runs).toBeLessThanOrEqual(300);
    expect(code).toBe(0);
  });

  it('gives the same run for the same seed, and another for another', () => {
    const [one, same, other] = [5, 5, 6].map((seed) => simulate(scenarioOf(seed)));
    expect(same).toEqual(one);
    expect({ ...other, seed: 5 }).not.toEqual(one);
  });

  it('ends a match that is cut off for longer than any session waits, on both sides, and says so', () => {
    const links = quiet().links.map((link) => ({ ...link, partitions: [{ fromMs: 2000, toMs: 60_000 }] }));
    const report = simulate(quiet({ links, ending: { kind: 'frames', frames: 3000 } }));
    expect(report).toMatchObject({ failure: undefined, wasSilenced: true, interruptions: 2 });
  });

  it('goes on over a new connection where the old one was cut', () => {
    const cuts: Scenario['cuts'] = [{ pair: [0, 1], atMs: 2000, opensMs: [3500, 3600] }];
    const report = simulate(quiet({ cuts }));
    expect(report).toMatchObject({ failure: undefined, wasSilenced: false, frames: 300, interruptions: 2 });
  });

  it('traces a run as lines', () => {
    const lines: string[] = [];
    simulate(scenarioOf(7), { trace: (line) => lines.push(line) });
    for (const told of ['running', 'arrives', 'rolled back', 'stalled', 'heals', 'ended']) {
      expect(lines.some((line) => line.includes(told))).toBe(true);
    }
  });
});

describe('a run that did no real work fails', () => {
  it('where nobody ever hears the other', () => {
    const links = quiet().links.map((link) => ({ ...link, partitions: [{ fromMs: 0, toMs: 1e6 }] }));
    // Lost before the first frame, as the rule is: no failure, and no frame that could be taken for success.
    expect(simulate(quiet({ links }))).toMatchObject({ failure: undefined, wasSilenced: true, frames: 0 });
  });

  it('where the match is over before it began', () => {
    const game = defineGame({ ...mixer, over: () => 'at once' });
    expect(simulate(quiet(), { game }).failure).toContain('no real work: player 0 confirmed 1 frames');
  });

  it('where the game never leaves its title screen', () => {
    const game = defineGame({ ...mixer, step: () => {} });
    expect(simulate(quiet(), { game }).failure).toContain('no real work');
  });

  it('and one that works does not', () => {
    const report = simulate(quiet());
    expect(report.failure).toBeUndefined();
    expect(report.rollbacks).toBeGreaterThan(100);
  });
});

describe('seeds that found a fault', () => {
  it.each([
    [257, 'a page blocked twice counts as a slow machine, and both play at half speed for ten seconds'],
    [755, 'a block of a third of a second makes a machine that just keeps up a slow one'],
    [1532, 'a finished peer whose last packets are lost leaves the other waiting until it gives the match up'],
    [10040, 'a partition during the handshake makes both wait for half of it again before the first frame'],
    [392, 'a match whose connection ends just as it is over is finished for one side and lost for the other'],
    [1000013, 'packets of a player who returns are dropped, because others passed on what they acknowledge'],
    [1014532, 'a player who asks for the match anew takes what it was told before it lost it'],
    [1018298, 'a leader repeats what a later attempt, of one who leads no more, has outbid'],
    [1000063, 'a returning player sends inputs that it does not hold, and is refused for contradicting itself'],
    [1000097, 'a player who has to be told the match again is interrupted twice'],
    [1000004, 'a player who was told the match drops all that begins before it'],
    [1000163, 'a new leader admits a player once more who has long been playing'],
    [1000027, 'a player whose absence is still to come plays on as if it were there'],
    [1000089, 'a player who never played after its return is taken for present by one who returns later'],
    [1000130, 'a hello that comes late makes others forget a player who is in the match again'],
    [1000135, 'two who lead at once thaw and drop a seat, and a frame that was final is another one'],
    [1000080, 'the last frame of a player is asked of that player itself, who is there again, for ever'],
    [1000208, 'a leader who leaves takes the release of a seat with it, and all stand still'],
    [1000289, 'a player who slept through its return is sent inputs that are no longer kept'],
    [1000044, 'a player who asks once more while it is let in is admitted at another frame than it plays from'],
    [1000174, 'a match that two tell counts as a bad message'],
    [1000274, 'a player who lost the match twice over one connection is not told it again'],
    [1000731, 'the word of a reload comes late, and a player who is in the match again counts as gone'],
    [1001569, 'hashes of a player who plays on by itself are taken for a desync'],
    [1001844, 'one leader lets go what was promised to another, who gives the seat up at another frame'],
    [1001862, 'a return is put off, and frames stay as if the player had been there'],
    [1001913, 'a player is admitted by one who had missed that it was gone'],
    [1000066, 'a leader waits for the word of the very seat that it asks about'],
    [1000099, 'a leader who is being given up asks about itself, and no seat is ever settled'],
    [1002819, 'a leader asks again and again what was promised to a later attempt'],
    [1004631, 'a seat whose last frame some were told is let go by a later leader, and asked about for ever'],
    [1003856, 'of many, those who keep the rate run away from the one who cannot'],
    [1004377, 'two machines are slow, and the slower is left behind'],
    [1004999, 'a player who was not heard while others settled a loss takes what they did for a desync'],
    [1005228, 'a spectator is shown what a player confirmed alone, before it learns that it was lost'],
    [1005232, 'a player is let in whose page is gone since it asked'],
    [1005434, 'a hello that comes late makes a player send inputs of the time when it was not there'],
    [1005811, 'a page that is told its first match holds inputs that no packet brought'],
    [1005900, 'frames in which a seat was not there are passed on as its inputs'],
    [1006279, 'a player ends for want of a majority, of which some had left without its knowing'],
    [1007130, 'a player who waits to be let in misses that another was, and parts from the match'],
    [1009212, 'a player who waits already falls out of the match without a word'],
    [1010547, 'a player who hears a seat itself asks nobody for the inputs that the seat sends no more'],
    [1010580, 'a player is let in who had missed that others are gone'],
    [1011178, 'two who wait for one who has ended go on waiting'],
    [1013444, 'a player leads whose being let in another missed, and the two outbid each other for ever'],
    [1014153, 'a leader who was told the match names another last frame of a seat, and all others fall out'],
    [1023119, 'a leader who is being given up and the one after it ask about its seat, and outbid each other for ever'],
    [1024423, 'a recording with a rollback or a stall in every frame has more of them than of the frames'],
    [1007243, 'a player leaves a match that it was just told, and is judged by what it counted in the one before'],
    [1031864, 'a player who is let in far ahead of its last frame tells of frames that it does not have'],
    [1003727, 'a player who was told the match does not know that one is still to be let in, and all but one fall out'],
    [1016683, 'a player is let in who said that it was ready, and has slept since until it is too far behind'],
    [1030584, 'the word of a player who leaves comes late, and who heard of it by others ends for want of a majority'],
    [1011045, 'a player is told that it was given up, and passes that on to others who have let it in since'],
    [1016581, 'a match is told while a player lies in one absence and the next is settled already'],
    [1019573, 'a player is let in again after it has run the last frame, and nobody gets its inputs'],
    [1035936, 'a leader dies as it lets a player in, who does not hear of it and waits in vain'],
    [1037537, 'a player is given up as others tell it that it is in, and all take the others to play on without them'],
    [1050371, 'who held most of a lost player reloads after it said so, and all wait for inputs that nobody has'],
    [1020970, 'a player who has all frames goes on recording how far the others are while it waits for their goodbye'],
  ])('stay mended: seed %i, %s', (seed) => {
    expect(simulate(scenarioOf(seed)).failure).toBeUndefined();
  });
});
