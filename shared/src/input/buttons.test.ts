import { describe, expect, it } from 'vitest';
import { buttons } from './buttons.js';

describe('buttons', () => {
  const model = buttons('left', 'right', 'punch');

  it('keeps a bit a button, in order, and what is left out is up', () => {
    const words = new Int32Array(1);
    model.encode({ right: true, punch: true, left: false }, words, 0);
    expect(words[0]).toBe(6);
    const input = model.create();
    model.decode(words, 0, input);
    expect([input.left, input.right, input.punch]).toEqual([false, true, true]);
    expect(model.describe(words, 0)).toBe('right+punch');
    expect(model.bits).toBe(3);
    const again = new Int32Array(1);
    model.encode(input, again, 0);
    expect(again[0]).toBe(6);
  });

  it('refuses what is no input of it, by name, and writes nothing', () => {
    const words = Int32Array.of(5);
    expect(() => model.encode({ jump: true } as never, words, 0)).toThrow(
      'the input has "jump"; expected left, right, punch',
    );
    expect(() => model.encode({ left: 1 } as never, words, 0)).toThrow('button "left" is 1; expected true or false');
    expect(() => model.encode(null as never, words, 0)).toThrow('the input is null');
    expect(words[0]).toBe(5);
  });

  it('refuses names that cannot be buttons', () => {
    expect(() => buttons()).toThrow('0 buttons; expected 1 to 32');
    expect(() => buttons('a', 'a')).toThrow('named twice');
    expect(() => buttons('toString')).toThrow('"toString" cannot be a name');
  });
});
