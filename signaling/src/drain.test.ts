import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { drainOnSignals, settle } from './drain.js';

describe('settling', () => {
  async function settleAt(pairingsAt: (now: number) => number): Promise<number> {
    let now = 0;
    await settle({
      deadline: 1000,
      now: () => now,
      pairings: () => pairingsAt(now),
      wait: async (ms) => {
        now += ms;
      },
    });
    return now;
  }

  it('takes no time when nothing is under way', async () => {
    expect(await settleAt(() => 0)).toBe(0);
  });

  it('ends with the last pairing, or at the deadline', async () => {
    expect(await settleAt((now) => (now < 320 ? 1 : 0))).toBe(350);
    expect(await settleAt(() => 1)).toBe(1000);
  });
});

describe('a stop signal', () => {
  function deferred() {
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    return { promise, resolve };
  }

  function make() {
    const process = new EventEmitter();
    const exits: number[] = [];
    const clock = { now: 0 };
    const drained = deferred();
    let drains = 0;
    drainOnSignals(process, {
      drain: () => {
        drains++;
        return drained.promise;
      },
      exit: (code) => exits.push(code),
      onDrain: () => undefined,
      now: () => clock.now,
    });
    return { process, exits, clock, drained, drains: () => drains };
  }

  it('drains once and exits 0', async () => {
    const { process, exits, drained, drains } = make();
    process.emit('SIGTERM');
    expect(exits).toEqual([]);
    drained.resolve();
    await drained.promise;
    expect([exits, drains()]).toEqual([[0], 1]);
  });

  it('that arrives twice at once counts once, and ends the process when it comes again later', () => {
    const { process, exits, clock, drains } = make();
    process.emit('SIGINT');
    clock.now = 20;
    process.emit('SIGINT');
    expect(exits).toEqual([]);
    clock.now = 2000;
    process.emit('SIGINT');
    expect([exits, drains()]).toEqual([[130], 1]);
  });
});
