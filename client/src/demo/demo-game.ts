import type { EffectEvent, Game } from '@riposte/shared';
import { duel, race, race4 } from '@riposte/shared/games';
import type { AuthorityMatchStatus } from '../authority/client-match.js';
import { joinAuthority } from '../authority/join-authority.js';
import { pairDuelKeys, pairRaceKeys, soloDuelKeys, soloRaceKeys } from '../input/bindings.js';
import { seededBot } from '../input/bot.js';
import { eitherOf } from '../input/either-of.js';
import { type KeyBindings, keyboard } from '../input/keyboard.js';
import { type TouchSource, touch } from '../input/touch.js';
import type { RoomSeat } from '../lobby/room.js';
import { joinMatch } from '../match/join.js';
import { playLocal } from '../match/local.js';
import type { InputSource, Match, MatchEvents, MatchStatus, Phase } from '../match/match.js';
import { watchMatch } from '../match/watch.js';
import type { View } from './canvas.js';
import { duelView } from './duel-view.js';
import { keptMatches } from './kept-matches.js';
import type { GameId, MatchRequest, Meeting } from './params.js';
import { raceView } from './race-view.js';

/** A match whose game the page need not know. */
export interface LiveMatch {
  readonly me: number;
  status(): MatchStatus & Partial<AuthorityMatchStatus>;
  on<E extends keyof MatchEvents>(event: E, listener: MatchEvents[E]): () => void;
  stateAt(frame: number): unknown;
  hashAt(frame: number): number;
  recording(): Promise<Uint8Array>;
  leave(): void;
  /** The game's result, once its confirmed frames have one. */
  result(): unknown;
  /** The buttons on the screen; null where nobody here plays by them. */
  readonly pad: Pad | null;
}

/** Buttons for fingers, in two groups: left and right thumb. */
export interface Pad {
  readonly groups: readonly (readonly PadButton[])[];
  release(pointer: number): void;
  clear(): void;
}

export interface PadButton {
  readonly label: string;
  /** What it does, in words. */
  readonly action: string;
  press(pointer: number): void;
}

export interface JoinHandlers {
  readonly signal: AbortSignal;
  onRoom(code: string): void;
  onSeats(here: number, size: number): void;
  onPhase(phase: Phase, status: MatchStatus): void;
}

/** A line of the legend: what a button does, and the keys that press it. */
export interface KeyLegend {
  readonly action: string;
  readonly keys: string;
}

/** A game as the page offers it. */
export interface DemoGame {
  readonly id: GameId;
  readonly title: string;
  readonly pitch: string;
  /** The keys of one player, and of the left and the right one of two. */
  readonly soloKeys: readonly KeyLegend[];
  readonly pairKeys: readonly [readonly KeyLegend[], readonly KeyLegend[]];
  readonly hints: readonly string[];
  join(canvas: HTMLCanvasElement, meeting: Meeting, request: MatchRequest, handlers: JoinHandlers): Promise<LiveMatch>;
  playLocal(canvas: HTMLCanvasElement, request: MatchRequest): LiveMatch;
}

interface DemoGameParts<S, N extends string> {
  readonly id: GameId;
  readonly game: Game<S, Readonly<Record<N, boolean>>>;
  /** The game in which more than two can play. */
  readonly crowd?: Game<S, Readonly<Record<N, boolean>>>;
  readonly title: string;
  readonly pitch: string;
  readonly actions: Readonly<Record<N, string>>;
  readonly solo: KeyBindings<N>;
  readonly pair: readonly [KeyBindings<N>, KeyBindings<N>];
  readonly pad: readonly (readonly (readonly [name: N, label: string])[])[];
  readonly hints: readonly string[];
  readonly view: (canvas: HTMLCanvasElement) => View<S>;
}

