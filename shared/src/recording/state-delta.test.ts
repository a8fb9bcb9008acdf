import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RiposteError } from '../errors.js';
import { applyStateDelta, stateDelta } from './state-delta.js';

const bytes = fc.uint8Array({ maxLength: 300 });
const isSame = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, at) => byte === b[at]);

describe('the difference of two states', () => {
  it('makes the later one of the earlier one, whatever their bytes and lengths are', () => {
    fc.assert(
      fc.property(bytes, bytes, (before, state) => {
        expect(applyStateDelta(stateDelta(state, before)!, before)).toEqual(state);
      }),
    );
  });

  it('is a few bytes where a few bytes changed, however large the state is', () => {
    const changes = fc.array(fc.tuple(fc.nat(3999), fc.integer({ min: 1, max: 255 })), { maxLength: 10 });
    fc.assert(
      fc.property(changes, (changed) => {
        const before = Uint8Array.from({ length: 4000 }, (_, at) => at * 7);
        const state = before.slice();
        for (const [at, by] of changed) state[at] = state[at]! ^ by;
        const delta = stateDelta(state, before)!;
        expect(delta.length).toBeLessThanOrEqual(3 + 4 + 5 * changed.length);
        expect(isSame(applyStateDelta(delta, before), state)).toBe(true);
      }),
    );
  });

  it('goes on over one or two bytes between others that changed, and begins anew behind three', () => {
    const state = Uint8Array.of(0, 1, 0, 2, 0, 0, 3, 0, 0, 0, 4);
    const delta = [11, /* keep */ 1, /* change */ 6, 1, 0, 2, 0, 0, 3, /* keep */ 3, /* change */ 1, 4];
    expect([...stateDelta(state, new Uint8Array(11))!]).toEqual(delta);
  });

  it('of other bytes is a typed error or some state of a bounded size, and nothing else', () => {
    let refused = 0;
    fc.assert(
      fc.property(bytes, bytes, (delta, before) => {
        const kept = before.slice();
        try {
          expect(applyStateDelta(delta, before).length).toBeLessThanOrEqual(before.length + 4096);
        } catch (error) {
          expect(error).toBeInstanceOf(RiposteError);
          refused++;
        }
        expect(isSame(before, kept)).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(refused).toBeGreaterThan(500);
  });

  it('takes no memory for a length that a few bytes claim, and is not made of what would not be read', () => {
    expect(() => applyStateDelta(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f), new Uint8Array(8))).toThrow(
      'a state of 4294967295 bytes; expected at most 4104',
    );
    expect(stateDelta(new Uint8Array(5000), new Uint8Array(8))).toBeUndefined();
  });
});
