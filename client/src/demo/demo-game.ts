import type { Game } from '@riposte/shared';
import { duel, race, race4 } from '@riposte/shared/games';
import type { AuthorityMatchStatus } from '../authority/client-match.js';
import { joinAuthority } from '../authority/join-authority.js';
import { duelPad, pairDuelKeys, pairRaceKeys, racePad, soloDuelKeys, soloRaceKeys } from '../input/bindings.js';
import { seededBot } from '../input/bot.js';
import { eitherOf } from '../input/either-of.js';
import { gamepad, type PadBindings } from '../input/gamepad.js';
import type { KeyBindings } from '../input/keyboard.js';
import { touch } from '../input/touch.js';
import type { RoomSeat } from '../lobby/room.js';
import { joinMatch } from '../match/join.js';
import { playLocal } from '../match/local.js';
import type { Match, MatchEvents, MatchStatus, Phase } from '../match/match.js';
import { watchMatch } from '../match/watch.js';
import type { Route } from '../transport/transport.js';
import { duelCpu } from './duel-cpu.js';
import { duelNews } from './duel-news.js';
import { duelSounds } from './duel-sounds.js';
import { duelDummy, duelTraining } from './duel-training.js';
import { duelView, trainingView } from './duel-view.js';
import { keptMatches } from './kept-matches.js';
import { type KeyLegend, type KeySet, KeyStore } from './key-store.js';
import { MatchKeys } from './match-keys.js';
import { type Pad, type PadLayout, padOf } from './pad.js';
import type { GameId, MatchRequest, Meeting } from './params.js';
import { PlantedFault } from './planted-fault.js';
import { Presentation, type PresentationParts } from './presentation.js';
import { raceView } from './race-view.js';

/** A match whose game the page need not know. */
export interface LiveMatch {
  readonly me: number;
  readonly game: { readonly tickRate: number };
  status(): MatchStatus & Partial<AuthorityMatchStatus>;
  on<E extends keyof MatchEvents>(event: E, listener: MatchEvents[E]): () => void;
  stateAt(frame: number): unknown;
  hashAt(frame: number): number;
  recording(): Promise<Uint8Array>;
  setInputDelay(inputDelay: number | 'auto'): void;
  report(): Promise<Uint8Array>;
  route(): Promise<Route | null>;
  pause(): void;
  resume(): void;
  rematch(): Promise<void>;
  leave(): void;
  /** The game's result, once its confirmed frames have one. */
  result(): unknown;
  /** The buttons on the screen; null where nobody here plays by them. */
  readonly pad: Pad | null;
  /** Calls `listener` with what counts, in words; returns a function that stops that. */
  onNews(listener: (news: string) => void): () => void;
  /** The dummy that one trains with; null in a match. */
  readonly dummy: Dummy | null;
  /** What the page's player can make go wrong; null where its address does not ask for it. */
  readonly fault: PlantedFault | null;
}

/** A dummy, and what it can do. */
export interface Dummy {
  readonly habits: readonly Titled[];
  readonly habit: string;
  choose(id: string): void;
}

export interface Titled {
  readonly id: string;
  readonly title: string;
}

export interface JoinHandlers {
  readonly signal: AbortSignal;
  onRoom(code: string): void;
  onSeats(here: number, size: number): void;
  onPhase(phase: Phase, status: MatchStatus): void;
}

/** A game as the page offers it. */
export interface DemoGame {
  readonly id: GameId;
  readonly title: string;
  readonly pitch: string;
  /** The keys of one player, and of the left and the right one of two. */
  readonly soloKeys: readonly KeyLegend[];
  readonly pairKeys: readonly [readonly KeyLegend[], readonly KeyLegend[]];
  /** The same to be changed: of one player, and of two at one keyboard. */
  readonly keySets: readonly [KeySet, KeySet];
  readonly hints: readonly string[];
  join(canvas: HTMLCanvasElement, meeting: Meeting, request: MatchRequest, handlers: JoinHandlers): Promise<LiveMatch>;
  playLocal(canvas: HTMLCanvasElement, request: MatchRequest): LiveMatch;
  /** Whom one can practise against alone. */
  readonly partners: readonly Titled[];
  practise(canvas: HTMLCanvasElement, request: MatchRequest, partner: string): LiveMatch;
}

