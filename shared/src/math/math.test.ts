import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardDeterminism } from '../desync/guard.js';
import { race } from '../games/race.js';
import { acos, asin, atan, atan2, cbrt, cos, exp, hypot, log, pow, sin, tan } from './index.js';

const FUNCTIONS = { acos, asin, atan, atan2, cbrt, cos, exp, hypot, log, pow, sin, tan };
type Name = keyof typeof FUNCTIONS;

/** The bits of results, as a double's 16 hexadecimal digits. They must never change, on no engine. */
const PINNED: readonly [Name, readonly number[], string][] = [
  ['sin', [0.1], '3fb98eaecb8bcb2c'],
  ['sin', [1], '3feaed548f090cee'],
  ['sin', [-2.5], 'bfe326af0dcfcab0'],
  ['sin', [100], 'bfe03425b78c4db8'],
  ['sin', [1000000], 'bfd6664b2568d867'],
  ['sin', [1e22], 'bfeb453ab76bf397'],
  ['cos', [0.1], '3fefd712f9a817c1'],
  ['cos', [1], '3fe14a280fb5068c'],
  ['cos', [-2.5], 'bfe9a2f7ef858b7d'],
  ['cos', [100], '3feb981dbf665fdf'],
  ['cos', [1000000], '3fedf9df9906d32c'],
  ['cos', [1e22], '3fe0be2cef01c8f4'],
  ['tan', [0.1], '3fb9af8877430b80'],
  ['tan', [1], '3ff8eb245cbee3a6'],
  ['tan', [-2.5], '3fe7e79b4e00bb15'],
  ['tan', [100], 'bfe2ca74d62b5d38'],
  ['tan', [1000000], 'bfd7e9768ab734c0'],
  ['asin', [0.1], '3fb9a49276037884'],
  ['asin', [-0.5], 'bfe0c152382d7366'],
  ['asin', [0.999], '3ff86ac9ad18f804'],
  ['acos', [0.1], '3ff787b22ce3f590'],
  ['acos', [-0.5], '4000c152382d7366'],
  ['acos', [0.999], '3fa6e634e566a29e'],
  ['atan', [0.1], '3fb983e282e2cc4d'],
  ['atan', [1], '3fe921fb54442d18'],
  ['atan', [-2.5], 'bff30b6d796a4da8'],
  ['atan', [1000000], '3ff921fa47d4b30d'],
  ['exp', [0.1], '3ff1aec7b35a00d4'],
  ['exp', [1], '4005bf0a8b14576a'],
  ['exp', [-2.5], '3fb50385c094f425'],
  ['exp', [100], '48f3494a9b171bf5'],
  ['exp', [-700], '00d14f2b0fb9307f'],
  ['log', [0.1], 'c0026bb1bbb55515'],
  ['log', [2], '3fe62e42fefa39ef'],
  ['log', [10], '40026bb1bbb55516'],
  ['log', [1e300], '4085963447f87fb5'],
  ['log', [5e-324], 'c0874385446d71c3'],
  ['cbrt', [0.1], '3fddb4c7760bcff3'],
  ['cbrt', [2], '3ff428a2f98d728b'],
  ['cbrt', [-27.5], 'c00825b1b6bac03b'],
  ['cbrt', [1e300], '54b249ad2594c37d'],
  ['atan2', [1, 2], '3fddac670561bb4f'],
  ['atan2', [-1, -2], 'c0056c6e7397f5ae'],
  ['atan2', [0.1, -3], '4008ddbd87e7a36c'],
  ['atan2', [-0, -1], 'c00921fb54442d18'],
  ['pow', [2, 0.5], '3ff6a09e667f3bcd'],
  ['pow', [1.0001, 10000], '4005bec34aabbfd3'],
  ['pow', [10, -5], '3ee4f8b588e368f0'],
  ['pow', [0.9, 60], '3f5d71351dff4e5a'],
  ['pow', [-3, 3], 'c03b000000000000'],
  ['hypot', [3, 4], '4014000000000000'],
  ['hypot', [1, 1], '3ff6a09e667f3bcd'],
  ['hypot', [1e300, 1e300], '7e40e4d50f99b211'],
  ['hypot', [0.1, 1e-9], '3fb999999999999a'],
];

function call(name: Name, [x, y]: readonly number[]): number {
  const of: (x: number, y: number) => number = FUNCTIONS[name];
  return of(x ?? Number.NaN, y ?? Number.NaN);
}

function bitsOf(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, '0');
}

describe('@riposte/shared/math', () => {
  it.each(PINNED)('%s of %j has the bits %s', (name, inputs, bits) => {
    expect(bitsOf(call(name, inputs))).toBe(bits);
  });

  it('calls nothing that differs between engines', () => {
    const game = guardDeterminism({
      ...race,
      step() {
        for (const [name, inputs] of PINNED) call(name, inputs);
        for (const name of Object.keys(FUNCTIONS) as Name[]) {
          for (const edge of [0, -0, 1, -1, 1e-310, Number.MAX_VALUE, Infinity, -Infinity, Number.NaN]) {
            call(name, [edge, edge]);
            call(name, [edge, 0.3]);
          }
        }
      },
    });
    game.step(race.state.create(), [], { frame: 0, players: [], effect: () => {}, fact: () => {} });
  });

  it("agrees with the engine's own functions but for the last bits", () => {
    const near = (ours: number, theirs: number) =>
      expect(Object.is(ours, theirs) || Math.abs(ours - theirs) <= Math.abs(theirs) * 1e-14).toBe(true);
    const any = fc.integer({ min: -1e9, max: 1e9 }).map((steps) => steps / 1024);
    const unit = fc.integer({ min: -1024, max: 1024 }).map((steps) => steps / 1024);
    fc.assert(
      fc.property(any, any, unit, (x, y, u) => {
        near(sin(x), Math.sin(x));
        near(cos(x), Math.cos(x));
        near(tan(x), Math.tan(x));
        near(atan(x), Math.atan(x));
        near(atan2(x, y), Math.atan2(x, y));
        near(cbrt(x), Math.cbrt(x));
        near(hypot(x, y), Math.hypot(x, y));
        near(log(Math.abs(x)), Math.log(Math.abs(x)));
        near(asin(u), Math.asin(u));
        near(acos(u), Math.acos(u));
        near(exp(u * 700), Math.exp(u * 700));
        near(pow(Math.abs(x), u * 5), Reflect.apply(Math.pow, Math, [Math.abs(x), u * 5]));
      }),
      { numRuns: 500 },
    );
  });
});
