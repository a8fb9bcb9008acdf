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
/** A recording's bytes: the header, the end and its chunks; of a frame, those of its hash and of each input. */
const RECORDING_BYTES = 600;
const RECORDING_HASH_BYTES = 4;
const RECORDING_INPUT_BYTES = 3;
/** It tells of each rollback, once for each player whose input caused it, and of each stall. */
const RECORDING_EVENT_BYTES = 4;
/** While a match stands, it goes on telling once a second how far each of the others is. */
const RECORDING_SAMPLE_BYTES = 9;
/** Fewer frames than this are no match, unless the scenario asks for fewer. */
const FRAMES_MIN = 30;

/** All that must be true when every machine has ended. */
export function judgeEnd(scenario: Scenario, machines: readonly Machine[], game: Game<State, Input>): void {
  if (machines.length === 2 && scenario.departures.length === 0) judgePair(scenario, machines);
  for (const machine of machines) if (!machine.isAway) judgeMachine(machine, machines.length === 2);
  for (const { watch } of machines) watch.checkUndisputed();
  judgeAgreement(machines);
  judgeReplay(machines, game);
  judgeWork(scenario, machines);
}

/** How a match of two who stayed ended, for both of them. */
function judgePair(scenario: Scenario, machines: readonly Machine[]): void {
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
}

/** What a machine had at its end. Of two players the log knows every input that arrived: others may be passed on. */
function judgeMachine({ me, watch, session, recording, ended }: Machine, isPair: boolean): void {
  const { sim, driver } = session;
  if (sim === undefined || driver === undefined || recording === undefined) return;
  if (watch.isNew(session)) {
    // What was watched is a match before: it was told this one, and left it before its first tick.
    require(driver.checker.newest < driver.firstFrame, () => `player ${me} confirmed frames without a tick`);
    return;
  }
  const { rollbacks } = sim.stats;
  require(rollbacks === watch.rollbacks || !isPair, () =>
    `player ${me} made ${rollbacks} rollbacks; by the link's log predictions were wrong in ${watch.rollbacks} ticks`);
  require(driver.remoteInputChanges === watch.ownRemoteChanges, () =>
    `player ${me} counted ${driver.remoteInputChanges} changes of others' inputs; there were ${watch.ownRemoteChanges}`);
  require(driver.stalledFrames === watch.ownStalls, () =>
    `player ${me} counted ${driver.stalledFrames} stalls of ${watch.ownStalls}`);
  require(sim.history === HISTORY && driver.checker.capacity === HASHES, () =>
    `player ${me} keeps ${sim.history} frames and ${driver.checker.capacity} hashes; expected ${HISTORY} and ${HASHES}`);
  const { first, confirmed } = watch;
  if (ended?.cause === 'finished') {
    require(driver.endFrame === confirmed + 1, () =>
      `player ${me} finished ${confirmed + 1} frames of ${driver.endFrame}`);
  }
  const frames = confirmed + 1 - first;
  const bytes = recording.bytes();
  const samples = Math.ceil(watch.ownStalls / sim.game.tickRate) * (sim.players - 1);
  const events = rollbacks * (sim.players - 1) + watch.ownStalls;
  const bytesMax =
    RECORDING_BYTES +
    frames * (RECORDING_HASH_BYTES + sim.players * RECORDING_INPUT_BYTES) +
    events * RECORDING_EVENT_BYTES +
    samples * RECORDING_SAMPLE_BYTES;
  require(bytes.length <= bytesMax, () => `player ${me}'s recording of ${frames} frames has ${bytes.length} bytes`);
  const read = readRecording(bytes);
  require(read.complete && read.frames === frames, () =>
    `player ${me}'s recording holds ${read.frames} of ${frames} frames, ${read.complete ? 'with' : 'without'} its end`);
  let wasSomebodyGone = false;
  for (let frame = first; frame <= confirmed; frame++) {
    require(read.hashes[frame - first] === watch.hashes[frame], () =>
      `player ${me}'s recording has another hash of frame ${frame}`);
    if (watch.gone[frame] !== 0) wasSomebodyGone = true;
  }
  // A recording does not tell who was not there.
  if (wasSomebodyGone) return;
  const { firstMismatch } = verify(sim.game, read);
  require(firstMismatch === null, () =>
    `player ${me}'s recording does not verify from frame ${firstMismatch?.frame} on`);
}

