import type { Game, RecordingWriter } from '@riposte/shared';
import { matchRecording } from '../../client/src/recorder/match-recording.js';
import * as party from '../../client/src/session/party.js';
import { Session } from '../../client/src/session/session.js';
import type { SessionEvent } from '../../client/src/session/session-types.js';
import type { Channel } from '../../client/src/transport/transport.js';
import { require } from './failure.js';
import { Hearing } from './hearing.js';
import { Luck } from './luck.js';
import { inputOf, Player } from './player.js';
import type { MachinePlan, Scenario } from './scenario.js';
import { type Input, type State, Watch } from './watch.js';
import type { WorldEvent } from './world-event.js';

/** The seed that player 0 proposes for the game. */
const MATCH_SEED = 7;
/** By the session's own word: silence before it says so. Clocks here differ by 200 ppm. */
const INTERRUPTED_MS_MIN = 540;
/** A machine that was awake for so long and heard nothing must have said so. */
const INTERRUPTED_MS_MAX = 1500;
/** All others know what it holds of the match that it was told, so long after. */
const TOLD_MS = 3000;

/** What a machine does to the world. */
export interface MachineOutput {
  send(player: number, channel: Channel, bytes: Uint8Array): void;
  event(event: SessionEvent): void;
  /** A message that waited was read, or dropped: its bytes may be used again. */
  read(message: WorldEvent): void;
}

/** One player's machine: a thread that draws, ticks and reads messages one after the other, with a clock of its own. */
export class Machine {
  readonly me: number;
  readonly plan: MachinePlan;
  readonly watch: Watch;
  readonly hearing: Hearing;
  session: Session<State, Input>;
  recording: RecordingWriter | undefined;
  ended: Extract<SessionEvent, { type: 'ended' }> | undefined;
  /** The match was ended by silence, as the rule is, and the log confirms the silence. */
  wasSilenced = false;
  interruptions = 0;
  /** Until then its thread is busy. */
  busyUntilMs = 0;
  isOpen = false;
  /** Its page is not there: gone for good, or until it is loaded again. */
  isAway = false;
  /** How often its page was loaded again. */
  reloads = 0;
  /** How often it began to play: at first, and whenever others told it the running match. */
  life = 0;
  /** By player: false between the end of a connection and the next one. */
  readonly isConnected: boolean[];
  readonly #others: readonly number[];
  readonly #game: Game<State, Input>;
  readonly #scenario: Scenario;
  #phase: 'syncing' | 'running' | 'interrupted' | 'ended' = 'syncing';
  #nowMs = 0;
  #drawnMs = 0;
  /** Since then it has drawn without a gap. */
  #awakeSinceMs = 0;
  /** When others last told it the running match. */
  toldMs = Number.NEGATIVE_INFINITY;
  /** By player: what came over a connection that the page does not listen to yet. */
  readonly #early: readonly WorldEvent[][];
  readonly #player: Player;
  readonly #luck: Luck;
  readonly #output: MachineOutput;
  readonly #inbox: WorldEvent[] = [];

  constructor(scenario: Scenario, me: number, game: Game<State, Input>, output: MachineOutput) {
    const plan = scenario.machines[me]!;
    const players = scenario.machines.map((_, player) => player);
    this.me = me;
    this.plan = plan;
    this.watch = new Watch(me, players.length);
    this.hearing = new Hearing(players.length);
    this.isConnected = players.map(() => true);
    this.#others = players.filter((player) => player !== me);
    this.#early = players.map(() => []);
    this.#game = game;
    this.#scenario = scenario;
    this.#output = output;
    this.#luck = new Luck(scenario.seed, 100 + me);
    this.#player = new Player(plan.habit, new Luck(scenario.seed, 200 + me));
    this.session = this.#newSession(false);
  }

