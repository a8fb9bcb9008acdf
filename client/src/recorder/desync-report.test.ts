import { readRecording, readReport } from '@riposte/shared';
import { duel } from '@riposte/shared/games';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recorded } from '../../testing/recorded.js';
import type { Desync } from '../match/match.js';
import { DesyncReport } from './desync-report.js';

const FAULT = 300;

/** One side's recording, with the state after the step in which the other one's goes wrong. */
function side(recordedBy: number): Uint8Array {
  return recorded(duel, {
    frames: 330,
    recordedBy,
    stateBefore: FAULT + 1,
    fault: (frame, state) => {
      if (frame === FAULT && recordedBy === 1) state.fighters[1]!.hitstun = 13;
    },
  });
}

describe('the report of a match that parted', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('brings both recordings to both sides, and tells the field from each', async () => {
    const files = [side(0), side(1)] as const;
    const told: Desync[][] = [[], []];
    const reports: { receive(piece: Uint8Array): void; bytes(): Promise<Uint8Array> }[] = [];
    for (const me of [0, 1] as const) {
      const send = (piece: Uint8Array) => reports[1 - me]!.receive(piece);
      reports.push(new DesyncReport(duel, FAULT, files[me], send, (desync) => told[me]!.push(desync)));
    }
    await vi.advanceTimersByTimeAsync(1000);
    const common = { frame: FAULT, path: 'fighters[1].hitstun' };
    expect(told).toEqual([[{ ...common, here: '0', there: '13' }], [{ ...common, here: '13', there: '0' }]]);
    expect(readReport(await reports[0]!.bytes())).toEqual([files[0], files[1]]);
    expect(readReport(await reports[1]!.bytes())).toEqual([files[1], files[0]]);
  });

  it('has this side alone once the other has been silent for seconds', async () => {
    const own = side(0);
    const report = new DesyncReport(
      duel,
      FAULT,
      own,
      () => {},
      () => {},
    );
    await vi.advanceTimersByTimeAsync(6000);
    const [held, other] = readReport(await report.bytes());
    expect(readRecording(held!).frames).toBe(330);
    expect(other).toBeUndefined();
  });

  it('takes nothing that does not fit, nor a recording that is none', async () => {
    const told: Desync[] = [];
    const report = new DesyncReport(
      duel,
      FAULT,
      side(0),
      () => {},
      (desync) => told.push(desync),
    );
    const piece = (length: number, offset: number, bytes: number) => {
      const message = new Uint8Array(9 + bytes);
      const view = new DataView(message.buffer);
      message[0] = 1;
      view.setUint32(1, length, true);
      view.setUint32(5, offset, true);
      return message;
    };
    report.receive(Uint8Array.of(1));
    report.receive(piece(0xffff_ffff, 0, 4));
    report.receive(piece(10, 4, 4));
    report.receive(piece(10, 0, 4));
    report.receive(piece(20, 4, 4));
    report.receive(piece(10, 4, 7));
    report.receive(piece(10, 4, 6));
    await vi.advanceTimersByTimeAsync(1000);
    expect(told).toEqual([]);
    expect(readReport(await report.bytes())[1]).toEqual(new Uint8Array(10));
  });
});
