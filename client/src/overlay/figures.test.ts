import { describe, expect, it } from 'vitest';
import type { MatchStatus } from '../match/match.js';
import { blankStatus } from '../match/status.js';
import { Figures, SAMPLES } from './figures.js';
import { History } from './history.js';

/** The newest values by name. */
function newest({ all }: Figures): Record<string, number> {
  return Object.fromEntries(all.map(({ name, history }) => [name, history.at(0)]));
}

/** A match in its `tenth` tenth of a second: 54 of 60 frames a second, 20 bytes a packet, one of ten packets lost. */
function statusAt(tenth: number): MatchStatus {
  return {
    ...blankStatus,
    frame: Math.round(tenth * 5.4),
    rttMs: 80,
    inputDelay: 2,
    resimulatedFrames: tenth * 3,
    stalledFrames: Math.round(tenth * 0.6),
    sentPackets: tenth * 10,
    sentBytes: tenth * 200,
    receivedPackets: tenth * 9,
  };
}

describe('the figures of an overlay', () => {
  it('have the loss of an authority, of whose updates a third is as many as there are packets of inputs', () => {
    const figures = new Figures(60);
    for (let tenth = 0; tenth < 30; tenth++) {
      const authority = { lostUpdates: tenth * 0.5 };
      figures.sample({ ...statusAt(tenth), receivedPackets: tenth * 1.5, authority });
    }
    expect(newest(figures)).toMatchObject({ Packet: 20, Loss: 25 });
  });

  it('are those of the last second', () => {
    const figures = new Figures(60);
    for (let tenth = 0; tenth < 30; tenth++) figures.sample(statusAt(tenth));
    expect(newest(figures)).toEqual({
      Ping: 80,
      Jitter: Number.NaN,
      'Rolled back': 30,
      Delay: 2,
      Pace: 90,
      Stalls: 6,
      Packet: 20,
      Loss: 10,
    });
  });

  it('know nothing before a second is full, nor within the second in which another match begins', () => {
    const figures = new Figures(60);
    for (let tenth = 0; tenth < 10; tenth++) figures.sample(statusAt(tenth));
    expect(newest(figures)['Pace']).toBeNaN();
    figures.sample(statusAt(10));
    expect(newest(figures)['Pace']).toBe(90);
    figures.sample({ ...statusAt(11), frame: -1 });
    expect(newest(figures)['Pace']).toBeNaN();
  });

  it('have no more than ten seconds of samples, the newest first', () => {
    const history = new History(SAMPLES);
    for (let value = 0; value < 250; value++) history.add(value);
    expect([history.at(0), history.at(SAMPLES - 1), history.at(SAMPLES), history.max]).toEqual([
      249,
      250 - SAMPLES,
      Number.NaN,
      249,
    ]);
  });
});