  #newSession(returning: boolean): Session<State, Input> {
    const { maxPrediction, ending, machines } = this.#scenario;
    const { plan, me } = this;
    return new Session(
      {
        game: this.#game,
        me,
        players: machines.length,
        party,
        name: `player ${me}`,
        seed: MATCH_SEED,
        inputDelay: plan.inputDelay,
        maxPrediction,
        frames: ending.kind === 'leave' ? undefined : ending.frames,
        returning,
        clock: plan.meteredMs === undefined ? undefined : meteredClock(plan.meteredMs),
        record: (agreed) => {
          this.recording = matchRecording(this.#game, me, agreed, undefined, 'simulation');
          return this.recording;
        },
      },
      {
        // Without a connection there is nothing to send over.
        send: (player, channel, bytes) => {
          if (this.isConnected[player] === true) this.#output.send(player, channel, bytes);
        },
        event: (event) => this.#take(event),
      },
    );
  }

  /** Its page is there, and its match not over. */
  get isAlive(): boolean {
    return !this.isAway && this.ended === undefined;
  }

  /** It plays in the match, as far as it knows itself. */
  get isInside(): boolean {
    const { running } = this.session;
    return this.isAlive && running !== undefined && running.seats?.isOutside !== true;
  }

  /** What its clock shows. */
  localMs(nowMs: number): number {
    const { clockStartMs, clockSkewPpm, clockStepMs } = this.plan;
    const ms = clockStartMs + nowMs * (1 + clockSkewPpm / 1e6);
    return clockStepMs === 0 ? ms : Math.floor(ms / clockStepMs) * clockStepMs;
  }

  /** The page is there, with a connection to each of the others. */
  open(nowMs: number): void {
    this.#wake(nowMs);
    for (const player of this.#others) {
      this.hearing.begin(nowMs, player);
      this.session.open(this.localMs(nowMs), player);
    }
  }