/** A computer player: what it presses in the frame after `state`. */
interface Partner<S, I> extends Titled {
  readonly plays: (state: S, player: number) => Partial<I>;
}

interface Practice<S, I> {
  readonly computers: readonly Partner<S, I>[];
  /** The game for training, where nothing is decided, and what its dummy can do. */
  readonly training: {
    readonly game: Game<S, I>;
    readonly view: PresentationParts<S>['view'];
    readonly habits: readonly [Partner<S, I>, ...Partner<S, I>[]];
  };
}

/** The partner that is trained with. */
const TRAINING: Titled = { id: 'training', title: 'Training dummy' };

interface DemoGameParts<S, N extends string> extends PresentationParts<S> {
  readonly id: GameId;
  readonly game: Game<S, Readonly<Record<N, boolean>>>;
  /** The game in which more than two can play. */
  readonly crowd?: Game<S, Readonly<Record<N, boolean>>>;
  readonly title: string;
  readonly pitch: string;
  readonly actions: Readonly<Record<N, string>>;
  readonly solo: KeyBindings<N>;
  readonly pair: readonly [KeyBindings<N>, KeyBindings<N>];
  readonly gamepad: PadBindings<N>;
  readonly pad: PadLayout<N>;
  readonly hints: readonly string[];
  readonly practice?: Practice<S, Readonly<Record<N, boolean>>>;
}

