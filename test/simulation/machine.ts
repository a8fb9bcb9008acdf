import type { Game, RecordingWriter } from '@riposte/shared';
import { matchRecording } from '../../client/src/recorder/match-recording.js';
import { Session } from '../../client/src/session/session.js';
import type { SessionEvent } from '../../client/src/session/session-types.js';
import type { Channel } from '../../client/src/transport/transport.js';
import { require } from './failure.js';
import { Luck } from './luck.js';
import { inputOf, Player } from './player.js';
import type { MachinePlan, Scenario } from './scenario.js';
import { type Input, type State, Watch } from './watch.js';
import type { WorldEvent } from './world-event.js';

/** The seed that player 0 proposes for the game. */
const MATCH_SEED = 7;
/** By the session's own word: silence before it says so, and before it gives up. Clocks here differ by 200 ppm. */
const INTERRUPTED_MS_MIN = 540;
const LOST_MS_MIN = 9990;
/** A machine that was awake for so long and heard nothing must have said so. */
const INTERRUPTED_MS_MAX = 1500;

/** What a machine does to the world. */
export interface MachineOutput {
  send(channel: Channel, bytes: Uint8Array): void;
  event(event: SessionEvent): void;
  /** A message that waited was read, or dropped: its bytes may be used again. */
  read(message: WorldEvent): void;
}

/** One machine: a thread that draws, ticks and reads messages one after the other, with a clock of its own. */
export class Machine {
  readonly me: number;
  readonly plan: MachinePlan;
  readonly session: Session<State, Input>;
  readonly watch: Watch;
  recording: RecordingWriter | undefined;
  ended: Extract<SessionEvent, { type: 'ended' }> | undefined;
  /** The match was ended by silence, as the rule is, and the log confirms the silence. */
  wasSilenced = false;
  interruptions = 0;
  /** Until then its thread is busy. */
  busyUntilMs = 0;
  isOpen = false;
  /** False between the end of a connection and the next one. */
  isConnected = true;
  /** When anything last came from the other side, and when a packet of the match did, or the handshake or match began. */
  #heardMs = 0;
  #packetMs = 0;
  #phase: 'syncing' | 'running' | 'interrupted' | 'ended' = 'syncing';
  #nowMs = 0;
  #drawnMs = 0;
  /** Since then it has drawn without a gap. */
  #awakeSinceMs = 0;
  #isClosed = false;
  readonly #early: WorldEvent[] = [];
  /** The other side closed because it had waited in vain. */
  #isGivenUp = false;
  readonly #player: Player;
  readonly #luck: Luck;
  readonly #output: MachineOutput;
  readonly #inbox: WorldEvent[] = [];

