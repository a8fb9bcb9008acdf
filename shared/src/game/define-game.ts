import { RiposteError } from '../errors.js';
import { type DesyncChoice, type Game, PLAYERS_MAX, SLACK_FRAMES_MAX, TICK_RATE_MAX } from './game.js';

/** What a part of a game may be: a check, and words for it. */
type Expected = readonly [isRight: (given: unknown) => boolean, words: string];

const printable: Expected = [
  (given) => typeof given === 'string' && /^[\x21-\x7e]{1,64}$/.test(given),
  '1 to 64 printable characters, no spaces',
];
const method: Expected = [(given) => typeof given === 'function', 'a function'];
const integer = (min: number, max: number): Expected => [
  (given) => Number.isInteger(given) && Number(given) >= min && Number(given) <= max,
  `an integer from ${min} to ${max}`,
];
const modelWith = (part: string, words: string): Expected => [
  (given) => typeof given === 'object' && given !== null && typeof Reflect.get(given, part) === 'function',
  words,
];
const choice = (words: readonly string[]): Expected => [
  (given) => typeof given === 'string' && words.includes(given),
  words.join(', '),
];
const optional = ([isRight, words]: Expected): Expected => [
  (given) => given === undefined || isRight(given),
  `${words}, or nothing`,
];

const PARTS: { readonly [part in keyof Required<Game<unknown, unknown>>]: Expected } = {
  id: printable,
  version: printable,
  step: method,
  state: modelWith('create', 'a state model, as of struct({ ... })'),
  input: modelWith('encode', 'an input model, as of buttons(...)'),
  tickRate: integer(1, TICK_RATE_MAX),
  players: integer(1, PLAYERS_MAX),
  predictor: optional(method),
  slackFrames: optional(integer(0, SLACK_FRAMES_MAX)),
  desync: optional(choice(['mark', 'stop', 'resync'] satisfies DesyncChoice[])),
  init: optional(method),
  refuses: optional(method),
  over: optional(method),
};

/** Checks a game and returns it, with its types inferred. Throws `bad-game`, naming the part, for one that cannot run. */
export function defineGame<S, I>(game: Game<S, I>): Game<S, I> {
  for (const [part, [isRight, words]] of Object.entries(PARTS)) {
    const given: unknown = Reflect.get(Object(game), part);
    if (isRight(given)) continue;
    throw new RiposteError('bad-game', `the game's ${part} is ${inWords(given)}; expected ${words}`);
  }
  return game;
}

function inWords(given: unknown): string {
  if (typeof given === 'string') return `"${given.slice(0, 80)}"`;
  if (typeof given === 'function') return 'a function';
  return typeof given === 'object' && given !== null ? 'an object' : String(given);
}
