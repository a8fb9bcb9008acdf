import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { isPlainCandidate } from './plain-candidate.js';
import { CANDIDATE_BYTES_MAX } from './signaling-fields.js';
import { clientEventSchemas } from './signaling-requests.js';

const line = 'candidate:842163049 1 udp 1677729535 203.0.113.77 46154 typ srflx raddr 0.0.0.0 rport 0 generation 0';

const plain = () => ({
  to: 'A'.repeat(22),
  pairing: 1,
  data: { type: 'candidate', candidate: { candidate: line, sdpMLineIndex: 0, sdpMid: '0' } },
});

/** Fields of either side of each bound, and of every wrong kind. */
const values = fc.oneof(
  fc.constantFrom<unknown>('candidate', 'offer', 'A'.repeat(22), 'A'.repeat(23), '0', '0'.repeat(16), '0'.repeat(65)),
  fc.constantFrom<unknown>('\u00e4', 'x'.repeat(CANDIDATE_BYTES_MAX), 'x'.repeat(CANDIDATE_BYTES_MAX + 1)),
  fc.constantFrom<unknown>(
    -1,
    -0,
    0,
    1,
    0.5,
    255,
    256,
    65_535,
    65_536,
    0x7fff_ffff,
    0x8000_0000,
    Number.NaN,
    null,
    true,
    [],
    {},
  ),
  fc.constant(undefined),
);

/** A plain candidate with a field changed, taken away or added at any depth. */
const altered = fc
  .tuple(fc.constantFrom('payload', 'data', 'candidate'), fc.nat(3), fc.boolean(), values)
  .map(([where, which, isRemoved, value]) => {
    const payload = plain();
    const parts: Record<string, Record<string, unknown>> = {
      payload,
      data: payload.data,
      candidate: payload.data.candidate,
    };
    const part = parts[where]!;
    const key = Object.keys(part)[which] ?? 'more';
    if (isRemoved) delete part[key];
    else part[key] = value;
    return payload;
  });

describe('a plain candidate', () => {
  it('is what browsers write', () => {
    expect(isPlainCandidate(plain())).toBe(true);
    expect(isPlainCandidate(JSON.parse(JSON.stringify(plain())))).toBe(true);
  });

  it('passes its schema as it is, whatever else it may be', () => {
    let isPlain = 0;
    fc.assert(
      fc.property(altered, (payload) => {
        if (!isPlainCandidate(payload)) return;
        isPlain++;
        const result = v.safeParse(clientEventSchemas.signal, payload);
        expect(result.success).toBe(true);
        expect(result.output).toStrictEqual(payload);
      }),
      { numRuns: 2_000 },
    );
    expect(isPlain).toBeGreaterThan(100);
  });

  it.each([undefined, null, 1, 'text', [], {}, [1, 2, 3], { ...plain(), data: null }, { ...plain(), data: [1, 2] }])(
    'is not %j',
    (payload) => {
      expect(isPlainCandidate(payload)).toBe(false);
    },
  );

  it('has no more than its fields', () => {
    const payload = JSON.parse(JSON.stringify(plain()).replace('"type"', '"__proto__":{},"type"'));
    expect(isPlainCandidate(payload)).toBe(false);
    expect(isPlainCandidate({ ...plain(), more: 1 })).toBe(false);
  });
});