function demoGame<S, N extends string>(parts: DemoGameParts<S, N>): DemoGame {
  const { game } = parts;
  // The actions are written as a literal: its keys are N.
  const names = Object.keys(parts.actions) as N[];
  const solo = new KeyStore(`${parts.id}.solo`, parts.actions, [{ title: 'Alone or online', keys: parts.solo }]);
  const pair = new KeyStore(`${parts.id}.pair`, parts.actions, [
    { title: 'Left player', keys: parts.pair[0] },
    { title: 'Right player', keys: parts.pair[1] },
  ]);
  /** All that one person plays with. */
  const person = () => {
    const keys = new MatchKeys(() => solo.bindings(0));
    const fingers = touch(names);
    return {
      input: eitherOf(names, keys.read, gamepad(parts.gamepad), fingers),
      pad: padOf(parts.pad, parts.actions, fingers),
      keys,
    };
  };
  return {
    id: parts.id,
    title: parts.title,
    pitch: parts.pitch,
    hints: parts.hints,
    get soloKeys() {
      return solo.legend(0);
    },
    get pairKeys() {
      return [pair.legend(0), pair.legend(1)] as const;
    },
    keySets: [solo, pair],
    partners: parts.practice === undefined ? [] : [TRAINING, ...parts.practice.computers],

    async join(canvas, meeting, request, handlers) {
      if ('watch' in meeting) return watch(parts, canvas, meeting.watch, request, handlers);
      const { bot, players = parts.game.players } = request;
      const { desync } = request;
      const game = { ...gameFor(parts, request), ...(desync !== undefined && { desync }) };
      const { input, pad, keys } = person();
      const fault = request.fault === 'key' ? new PlantedFault() : request.fault;
      const presentation = new Presentation(parts, canvas);
      const { signal } = handlers;
      try {
        const options = {
          server: location.origin,
          input: bot === undefined ? input : seededBot(game.input, bot),
          draw: presentation.draw,
          archive: keptMatches,
          onEffect: presentation.onEffect,
          onFact: presentation.onFact,
          signal,
          onRoom: ({ code }: { code: string }) => handlers.onRoom(code),
          onSeats: (seats: readonly RoomSeat[], size: number) => handlers.onSeats(seats.length, size),
          onPhase: (phase: Phase, status: MatchStatus) => handlers.onPhase(phase, status),
          ...(request.name !== undefined && { name: request.name }),
          ...(request.frames !== undefined && { frames: request.frames }),
          ...(request.inputDelay !== undefined && { inputDelay: request.inputDelay }),
          ...(request.transport !== undefined && { transport: request.transport }),
          ...(fault !== undefined && { fault: typeof fault === 'number' ? fault : fault.at }),
          ...(request.link !== undefined && { link: request.link }),
        };
        const match =
          request.authority && 'room' in meeting
            ? await joinAuthority(game, { ...options, room: meeting.room })
            : await joinMatch(game, { ...meeting, ...options, players });
        return live(
          match,
          presentation,
          [keys],
          bot === undefined ? pad : null,
          null,
          typeof fault === 'object' ? fault : null,
        );
      } catch (error) {
        keys.rest();
        throw error;
      }
    },

    playLocal(canvas, request) {
      const keys = [0, 1].map((player) => new MatchKeys(() => pair.bindings(player)));
      const { bot } = request;
      const presentation = new Presentation(parts, canvas);
      const people = keys.map(({ read }, player) => eitherOf(names, read, gamepad(parts.gamepad, { pad: player })));
      const match = playLocal(game, {
        inputs: bot === undefined ? people : [people[0]!, seededBot(game.input, bot)],
        draw: presentation.draw,
        archive: keptMatches,
        onEffect: presentation.onEffect,
        onFact: presentation.onFact,
        names: ['Left', 'Right'],
        ...(request.frames !== undefined && { frames: request.frames }),
      });
      return live(match, presentation, keys);
    },

    practise(canvas, request, id) {
      const { practice } = parts;
      const isTraining = id === TRAINING.id;
      const found = isTraining ? practice?.training.habits[0] : practice?.computers.find((each) => each.id === id);
      if (practice === undefined || found === undefined) throw new Error(`There is no ${id} to practise against.`);
      let partner = found;
      const { habits, view } = practice.training;
      const { input, pad, keys } = person();
      const presentation = new Presentation(isTraining ? { ...parts, view } : parts, canvas);
      const match = playLocal(isTraining ? practice.training.game : game, {
        inputs: [
          request.bot === undefined ? input : seededBot(game.input, request.bot),
          (state) => partner.plays(state, 1),
        ],
        me: 0,
        draw: presentation.draw,
        onEffect: presentation.onEffect,
        onFact: presentation.onFact,
        names: [request.name ?? 'Player', isTraining ? 'Dummy' : partner.title],
        // Training has no end that would be worth keeping.
        ...(!isTraining && { archive: keptMatches }),
        ...(request.frames !== undefined && { frames: request.frames }),
      });
      const dummy: Dummy = {
        habits,
        get habit() {
          return partner.id;
        },
        choose: (habit) => {
          partner = habits.find((each) => each.id === habit) ?? partner;
        },
      };
      return live(match, presentation, [keys], request.bot === undefined ? pad : null, isTraining ? dummy : null);
    },
  };
}

/** Watches the match of a room. */
async function watch<S, N extends string>(
  parts: DemoGameParts<S, N>,
  canvas: HTMLCanvasElement,
  room: string,
  request: MatchRequest,
  { signal, onPhase }: JoinHandlers,
): Promise<LiveMatch> {
  const presentation = new Presentation(parts, canvas);
  const match = await watchMatch(gameFor(parts, request), {
    server: location.origin,
    room,
    draw: presentation.draw,
    onEffect: presentation.onEffect,
    onFact: presentation.onFact,
    signal,
    onPhase,
    ...(request.name !== undefined && { name: request.name }),
    ...(request.behind !== undefined && { delay: request.behind }),
    ...(request.link !== undefined && { link: request.link }),
  });
  return live(match, presentation, []);
}

/** The game for as many players as are asked for. */
function gameFor<S, N extends string>({ game, crowd }: DemoGameParts<S, N>, { players }: MatchRequest): typeof game {
  return players !== undefined && players > game.players ? (crowd ?? game) : game;
}