  constructor(scenario: Scenario, me: number, game: Game<State, Input>, output: MachineOutput) {
    const plan = scenario.machines[me]!;
    this.me = me;
    this.plan = plan;
    this.watch = new Watch(me);
    this.#output = output;
    this.#luck = new Luck(scenario.seed, 100 + me);
    this.#player = new Player(plan.habit, new Luck(scenario.seed, 200 + me));
    this.session = new Session(
      {
        game,
        me,
        name: `player ${me}`,
        seed: MATCH_SEED,
        inputDelay: plan.inputDelay,
        maxPrediction: scenario.maxPrediction,
        frames: scenario.ending.kind === 'leave' ? undefined : scenario.ending.frames,
        clock: plan.meteredMs === undefined ? undefined : meteredClock(plan.meteredMs),
        record: (agreed) => {
          this.recording = matchRecording(game, me, agreed, 'simulation');
          return this.recording;
        },
      },
      { send: (_player, channel, bytes) => output.send(channel, bytes), event: (event) => this.#take(event) },
    );
  }

  /** What its clock shows. */
  localMs(nowMs: number): number {
    const { clockStartMs, clockSkewPpm, clockStepMs } = this.plan;
    const ms = clockStartMs + nowMs * (1 + clockSkewPpm / 1e6);
    return clockStepMs === 0 ? ms : Math.floor(ms / clockStepMs) * clockStepMs;
  }

  open(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#heardMs = nowMs;
    this.#packetMs = nowMs;
    this.#drawnMs = nowMs;
    this.#awakeSinceMs = nowMs;
    this.isOpen = true;
    this.session.open(this.localMs(nowMs), 1 - this.me);
  }

  /** A new connection is there. */
  reopen(nowMs: number): void {
    this.readInbox(nowMs);
    this.#nowMs = nowMs;
    this.isConnected = true;
    this.session.open(this.localMs(nowMs), 1 - this.me);
    for (const message of this.#early) this.#read(nowMs, message);
    this.#early.length = 0;
  }

  /** Whether a message has to wait now. */
  isBusy(nowMs: number): boolean {
    return !this.isOpen || nowMs < this.busyUntilMs;
  }

  /** Takes a message, now or when the thread is free. */
  deliver(nowMs: number, message: WorldEvent): void {
    // A new connection keeps what comes before the page listens to it.
    if (!this.isConnected && !message.isClose) this.#early.push(message);
    else if (this.isBusy(nowMs)) this.#inbox.push(message);
    else this.#read(nowMs, message);
  }

  /** Reads what waited. */
  readInbox(nowMs: number): void {
    for (const message of this.#inbox) this.#read(nowMs, message);
    this.#inbox.length = 0;
  }

  #read(nowMs: number, message: WorldEvent): void {
    this.#nowMs = nowMs;
    const { session, watch } = this;
    const { from, channel, bytes, length, newest, epoch } = message;
    if (message.isClose) {
      this.#isClosed = true;
      this.#isGivenUp = from.wasSilenced && from !== this;
      session.closed(1 - this.me, from === this ? 'The connection was cut.' : 'The other side closed the connection.');
      return;
    }
    this.#isClosed = false;
    const dropped = session.droppedPackets;
    const isRunning = session.sim !== undefined && this.ended === undefined;
    // A packet that was sent before its sender knew what the new connection is called.
    const isOther = channel === 'unreliable' && isRunning && epoch !== session.epochOf(from.me);
    session.receive(this.localMs(nowMs), from.me, channel, bytes.subarray(0, length));
    this.#heardMs = nowMs;
    const isTaken = channel === 'unreliable' && isRunning && !isOther;
    if (isTaken) this.#packetMs = nowMs;
    require(session.droppedPackets === dropped + (isOther ? 1 : 0), () =>
      isOther
        ? `player ${this.me} took a packet of epoch ${epoch}`
        : `player ${this.me} dropped a good packet of player ${from.me}`);
    if (isTaken) watch.heard(from.watch, newest, session.sim?.lastFrame() ?? -1);
    this.#output.read(message);
  }

  /** The page draws: the ticks that are due run. Returns how many. */
  draw(nowMs: number): number {
    this.#nowMs = nowMs;
    const { session } = this;
    // Which of two waiting tasks a browser runs first is not said.
    const readsFirst = this.#inbox.length > 0 && this.#luck.chance(0.5);
    if (readsFirst) this.readInbox(nowMs);
    const gapMs = nowMs - this.#drawnMs;
    this.#drawnMs = nowMs;
    if (gapMs > INTERRUPTED_MS_MIN / 2) this.#awakeSinceMs = nowMs;
    const localMs = this.localMs(nowMs);
    const ticks = session.dueTicks(localMs);
    require(ticks <= 3, () => `player ${this.me} was told to run ${ticks} ticks in one drawn frame`);
    for (let tick = 0; tick < ticks; tick++) {
      const word = this.#player.next();
      this.watch.tick(session, word, () => session.tick(localMs, inputOf(word)));
    }
    this.busyUntilMs = Math.max(this.busyUntilMs, nowMs + ticks * this.plan.tickMs);
    const silentMs = nowMs - Math.max(this.#heardMs, this.#awakeSinceMs);
    require(this.#phase !== 'running' || silentMs < INTERRUPTED_MS_MAX, () =>
      `player ${this.me} heard nothing for ${Math.round(silentMs)} ms and did not say so`);
    if (!readsFirst && this.#inbox.length > 0 && ticks === 0) this.readInbox(nowMs);
    return ticks;
  }

  changeDelay(nowMs: number, inputDelay: number): void {
    this.#nowMs = nowMs;
    this.session.setInputDelay(inputDelay);
  }

  leave(nowMs: number): void {
    this.#nowMs = nowMs;
    this.session.leave();
  }

  #take(event: SessionEvent): void {
    const before = this.#phase;
    require(before !== 'ended', () => `player ${this.me} told of "${event.type}" after the end`);
    this.#output.event(event);
    switch (event.type) {
      case 'running':
        require(before !== 'running', () => `player ${this.me} told twice that it runs`);
        this.#phase = 'running';
        this.#packetMs = this.#nowMs;
        return;
      case 'interrupted': {
        const silentMs = this.#nowMs - this.#packetMs;
        require(before === 'running', () => `player ${this.me} was interrupted while ${before}`);
        require(silentMs >= INTERRUPTED_MS_MIN || this.#isClosed, () =>
          `player ${this.me} was interrupted after ${Math.round(silentMs)} ms of silence`);
        this.#phase = 'interrupted';
        this.interruptions++;
        return;
      }
      case 'desync':
        require(false, () => `player ${this.me} reports a desync at frame ${event.frame}`);
        return;
      case 'ended':
        this.#phase = 'ended';
        this.ended = event;
        this.recording?.end(event.cause);
        if (event.cause === 'lost') this.#checkLost();
    }
  }

  /** A match may be given up for silence only: its own, by the log, or that of the side which closed. */
  #checkLost(): void {
    const silentMs = this.#nowMs - this.#packetMs;
    this.wasSilenced = silentMs >= LOST_MS_MIN || this.#isGivenUp;
    require(this.wasSilenced, () => `player ${this.me} gave up after ${Math.round(silentMs)} ms of silence`);
  }
}

/** A clock for the engine's cost meter: each reading lies about `ms` after the one before. */
function meteredClock(ms: number): () => number {
  const luck = new Luck(Math.round(ms * 1e6), 0);
  let nowMs = 0;
  return () => {
    nowMs += ms * luck.between(0.5, 1.5);
    return nowMs;
  };
}
