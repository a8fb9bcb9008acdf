import { describe, expect, it } from 'vitest';
import { mixer } from '../../testing/mixer.js';
import { RiposteError } from '../errors.js';
import { defineGame } from './define-game.js';

/** What is said of the game with something else in it. */
function refusal(game: unknown): string {
  try {
    defineGame(Object(game));
  } catch (error) {
    if (error instanceof RiposteError && error.code === 'bad-game') return error.message;
    throw error;
  }
  return '';
}

describe('defineGame', () => {
  it('returns the game itself, with or without the parts that it need not have', () => {
    expect(defineGame(mixer)).toBe(mixer);
    const whole = { ...mixer, init() {}, over: () => undefined, refuses: () => undefined, slackFrames: 60 };
    expect(refusal({ ...whole, desync: 'resync' })).toBe('');
  });

  it('takes a game whose functions are those of a class', () => {
    class Mixer {
      id = 'mixer';
      version = '1';
      tickRate = 60;
      players = 2;
      input = mixer.input;
      state = mixer.state;
      step() {}
    }
    expect(refusal(new Mixer())).toBe('');
  });

  it.each([
    [{ id: 'two words' }, 'the game\'s id is "two words"; expected 1 to 64 printable characters, no spaces'],
    [{ version: 1 }, "the game's version is 1; expected 1 to 64 printable characters, no spaces"],
    [{ step: undefined }, "the game's step is undefined; expected a function"],
    [{ state: { x: 0 } }, "the game's state is an object; expected a state model, as of struct({ ... })"],
    [{ input: null }, "the game's input is null; expected an input model, as of buttons(...)"],
    [{ tickRate: 59.94 }, "the game's tickRate is 59.94; expected an integer from 1 to 240"],
    [{ players: 9 }, "the game's players is 9; expected an integer from 1 to 8"],
    [{ slackFrames: 61 }, "the game's slackFrames is 61; expected an integer from 0 to 60, or nothing"],
    [{ desync: 'heal' }, 'the game\'s desync is "heal"; expected mark, stop, resync, or nothing'],
    [{ predictor: 'last' }, 'the game\'s predictor is "last"; expected a function, or nothing'],
    [{ tickRate: 60n }, "the game's tickRate is 60; expected an integer from 1 to 240"],
    [{ players: () => 2 }, "the game's players is a function; expected an integer from 1 to 8"],
    [{ init: {} }, "the game's init is an object; expected a function, or nothing"],
    [{ over: true }, "the game's over is true; expected a function, or nothing"],
    [{ refuses: 3 }, "the game's refuses is 3; expected a function, or nothing"],
  ])('refuses %o in words', (part, words) => {
    expect(refusal({ ...mixer, ...part })).toBe(words);
  });

  it('refuses what is no game at all', () => {
    expect(refusal(undefined)).toMatch("the game's id is undefined");
  });
});