  #wake(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#drawnMs = nowMs;
    this.#awakeSinceMs = nowMs;
    this.isOpen = true;
  }

  /** The page is gone, with all that it had. */
  goAway(): void {
    this.isAway = true;
    this.isConnected.fill(false);
    this.#inbox.length = 0;
    this.watch.lose();
    this.recording?.end('gone');
    this.recording = undefined;
  }

  /** The page is there again, without a connection yet, and with nothing of the match but its seat. */
  comeBack(nowMs: number): void {
    this.isAway = false;
    this.reloads++;
    this.busyUntilMs = nowMs;
    this.#phase = 'syncing';
    this.session = this.#newSession(true);
    this.#wake(nowMs);
  }

  /** A new connection to a player is there. */
  reopen(nowMs: number, player: number): void {
    this.readInbox(nowMs);
    this.#nowMs = nowMs;
    this.isConnected[player] = true;
    if (this.session.running === undefined) this.hearing.begin(nowMs, player);
    this.session.open(this.localMs(nowMs), player);
    for (const message of this.#early[player]!) this.#read(nowMs, message);
    this.#early[player]!.length = 0;
  }

  /** The connection to a machine ended: what came over it too early is lost. */
  forget({ me }: Machine): void {
    this.#early[me]!.length = 0;
  }

  /** Whether a message has to wait now. */
  isBusy(nowMs: number): boolean {
    return !this.isOpen || nowMs < this.busyUntilMs;
  }

  /** Takes a message, now or when the thread is free. */
  deliver(nowMs: number, message: WorldEvent): void {
    const from = message.from.me;
    // A new connection keeps what comes before the page listens to it.
    if (this.isConnected[from] !== true && !message.isClose) this.#early[from]!.push(message);
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
    const { session, watch, hearing } = this;
    const { from, channel, bytes, length, newest, epoch } = message;
    if (message.isClose) {
      hearing.closed(from.me);
      this.isConnected[from.me] = false;
      session.closed(from.me, message.isCut ? 'The connection was cut.' : 'The other side closed the connection.');
      return;
    }
    // What waited behind the end of its connection comes to nobody.
    if (this.isConnected[from.me] !== true) return;
    const dropped = session.droppedPackets;
    const { running } = session;
    const isOfMatch = channel === 'unreliable' && running !== undefined && this.ended === undefined;
    // Of a player who is lost here nothing is taken, until it comes back.
    const isPlayed = isOfMatch && running.isHere(from.me);
    // A packet that was sent before its sender knew what the new connection is called.
    const isOther = isPlayed && epoch !== session.epochOf(from.me);
    session.receive(this.localMs(nowMs), from.me, channel, bytes.subarray(0, length));
    this.#noticeLoss();
    hearing.heard(nowMs, from.me);
    if (channel === 'reliable') hearing.tookMessage(from.me, bytes);
    const isTaken = isPlayed && !isOther;
    const hasDropped = session.droppedPackets !== dropped;
    if (isTaken && !hasDropped) hearing.tookPacket(nowMs, from.me);
    // Who was told the match cannot follow what was sent by one who does not know yet what it holds; and of who was
    // told it since, what was sent before says nothing.
    const isOld = message.life !== from.life || !this.isInside || nowMs - this.toldMs < TOLD_MS;
    require(hasDropped === isOther || (isOfMatch && !isPlayed) || isOld, () =>
      isOther
        ? `player ${this.me} took a packet of epoch ${epoch}`
        : `player ${this.me} dropped a good packet of player ${from.me}`);
    if (isTaken && !hasDropped && message.life === from.life)
      watch.heard(from.watch, newest, session.sim?.lastFrame() ?? -1);
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
    this.#noticeLoss();
    require(ticks <= 3, () => `player ${this.me} was told to run ${ticks} ticks in one drawn frame`);
    for (let tick = 0; tick < ticks; tick++) {
      const word = this.#player.next();
      this.watch.tick(session, word, () => session.tick(localMs, inputOf(word)));
    }
    this.busyUntilMs = Math.max(this.busyUntilMs, nowMs + ticks * this.plan.tickMs);
    const heardAgoMs = Math.min(...this.#others.map((player) => this.hearing.silenceMs(nowMs, player)));
    const silentMs = Math.min(heardAgoMs, nowMs - this.#awakeSinceMs);
    const isAlone = this.#others.every((player) => session.running?.isHere(player) === false);
    require(this.#phase !== 'running' || silentMs < INTERRUPTED_MS_MAX || isAlone, () =>
      `player ${this.me} heard nothing for ${Math.round(silentMs)} ms and did not say so`);
    if (!readsFirst && this.#inbox.length > 0 && ticks === 0) this.readInbox(nowMs);
    return ticks;
  }

  /** The others play on without it: no event says so where it waits for others already. */
  #noticeLoss(): void {
    if (this.life > 0 && this.session.running === undefined) this.watch.lose();
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
    switch (event.type) {
      case 'running':
        require(before !== 'running', () => `player ${this.me} told twice that it runs`);
        this.#phase = 'running';
        if (before === 'syncing' || this.watch.isNew(this.session)) this.hearing.start(this.#nowMs);
        if (this.watch.isNew(this.session) && this.life++ > 0) this.toldMs = this.#nowMs;
        break;
      case 'interrupted':
        this.#checkInterrupted();
        this.#phase = 'interrupted';
        this.interruptions++;
        break;
      case 'desync':
        require(false, () => `player ${this.me} reports a desync at frame ${event.frame}`);
        break;
      case 'ended':
        this.#phase = 'ended';
        this.ended = event;
        this.recording?.end(event.cause);
        // Of more than two, the others may not have all that a leaver had.
        if (event.cause === 'lost' || (event.cause !== 'finished' && this.#others.length > 1)) this.watch.lose();
    }
    this.#output.event(event);
  }

  /** Somebody was silent, or this player was lost and its match is told to it again. */
  #checkInterrupted(): void {
    const { hearing, session } = this;
    require(this.#phase === 'running', () => `player ${this.me} was interrupted while ${this.#phase}`);
    const isSilent = this.#others.some(
      (player) => hearing.packetSilenceMs(this.#nowMs, player) >= INTERRUPTED_MS_MIN || hearing.isClosed(player),
    );
    // Outside of the match it may be sent what it cannot take.
    const isOutside = session.running?.seats?.isOutside !== false && this.#others.length > 1;
    require(isSilent || isOutside || session.running === undefined, () =>
      `player ${this.me} was interrupted, and heard all`);
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
