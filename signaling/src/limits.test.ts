import { describe, expect, it } from 'vitest';
import { defaultConfig, type RateLimits } from './config.js';
import { ConnectionCounter, Limits } from './limits.js';

const few = (points: number) => ({ points, seconds: 60 });
const make = (rates: Partial<RateLimits>) => new Limits({ ...defaultConfig.limits, ...rates });

describe('limits', () => {
  it('refuse the messages of one connection beyond its own, and cut a flood', () => {
    const limits = make({ messagesPerSocket: few(2) });
    const verdicts: string[] = [];
    for (let index = 0; index < 7; index++) verdicts.push(limits.message('a', '1.1.1.1'));
    expect(verdicts).toEqual(['pass', 'pass', 'refuse', 'refuse', 'refuse', 'refuse', 'cut']);
    expect(limits.message('b', '1.1.1.1')).toBe('pass');
  });

  it('begin anew with each window of time', () => {
    let nowMs = 5;
    const limits = new Limits({ ...defaultConfig.limits, messagesPerSocket: few(1) }, () => nowMs);
    const verdictAt = (ms: number) => {
      nowMs = ms;
      return limits.message('a', '1.1.1.1');
    };
    expect([5, 6, 60_004, 60_005, 60_006].map(verdictAt)).toEqual(['pass', 'refuse', 'refuse', 'pass', 'refuse']);
  });

  it('count the messages of an address over all its connections', () => {
    const limits = make({ messagesPerAddress: few(2) });
    expect(limits.message('a', '1.1.1.1')).toBe('pass');
    expect(limits.message('b', '1.1.1.1')).toBe('pass');
    expect(limits.message('c', '1.1.1.1')).toBe('refuse');
    expect(limits.message('d', '2.2.2.2')).toBe('pass');
  });

  it('stop an address that guesses, and no other', async () => {
    const limits = make({ failedJoinsPerAddress: few(2) });
    for (let index = 0; index < 2; index++) {
      expect(await limits.admitJoin('1.1.1.1')).toBe(true);
      await limits.failedJoin('1.1.1.1');
    }
    expect(await limits.admitJoin('1.1.1.1')).toBe(false);
    expect(await limits.admitJoin('2.2.2.2')).toBe(true);
  });

  it('stop guessers with many addresses together, but nobody who never failed', async () => {
    const limits = make({ failedJoinsGlobal: few(3) });
    const guessers = ['1.1.1.1', '2.2.2.2', '3.3.3.3'];
    for (const address of guessers) await limits.failedJoin(address);
    for (const address of guessers) expect(await limits.admitJoin(address)).toBe(false);
    expect(await limits.admitJoin('9.9.9.9')).toBe(true);
  });
});

describe('the connection counter', () => {
  it('counts in all and by address, and forgets an address without connections', () => {
    const counter = new ConnectionCounter(3, 2);
    counter.opened('a');
    counter.opened('a');
    expect(counter.isOver('a', 0)).toBe(false);
    counter.opened('a');
    expect([counter.isOver('a', 0), counter.isOver('a', 1), counter.isOver('b', 0)]).toEqual([true, false, false]);
    counter.opened('b');
    expect(counter.isOver('b', 0)).toBe(true);
    for (const address of ['a', 'a', 'a', 'b']) counter.closed(address);
    expect([counter.total, counter.isOver('a', -1)]).toEqual([0, false]);
  });
});
