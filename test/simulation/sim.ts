/** The command `npm run sim`, once its sources and the fault to plant, if any, are bundled: see scripts/sim.mjs. */
import { scenarioOf } from './scenario.js';
import { type RunReport, simulate } from './world.js';

interface Asked {
  readonly first: number;
  readonly last: number;
  readonly trace: boolean;
  readonly mutant: string | undefined;
  readonly json: boolean;
  readonly players?: number;
}

/** Progress of long work is told this often, on a terminal only. */
const PROGRESS_MS = 1000;

function tracedLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

function run({ first, last, trace, mutant, json, players }: Asked): number {
  const startMs = performance.now();
  const failures: { seed: number; reason: string }[] = [];
  const totals = {
    runs: 0,
    rollbacks: 0,
    frames: 0,
    stalls: 0,
    interruptions: 0,
    silenced: 0,
    level: 0,
    free: 0,
    virtualMs: 0,
  };
  let toldMs = startMs;
  for (let seed = first; seed <= last; seed++) {
    const scenario = scenarioOf(seed, players);
    if (trace) tracedLine(JSON.stringify(scenario, null, 1));
    const report = simulate(scenario, trace ? { trace: tracedLine } : {});
    add(totals, report);
    if (report.failure !== undefined) {
      failures.push({ seed, reason: report.failure });
      if (!json && mutant === undefined) tellFailure(seed, players, report.failure);
      // One finding is what a planted fault is for.
      if (mutant !== undefined) break;
    }
    if (process.stderr.isTTY && performance.now() - toldMs > PROGRESS_MS) {
      toldMs = performance.now();
      process.stderr.write(`\rseed ${seed} of ${last}, ${failures.length} failed `);
    }
  }
  if (process.stderr.isTTY && toldMs !== startMs) process.stderr.write('\r\x1b[K');
  const wallMs = performance.now() - startMs;
  const realTimeFactor = Math.round(totals.virtualMs / wallMs);
  const { runs, rollbacks, frames } = totals;
  const found = failures[0];
  if (json) console.log(JSON.stringify({ runs, failures, rollbacks, frames, realTimeFactor }));
  else if (mutant !== undefined) {
    if (found === undefined) console.log(`"${mutant}" was not found by seeds ${first} to ${last}.`);
    else console.log(`"${mutant}" was found by seed ${found.seed}, in run ${runs}: ${found.reason}`);
  } else {
    console.log(
      `${runs} runs, ${failures.length} failed; ${totals.level} judged in the calm (${totals.free} of them with room for no stall), ${totals.silenced} ended by silence; ` +
        `${frames} frames, ${rollbacks} rollbacks, ${totals.stalls} stalls, ${totals.interruptions} interruptions; ` +
        `${Math.round(totals.virtualMs / 1000)} s in ${(wallMs / 1000).toFixed(1)} s, ${realTimeFactor} times real time.`,
    );
  }
  // A planted fault must be found; else nothing may be.
  return (found === undefined) === (mutant === undefined) ? 0 : 1;
}

function add(totals: { [figure: string]: number }, report: RunReport): void {
  const figures = {
    runs: 1,
    rollbacks: report.rollbacks,
    frames: report.frames,
    stalls: report.stalls,
    interruptions: report.interruptions,
    silenced: report.wasSilenced ? 1 : 0,
    level: report.wasLevel ? 1 : 0,
    free: report.wasFree ? 1 : 0,
    virtualMs: report.virtualMs,
  };
  for (const [figure, value] of Object.entries(figures)) totals[figure] = (totals[figure] ?? 0) + value;
}

function tellFailure(seed: number, players: number | undefined, reason: string): void {
  const asked = players === undefined ? '' : ` --players ${players}`;
  console.log(`seed ${seed} failed: ${reason}\n  npm run sim -- --seed ${seed}${asked} --trace`);
}

const given: Asked = JSON.parse(process.argv[2] ?? '');
process.exitCode = run(given);
