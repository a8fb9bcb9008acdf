import type { DesyncChoice } from '@riposte/shared';
import {
  NAME_LENGTH_MAX,
  normalizeRoomCode,
  ROOM_CODE_LENGTH,
  type TransportChoice,
  transportChoices,
} from '@riposte/shared/protocol';
import { INPUT_DELAY_MAX, WATCH_DELAY_MAX } from '../session/delays.js';
import type { LinkConditions } from '../transport/conditions.js';

export const gameIds = ['duel', 'race'] as const;
export type GameId = (typeof gameIds)[number];

/** How many can play a game on these pages. */
export const playersMax: Readonly<Record<GameId, number>> = { duel: 2, race: 4 };

/** How a match is to be played: what the page's address can ask for, beside where to meet. */
export interface MatchRequest {
  readonly game: GameId;
  /** Of a new match; two by default. */
  readonly players?: number;
  readonly name?: string;
  readonly bot?: number;
  readonly frames?: number;
  readonly inputDelay?: number | 'auto';
  readonly transport?: TransportChoice;
  /** The frame in which this page's game goes wrong; `key`: when its player says so. */
  readonly fault?: number | 'key';
  /** What the match does when it parts, instead of what the game says: both pages must ask for the same. */
  readonly desync?: DesyncChoice;
  /** The room is run by an authority: this page plays against it. */
  readonly authority?: true;
  readonly link?: LinkConditions;
  /** How many frames behind a match is watched. */
  readonly behind?: number;
}

/** Where to meet the other players, or the room whose match is to be watched. */
export type Meeting =
  | { readonly create: true }
  | { readonly quick: true }
  | { readonly room: string }
  | { readonly watch: string };

/** A page's address, understood; or the sentence that says which part of it is not. */
export type PageParams =
  | { readonly ok: true; readonly request: MatchRequest; readonly meeting: Meeting | null }
  | { readonly ok: false; readonly problem: string };

const SEED_MAX = 0xffffffff;
/** Over six days at 60 Hz. */
const FRAMES_MAX = 32_000_000;
const LINK_MS_MAX = 5000;

/** A part of the address that cannot be. */
class ParamError extends Error {}

/** Reads what `location.search` asks for. */
export function readParams(search: string): PageParams {
  const params = new URLSearchParams(search);
  try {
    return { ok: true, request: readRequest(params), meeting: readMeeting(params) };
  } catch (error) {
    if (error instanceof ParamError) return { ok: false, problem: error.message };
    throw error;
  }
}

function readRequest(params: URLSearchParams): MatchRequest {
  const game = oneOf(params, 'game', gameIds) ?? 'duel';
  const players = wholeNumber(params, 'players', 2, playersMax[game], ` in a ${game}`);
  const name = readName(params);
  const bot = wholeNumber(params, 'bot', 0, SEED_MAX);
  const frames = wholeNumber(params, 'frames', 1, FRAMES_MAX);
  const inputDelay =
    params.get('delay') === 'auto' ? 'auto' : wholeNumber(params, 'delay', 0, INPUT_DELAY_MAX, ', or auto');
  const transport = oneOf(params, 'transport', transportChoices);
  const fault = params.get('fault') === 'key' ? 'key' : wholeNumber(params, 'fault', 0, FRAMES_MAX, ', or key');
  const desync = oneOf(params, 'desync', ['mark', 'stop', 'resync'] as const);
  const link = readLink(params);
  const behind = wholeNumber(params, 'behind', 0, WATCH_DELAY_MAX);
  const authority = oneOf(params, 'authority', ['1']);
  return {
    game,
    ...(players !== undefined && { players }),
    ...(name !== undefined && { name }),
    ...(bot !== undefined && { bot }),
    ...(frames !== undefined && { frames }),
    ...(inputDelay !== undefined && { inputDelay }),
    ...(transport !== undefined && { transport }),
    ...(fault !== undefined && { fault }),
    ...(desync !== undefined && { desync }),
    ...(link !== undefined && { link }),
    ...(behind !== undefined && { behind }),
    ...(authority !== undefined && { authority: true as const }),
  };
}

function readMeeting(params: URLSearchParams): Meeting | null {
  const given = ['room', 'create', 'watch'].filter((key) => params.has(key));
  if (given.length > 1) throw new ParamError(`The address has both ${given[0]} and ${given[1]}; use one of them.`);
  const room = codeIn(params, 'room');
  if (room !== undefined) return { room };
  const watch = codeIn(params, 'watch');
  if (watch !== undefined) return { watch };
  const create = params.get('create');
  if (create === null) return null;
  if (create !== '1') throw bad('create', create, '1');
  return { create: true };
}

function codeIn(params: URLSearchParams, key: string): string | undefined {
  const text = params.get(key);
  if (text === null) return undefined;
  const code = normalizeRoomCode(text);
  if (code === undefined) throw bad(key, text, `a code of ${ROOM_CODE_LENGTH} letters and digits, such as K7M2QX`);
  return code;
}

function readName(params: URLSearchParams): string | undefined {
  const name = params.get('name')?.trim();
  if (name === undefined || name === '') return undefined;
  if (name.length > NAME_LENGTH_MAX) throw bad('name', name, `up to ${NAME_LENGTH_MAX} characters`);
  return name;
}

function readLink(params: URLSearchParams): LinkConditions | undefined {
  const delayMs = wholeNumber(params, 'linkDelay', 0, LINK_MS_MAX);
  const jitterMs = wholeNumber(params, 'linkJitter', 0, LINK_MS_MAX);
  const lossPercent = wholeNumber(params, 'linkLoss', 0, 100);
  if (delayMs === undefined && jitterMs === undefined && lossPercent === undefined) return undefined;
  return { delayMs: delayMs ?? 0, jitterMs: jitterMs ?? 0, lossRate: (lossPercent ?? 0) / 100 };
}

function oneOf<T extends string>(params: URLSearchParams, key: string, choices: readonly T[]): T | undefined {
  const text = params.get(key);
  if (text === null) return undefined;
  const chosen = choices.find((choice) => choice === text);
  if (chosen === undefined) throw bad(key, text, choices.join(' or '));
  return chosen;
}

function wholeNumber(
  params: URLSearchParams,
  key: string,
  least: number,
  most: number,
  otherwise = '',
): number | undefined {
  const text = params.get(key);
  if (text === null) return undefined;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw bad(key, text, `a whole number from ${least} to ${most}${otherwise}`);
  return value;
}

/** Long enough to recognise what was typed, short enough for a sentence. */
const QUOTE_LENGTH_MAX = 40;

function bad(key: string, text: string, expected: string): ParamError {
  const quoted = text.length > QUOTE_LENGTH_MAX ? `${text.slice(0, QUOTE_LENGTH_MAX)}…` : text;
  return new ParamError(
    `The address has ${key}=${quoted}, but ${key} takes ${expected}. Correct the address, or start from here.`,
  );
}
