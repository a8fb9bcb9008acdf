import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isReport, readReport, writeReport } from './report.js';

const A = Uint8Array.of(1, 2, 3);
const B = Uint8Array.of(4, 5, 6, 7);

describe('a report', () => {
  it('holds one recording or two as they are', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 2 }), (recordings) => {
        const report = writeReport(recordings);
        expect(isReport(report)).toBe(true);
        expect(readReport(report)).toEqual(recordings);
      }),
    );
    expect(() => writeReport([])).toThrow('recordings is 0; expected an integer from 1 to 2');
  });

  it('is read as far as it goes where it is cut off', () => {
    const report = writeReport([A, B]);
    expect(readReport(report.subarray(0, report.length - 1))).toEqual([A, B.subarray(0, 3)]);
    expect(readReport(report.subarray(0, 14))).toEqual([A.subarray(0, 1)]);
    expect(readReport(report.subarray(0, 16))).toEqual([A]);
  });

  it('is refused in words when it is none', () => {
    const refused = (bytes: readonly number[]) => expect(() => readReport(Uint8Array.from(bytes)));
    const [...report] = writeReport([A, B]);
    refused([]).toThrow('not a Riposte report: expected an .rpr file');
    refused(report.with(7, 2)).toThrow('a report of version 2 with 2 recordings; expected version 1 with 1 or 2');
    refused(report.with(8, 3)).toThrow('version 1 with 3 recordings');
    refused(report.slice(0, 11)).toThrow('2 bytes are left at byte 9; expected 4');
  });

  it('gives bytes or a typed error for anything, and never more than it was given', () => {
    const head = [...writeReport([A]).subarray(0, 8)];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (tail) => {
        try {
          const recordings = readReport(Uint8Array.from([...head, ...tail]));
          expect(recordings.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(tail.length);
        } catch (error) {
          expect(error).toMatchObject({ name: 'RiposteError', code: 'bad-recording' });
        }
      }),
    );
  });
});