/** Those who are in the match at its end have the same frames, without exception. */
function judgeAgreement(machines: readonly Machine[]): void {
  const atEnd = machines.filter(({ ended }) => ended?.cause === 'finished');
  const [one, ...others] = atEnd;
  for (const { me, watch } of others) {
    const { first, confirmed } = one!.watch;
    require(watch.confirmed === confirmed, () =>
      `player ${one!.me} finished at frame ${confirmed}, and player ${me} at ${watch.confirmed}`);
    for (let frame = Math.max(first, watch.first); frame <= confirmed; frame++) {
      require(watch.hashes[frame] === one!.watch.hashes[frame] && watch.gone[frame] === one!.watch.gone[frame], () =>
        `players ${one!.me} and ${me} finished with another frame ${frame}`);
    }
  }
}

/** Every frame that was ever confirmed equals what the inputs give when they are known from the start. */
function judgeReplay(machines: readonly Machine[], game: Game<State, Input>): void {
  const frames = Math.max(...machines.map(({ watch }) => watch.confirmed + 1));
  const agreed = machines.find(({ session }) => session.running !== undefined)?.session.running?.agreed;
  if (agreed === undefined || frames === 0) return;
  // Who was there in a frame is what those say who were there themselves, the one who came farthest first.
  const byLength = machines.map(({ watch }) => watch).sort((a, b) => b.confirmed - a.confirmed);
  // Nobody may have been: the last one has gone, and another is let in later.
  const goneIn = (frame: number): number => {
    const known = byLength.filter((watch) => watch.isConfirmed[frame] === 1);
    const there = known.find((watch) => (watch.gone[frame]! & (1 << watch.me)) === 0);
    return (there ?? known[0])?.gone[frame] ?? 0;
  };
  const inputs = Array.from({ length: frames }, (_, frame) =>
    machines.map(({ watch }) => inputOf(inputAt(watch, frame))),
  );
  replay(game, inputs, {
    seed: agreed.seed,
    settings: agreed.settings,
    isGone: (player, frame) => (goneIn(frame) & (1 << player)) !== 0,
    onState: (next, state) => {
      if (next === 0) return;
      const frame = next - 1;
      const hash = game.state.hash(state);
      const gone = goneIn(frame);
      for (const { me, watch } of machines) {
        if (watch.isConfirmed[frame] === 0 || (gone & (1 << me)) !== 0) continue;
        require(watch.hashes[frame] === hash, () =>
          `player ${me} confirmed frame ${frame} with another state than a replay of its inputs`);
      }
    },
  });
}

/** A run in which nothing happened proves nothing. */
function judgeWork({ ending, departures }: Scenario, machines: readonly Machine[]): void {
  const isSilenced = departures.length > 0 || machines.some(({ wasSilenced }) => wasSilenced);
  // A game that decides by itself may do so at once.
  const asked = ending.kind === 'over' ? 1 : ending.kind === 'leave' ? FRAMES_MIN : Math.min(FRAMES_MIN, ending.frames);
  let wrong = 0;
  let made = 0;
  for (const { me, watch, session } of machines) {
    const frames = watch.confirmed + 1 - watch.first;
    require(frames >= asked || isSilenced || machines.length > 2, () =>
      `no real work: player ${me} confirmed ${frames} frames`);
    const states = new Set(watch.hashes.subarray(watch.first, watch.confirmed + 1)).size;
    require(states > frames / 2 || frames === 0, () =>
      `no real work: the ${frames} frames of player ${me} have ${states} states`);
    wrong += watch.wrongTicks;
    made += session.sim?.stats.rollbacks ?? 0;
  }
  require(wrong === 0 || made > 0 || departures.length > 0, () =>
    `no real work: no rollback, and predictions were wrong in ${wrong} ticks`);
}
