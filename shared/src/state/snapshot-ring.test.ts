import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SnapshotRing } from './snapshot-ring.js';
import { i32 } from './struct/fields.js';
import { struct } from './struct/struct.js';

const model = struct({ value: i32 });

function stateOf(value: number) {
  const state = model.create();
  state.value = value;
  return state;
}

describe('SnapshotRing', () => {
  it('keeps the last states by frame, and an evicted or unwritten frame is absent, never stale', () => {
    const ring = new SnapshotRing(model, 4);
    const into = stateOf(-1);
    for (let frame = 0; frame < 6; frame++) ring.save(frame, stateOf(frame * 10));
    for (const frame of [0, 1, 6, -2]) {
      expect(ring.has(frame)).toBe(false);
      expect(ring.load(frame, into)).toBe(false);
      expect(ring.hash(frame)).toBeUndefined();
    }
    expect(into.value).toBe(-1);
    for (const frame of [2, 3, 4, 5]) {
      expect(ring.load(frame, into)).toBe(true);
      expect(into.value).toBe(frame * 10);
    }
  });

  it('works for any integer frame, as a model of the last writes of each slot says', () => {
    const frames = fc.array(fc.oneof(fc.integer({ min: -20, max: 20 }), fc.maxSafeInteger()), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), frames, (capacity, written) => {
        const ring = new SnapshotRing(model, capacity);
        const slots = new Map<number, { frame: number; value: number }>();
        for (const [value, frame] of written.entries()) {
          ring.save(frame, stateOf(value));
          slots.set(((frame % capacity) + capacity) % capacity, { frame, value });
        }
        for (const frame of written) {
          const slot = slots.get(((frame % capacity) + capacity) % capacity)!;
          const into = stateOf(-1);
          expect(ring.load(frame, into)).toBe(slot.frame === frame);
          expect(into.value).toBe(slot.frame === frame ? slot.value : -1);
        }
      }),
    );
  });

  it('copies: neither the saved state nor a loaded one is tied to the ring', () => {
    const ring = new SnapshotRing(model, 2);
    const state = stateOf(5);
    ring.save(0, state);
    state.value = 6;
    const into = model.create();
    ring.load(0, into);
    into.value = 7;
    ring.load(0, state);
    expect(state.value).toBe(5);
  });

  it('refuses a frame or a capacity that is no integer', () => {
    expect(() => new SnapshotRing(model, 0)).toThrow('capacity is 0');
    expect(() => new SnapshotRing(model, 2).save(0.5, stateOf(1))).toThrow('frame is 0.5');
    expect(() => new SnapshotRing(model, 2).save(Number.NaN, stateOf(1))).toThrow('frame is NaN');
  });
});