function demoGame<S, N extends string>(parts: DemoGameParts<S, N>): DemoGame {
  const { game } = parts;
  // The actions are written as a literal: its keys are N.
  const names = Object.keys(parts.actions) as N[];
  return {
    id: parts.id,
    title: parts.title,
    pitch: parts.pitch,
    hints: parts.hints,
    soloKeys: legendOf(parts.actions, parts.solo),
    pairKeys: [legendOf(parts.actions, parts.pair[0]), legendOf(parts.actions, parts.pair[1])],

    async join(canvas, meeting, request, handlers) {
      if ('watch' in meeting) return watch(parts, canvas, meeting.watch, request, handlers);
      const { bot, players = parts.game.players } = request;
      const game = gameFor(parts, request);
      const keys = keyboard(parts.solo);
      const fingers = touch(names);
      const view = parts.view(canvas);
      const input: InputSource<Readonly<Record<N, boolean>>> =
        bot === undefined ? eitherOf(names, keys, fingers) : seededBot(game.input, bot);
      const { signal } = handlers;
      try {
        const options = {
          server: location.origin,
          input,
          draw: view,
          archive: keptMatches,
          onEffect: (effect: EffectEvent) => view.hear?.(effect),
          signal,
          onRoom: ({ code }: { code: string }) => handlers.onRoom(code),
          onSeats: (seats: readonly RoomSeat[], size: number) => handlers.onSeats(seats.length, size),
          onPhase: (phase: Phase, status: MatchStatus) => handlers.onPhase(phase, status),
          ...(request.name !== undefined && { name: request.name }),
          ...(request.frames !== undefined && { frames: request.frames }),
          ...(request.inputDelay !== undefined && { inputDelay: request.inputDelay }),
          ...(request.transport !== undefined && { transport: request.transport }),
          ...(request.fault !== undefined && { fault: request.fault }),
          ...(request.link !== undefined && { link: request.link }),
        };
        const match =
          request.authority && 'room' in meeting
            ? await joinAuthority(game, { ...options, room: meeting.room })
            : await joinMatch(game, { ...meeting, ...options, players });
        return live(match, bot === undefined ? padOf(parts, fingers) : null, () => keys.dispose());
      } catch (error) {
        keys.dispose();
        throw error;
      }
    },

    playLocal(canvas, request) {
      const keys = [keyboard(parts.pair[0]), keyboard(parts.pair[1])] as const;
      const { bot } = request;
      const view = parts.view(canvas);
      const match = playLocal(game, {
        inputs: bot === undefined ? keys : [keys[0], seededBot(game.input, bot)],
        draw: view,
        archive: keptMatches,
        onEffect: (effect) => view.hear?.(effect),
        names: ['Left', 'Right'],
        ...(request.frames !== undefined && { frames: request.frames }),
      });
      return live(match, null, () => {
        for (const source of keys) source.dispose();
      });
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
  const view = parts.view(canvas);
  const match = await watchMatch(gameFor(parts, request), {
    server: location.origin,
    room,
    draw: view,
    onEffect: (effect) => view.hear?.(effect),
    signal,
    onPhase,
    ...(request.name !== undefined && { name: request.name }),
    ...(request.behind !== undefined && { delay: request.behind }),
    ...(request.link !== undefined && { link: request.link }),
  });
  return live(match, null, () => undefined);
}

/** The game for as many players as are asked for. */
function gameFor<S, N extends string>({ game, crowd }: DemoGameParts<S, N>, { players }: MatchRequest): typeof game {
  return players !== undefined && players > game.players ? (crowd ?? game) : game;
}

function padOf<S, N extends string>({ pad, actions }: DemoGameParts<S, N>, fingers: TouchSource<N>): Pad {
  return {
    groups: pad.map((group) =>
      group.map(([name, label]) => ({
        label,
        action: actions[name],
        press: (pointer) => fingers.press(pointer, name),
      })),
    ),
    release: (pointer) => fingers.release(pointer),
    clear: () => fingers.clear(),
  };
}

/** Forgets the match's game, and ends its input with it. */
function live<S, I>(match: Match<S, I>, pad: Pad | null, dispose: () => void): LiveMatch {
  const disposeAtEnd = (phase: Phase): void => {
    if (phase === 'ended' || phase === 'failed') dispose();
  };
  match.on('phase', disposeAtEnd);
  disposeAtEnd(match.status().phase);
  return {
    me: match.me,
    pad,
    status: () => match.status(),
    on: (event, listener) => match.on(event, listener),
    stateAt: (frame) => match.stateAt(frame),
    hashAt: (frame) => match.hashAt(frame),
    recording: () => match.recording(),
    leave: () => match.leave(),
    result: () => {
      const { confirmedFrame } = match.status();
      return confirmedFrame < 0 ? undefined : match.game.over?.(match.stateAt(confirmedFrame + 1));
    },
  };
}

/** Keys by the words on them; what is not here is named as its code says. */
const keyNames: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
};

function legendOf<N extends string>(actions: Readonly<Record<N, string>>, keys: KeyBindings<N>): KeyLegend[] {
  const legend: KeyLegend[] = [];
  for (const name in actions) {
    const codes: string | readonly string[] = keys[name];
    const list = typeof codes === 'string' ? [codes] : codes;
    legend.push({
      action: actions[name],
      keys: list
        .map((code) => keyNames[code] ?? code.replace(/^(Key|Digit)/, '').replace('Numpad', 'Num '))
        .join(' or '),
    });
  }
  return legend;
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
    ],
    view: duelView,
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
    pad: [[], [['right', 'Go']]],
    hints: [],
    view: raceView,
  }),
};
