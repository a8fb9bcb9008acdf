import { type Game, readRecording, replay, verify } from '@riposte/shared';
import { require } from './failure.js';
import type { Machine } from './machine.js';
import { inputOf } from './player.js';
import type { Scenario } from './scenario.js';
import { type Input, inputAt, type State } from './watch.js';

/** The rings that a session has from its start to its end. */
const HISTORY = 128;
/** The checker's ring of hashes. */
const HASHES = 16_384;
/** A recording's bytes: the header and the end; at most four of a hash and three of each input a frame; its chunks. */
const RECORDING_BYTES = 600;
const RECORDING_FRAME_BYTES = 12;
/** Fewer frames than this are no match, unless the scenario asks for fewer. */
const FRAMES_MIN = 30;

/** All that must be true when every machine has ended. */
export function judgeEnd(scenario: Scenario, machines: readonly Machine[], game: Game<State, Input>): void {
  const causes = machines.map(({ ended }) => ended?.cause ?? 'running');
  const isSilenced = machines.some(({ wasSilenced }) => wasSilenced);
  const told = causes.join(' and ');
  if (isSilenced) {
    // Who leaves does not wait until the silence is long enough; who has every frame has played the match to its end.
    const leaver = scenario.ending.kind === 'leave' ? scenario.ending.player : -1;
    for (const { me, session } of machines) {
      const isComplete = session.driver?.isComplete === true;
      const expected = isComplete ? 'finished' : me === leaver && causes[me] === 'left' ? 'left' : 'lost';
      require(causes[me] === expected, () =>
        `after a silence the match ended as ${told}; player ${me} had ${isComplete ? 'all' : 'not all'} of its frames`);
    }
  } else if (scenario.ending.kind === 'leave') {
    const { player } = scenario.ending;
    require(causes.every((cause, me) => cause === (me === player ? 'left' : 'peer-left')), () =>
      `player ${player} left, and the match ended as ${told}`);
  } else {
    require(causes.every((cause) => cause === 'finished'), () => `a match that was to be finished ended as ${told}`);
  }
  for (const machine of machines) judgeMachine(machine, causes[machine.me] === 'finished');
  judgeReplay(machines, game);
  judgeWork(scenario, machines);
}

function judgeMachine(machine: Machine, isFinished: boolean): void {
  const { me, watch, session, recording } = machine;
  const { sim, driver } = session;
  if (sim === undefined || driver === undefined || recording === undefined) return;
  const { rollbacks } = sim.stats;
  require(rollbacks === watch.rollbacks, () =>
    `player ${me} made ${rollbacks} rollbacks; by the link's log predictions were wrong in ${watch.rollbacks} ticks`);
  require(driver.remoteInputChanges === watch.remoteChanges, () =>
    `player ${me} counted ${driver.remoteInputChanges} changes of the other's input; there were ${watch.remoteChanges}`);
  require(driver.stalledFrames === watch.stalls, () =>
    `player ${me} counted ${driver.stalledFrames} stalls of ${watch.stalls}`);
  require(sim.history === HISTORY && driver.checker.capacity === HASHES, () =>
    `player ${me} keeps ${sim.history} frames and ${driver.checker.capacity} hashes; expected ${HISTORY} and ${HASHES}`);
  const frames = watch.confirmed + 1;
  if (isFinished) {
    require(driver.endFrame === frames, () => `player ${me} finished ${frames} frames of ${driver.endFrame}`);
  }
  const bytes = recording.bytes();
  require(bytes.length <= RECORDING_BYTES + frames * RECORDING_FRAME_BYTES, () =>
    `player ${me}'s recording of ${frames} frames has ${bytes.length} bytes`);
  const read = readRecording(bytes);
  require(read.complete && read.frames === frames, () =>
    `player ${me}'s recording holds ${read.frames} of ${frames} frames, ${read.complete ? 'with' : 'without'} its end`);
  for (let frame = 0; frame < frames; frame++) {
    require(read.hashes[frame] === watch.hashes[frame], () =>
      `player ${me}'s recording has another hash of frame ${frame}`);
  }
  const { firstMismatch } = verify(sim.game, read);
  require(firstMismatch === null, () =>
    `player ${me}'s recording does not verify from frame ${firstMismatch?.frame} on`);
}

/** Every frame that was ever confirmed equals what the inputs give when they are known from the start. */
function judgeReplay(machines: readonly Machine[], game: Game<State, Input>): void {
  const frames = Math.max(...machines.map(({ watch }) => watch.confirmed + 1));
  const agreed = machines[0]?.session.running?.agreed;
  if (agreed === undefined || frames === 0) return;
  const inputs = Array.from({ length: frames }, (_, frame) =>
    machines.map(({ watch }) => inputOf(inputAt(watch, frame))),
  );
  replay(game, inputs, {
    seed: agreed.seed,
    settings: agreed.settings,
    onState: (next, state) => {
      if (next === 0) return;
      const hash = game.state.hash(state);
      for (const { me, watch } of machines) {
        require(next - 1 > watch.confirmed || watch.hashes[next - 1] === hash, () =>
          `player ${me} confirmed frame ${next - 1} with another state than a replay of its inputs`);
      }
    },
  });
}

/** A run in which nothing happened proves nothing. */
function judgeWork({ ending }: Scenario, machines: readonly Machine[]): void {
  const isSilenced = machines.some(({ wasSilenced }) => wasSilenced);
  // A game that decides by itself may do so at once.
  const asked = ending.kind === 'over' ? 1 : ending.kind === 'leave' ? FRAMES_MIN : Math.min(FRAMES_MIN, ending.frames);
  let wrong = 0;
  let made = 0;
  for (const { me, watch, session } of machines) {
    const frames = watch.confirmed + 1;
    require(frames >= asked || isSilenced, () => `no real work: player ${me} confirmed ${frames} frames`);
    const states = new Set(watch.hashes.subarray(0, frames)).size;
    require(states > frames / 2 || frames === 0, () =>
      `no real work: the ${frames} frames of player ${me} have ${states} states`);
    wrong += watch.wrongTicks;
    made += session.sim?.stats.rollbacks ?? 0;
  }
  require(wrong === 0 || made > 0, () => `no real work: no rollback, and predictions were wrong in ${wrong} ticks`);
}
