import { describe, expect, it } from 'vitest';
import { ConditionedTransport, type LinkConditions } from './conditions.js';
import { loopbackPair } from './loopback.js';
import { VirtualClock } from './virtual-clock.js';

/** What arrives, in order, of 100 unreliable messages that are sent 10 ms apart and bear their numbers. */
function arrivals(conditions: LinkConditions): number[] {
  const clock = new VirtualClock();
  const [here, there] = loopbackPair(clock.schedule);
  let luck = 0;
  // Every tenth draw is lucky.
  const link = new ConditionedTransport(here, conditions, clock.schedule, () => (luck++ % 10) / 10);
  const seen: number[] = [];
  there.listen({ message: (_channel, bytes) => seen.push(bytes[0]!), close: () => undefined });
  for (let message = 0; message < 100; message++) {
    link.send('unreliable', Uint8Array.of(message));
    clock.advance(10);
  }
  clock.advance(1000);
  return seen;
}

const calm = { delayMs: 20, jitterMs: 0, lossRate: 0 };
const all = Array.from({ length: 100 }, (_, message) => message);

describe('a link with conditions', () => {
  it('changes nothing but the time unless asked', () => {
    expect(arrivals(calm)).toEqual(all);
  });

  it('brings a share of the messages twice', () => {
    const seen = arrivals({ ...calm, duplicateRate: 0.2 });
    expect(seen.length).toBeGreaterThan(110);
    expect([...new Set(seen)]).toEqual(all);
  });

  it('lets later messages overtake a share of them, and loses none', () => {
    const seen = arrivals({ ...calm, reorderRate: 0.2 });
    expect(seen).not.toEqual(all);
    expect([...seen].sort((a, b) => a - b)).toEqual(all);
  });
});