/** Forgets the match's game, and lets its keys listen while it is played. */
function live<S, I>(
  match: Match<S, I>,
  { onNews }: Presentation<S>,
  keys: readonly Pick<MatchKeys<string>, 'listen' | 'rest'>[],
  pad: Pad | null = null,
  dummy: Dummy | null = null,
  fault: PlantedFault | null = null,
): LiveMatch {
  const follow = (phase: Phase): void => {
    const isOver = phase === 'ended' || phase === 'failed';
    for (const each of keys) isOver ? each.rest() : each.listen();
    if (isOver) fault?.clear();
  };
  match.on('phase', follow);
  follow(match.status().phase);
  return {
    get me() {
      return match.me;
    },
    game: match.game,
    pad,
    dummy,
    fault,
    onNews,
    status: () => match.status(),
    on: (event, listener) => match.on(event, listener),
    stateAt: (frame) => match.stateAt(frame),
    hashAt: (frame) => match.hashAt(frame),
    recording: () => match.recording(),
    setInputDelay: (inputDelay) => match.setInputDelay(inputDelay),
    report: () => match.report(),
    route: () => match.route(),
    pause: () => match.pause(),
    resume: () => match.resume(),
    rematch: () => match.rematch(),
    leave: () => match.leave(),
    result: () => {
      const { confirmedFrame } = match.status();
      return confirmedFrame < 0 ? undefined : match.game.over?.(match.stateAt(confirmedFrame + 1));
    },
  };
}

/** The games that the page offers, by id. */
export const demoGames: Readonly<Record<GameId, DemoGame>> = {
  duel: demoGame({
    id: 'duel',
    game: duel,
    title: 'Duel',
    pitch: 'Fencing, best of five. Read the wind-up, parry, riposte.',
    actions: {
      left: 'Walk left',
      right: 'Walk right',
      light: 'Light attack',
      heavy: 'Heavy attack',
      block: 'Guard',
      dash: 'Dash',
    },
    solo: soloDuelKeys,
    pair: pairDuelKeys,
    gamepad: duelPad,
    pad: [
      [
        ['left', '←'],
        ['right', '→'],
        ['dash', 'Dash'],
      ],
      [
        ['block', 'Guard'],
        ['light', 'Light'],
        ['heavy', 'Heavy'],
      ],
    ],
    hints: [
      'Guard and light together throw: that beats a guard.',
      'A guard raised just before the blow parries it, and your heavy attack then hits for sure.',
      'Hold back while you dash to spring away.',
      'On a gamepad: the left of the four buttons is light, the top one heavy, the bottom one dash, the right shoulder guard.',
    ],
    view: duelView,
    sounds: duelSounds,
    news: duelNews,
    practice: {
      computers: [
        { id: 'easy', title: 'Easy computer', plays: duelCpu('easy') },
        { id: 'medium', title: 'Medium computer', plays: duelCpu('medium') },
        { id: 'hard', title: 'Hard computer', plays: duelCpu('hard') },
      ],
      training: {
        game: duelTraining,
        view: trainingView,
        habits: [
          { id: 'stand', title: 'Stand', plays: duelDummy('stand') },
          { id: 'guard', title: 'Guard', plays: duelDummy('guard') },
          { id: 'light', title: 'Light attack', plays: duelDummy('light') },
          { id: 'heavy', title: 'Heavy attack', plays: duelDummy('heavy') },
          { id: 'throw', title: 'Throw', plays: duelDummy('throw') },
          { id: 'dash', title: 'Dash', plays: duelDummy('dash') },
        ],
      },
    },
  }),
  race: demoGame({
    id: 'race',
    game: race,
    crowd: race4,
    title: 'Race',
    pitch: 'The smallest game: one button, two to four cars.',
    actions: { right: 'Accelerate' },
    solo: soloRaceKeys,
    pair: pairRaceKeys,
    gamepad: racePad,
    pad: [[], [['right', 'Go']]],
    hints: [],
    view: raceView,
    sounds: {},
    news: () => undefined,
  }),
};
