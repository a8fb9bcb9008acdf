import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axis, button, buttons, controls, quantizeAxis } from './controls.js';

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
    expect(() => buttons()).toThrow('no controls');
    expect(() => buttons('a', 'a')).toThrow('named twice');
    expect(() => buttons('toString')).toThrow('"toString" cannot be a name');
  });
});

describe('controls', () => {
  const model = controls({ jump: button, x: axis(7), y: axis(127), aim: axis(32_767), fire: button });

  it('reads back what was given, in any mix of buttons and axes', () => {
    const steps = (max: number) => fc.integer({ min: -max, max });
    const value = fc.record({ jump: fc.boolean(), x: steps(7), y: steps(127), aim: steps(32_767), fire: fc.boolean() });
    const words = new Int32Array(5);
    const read = model.create();
    expect([model.words, model.bits]).toEqual([1, 30]);
    fc.assert(
      fc.property(value, fc.nat(3), (given, at) => {
        model.encode(given, words, at);
        model.decode(words, at, read);
        expect({ jump: read.jump, x: read.x, y: read.y, aim: read.aim, fire: read.fire }).toEqual(given);
      }),
    );
  });

  it('spreads over as many words as it needs, without a control across two', () => {
    const wide = controls(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`axis${at}`, axis(1000)])));
    expect(wide.words).toBe(6);
    const words = new Int32Array(6);
    wide.encode({ axis0: -1000, axis5: 999, axis11: -3 }, words, 0);
    const read = wide.create();
    wide.decode(words, 0, read);
    expect([read['axis0'], read['axis5'], read['axis6'], read['axis11']]).toEqual([-1000, 999, 0, -3]);
    expect(() => controls(Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`a${at}`, axis(32_767)])))).toThrow(
      'fill 9 words',
    );
  });

  it('begins from the neutral input that the game names', () => {
    const guarded = model.withNeutral({ fire: true, x: -2 });
    const words = Int32Array.from(guarded.neutral);
    expect(guarded.describe(words, 0)).toBe('x:-2+fire');
    guarded.encode({ jump: true }, words, 0);
    expect(guarded.describe(words, 0)).toBe('jump+x:-2+fire');
    expect(guarded.create().x).toBe(-2);
  });

  it('predicts each control as the game chooses: held stays, tapped does not', () => {
    const words = new Int32Array(1);
    model.encode({ jump: true, x: 5, fire: true, aim: -9 }, words, 0);
    const guess = new Int32Array(1);
    model.predictor({ fire: 'neutral', aim: 'neutral' })(words, 0, 1, guess, 0, 1);
    expect(model.describe(guess, 0)).toBe('jump+x:5');
    expect(() => model.predictor({ punch: 'neutral' } as never)).toThrow('no control "punch"');
  });

  it('merges two samples of one frame so that every press and release shows, and the later stick', () => {
    const words = (value: Partial<ReturnType<typeof model.create>>) => {
      const into = new Int32Array(1);
      model.encode(value, into, 0);
      return into;
    };
    const merged = new Int32Array(1);
    const merge = (...[placed, earlier, later]: [Int32Array, Int32Array, Int32Array]) => {
      model.merge(placed, earlier, later, merged);
      return model.describe(merged, 0);
    };
    expect(merge(words({}), words({ jump: true, x: 3 }), words({ x: 5 }))).toBe('jump+x:5');
    expect(merge(words({ jump: true }), words({}), words({ jump: true, x: -1 }))).toBe('x:-1');
    expect(merge(words({ jump: true }), words({ jump: true }), words({ jump: true, fire: true }))).toBe('jump+fire');
  });

  it('refuses steps outside an axis, and reads bits below the lowest step as that step', () => {
    const words = Int32Array.of(0);
    expect(() => model.encode({ x: 8 }, words, 0)).toThrow('axis "x" is 8; expected an integer from -7 to 7');
    expect(() => model.encode({ x: 0.5 }, words, 0)).toThrow('axis "x" is 0.5');
    expect(() => axis(0)).toThrow('an axis has 0 steps');
    const read = model.create();
    model.decode(Int32Array.of(0b1000 << 1), 0, read);
    expect(read.x).toBe(-7);
  });

  it("reads a peer's bits beyond an axis as its last step: nobody runs faster than the game lets run", () => {
    const pad = controls({ x: axis(5), a: axis(32_767), b: axis(2000), z: axis(5) });
    const read = pad.create();
    for (const [bits, step] of [
      [7, 5],
      [5, 5],
      [-5, -5],
      [-8, -5],
    ] as const) {
      pad.decode(Int32Array.of(bits & 15, bits & 15), 0, read);
      expect([read.x, read.z]).toEqual([step, step]);
    }
  });

  it('quantizes a stick with a dead zone, evenly to the rim', () => {
    expect([0, 0.1, -0.1, 1, -1, 3, Number.NaN].map((reading) => quantizeAxis(reading, 7) + 0)).toEqual([
      0, 0, 0, 7, -7, 7, 0,
    ]);
    expect(quantizeAxis(0.575, 8)).toBe(4);
  });
});
