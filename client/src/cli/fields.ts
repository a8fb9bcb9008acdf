import type { Comparison } from '@riposte/shared';

/** A value as people read it; the two zeros are told apart. */
function valueText(value: unknown): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** The fields that differ in words, after a line that says when their values were read, unless it was at once. */
export function* fieldLines(
  { frame, fields, fieldsFrame, fieldsFrom }: Pick<Comparison, 'frame' | 'fields' | 'fieldsFrame' | 'fieldsFrom'>,
  [inA, inB]: readonly [string, string],
): Iterable<string> {
  if (fieldsFrame === null || frame === null) return;
  if (fields.length === 0) {
    yield `  the states before frame ${fieldsFrame} are equal again`;
    return;
  }
  if (fieldsFrom === 'hash') yield '  found by the hash: one changed byte makes it';
  else if (fieldsFrame > frame + 1)
    yield `  read before frame ${fieldsFrame}, the first state recorded after it: more may have followed`;
  for (const { path, a, b, ulps } of fields) {
    const distance = ulps === undefined ? '' : ` (${ulps} floats apart)`;
    yield `  ${path}: ${valueText(a)} ${inA}, ${valueText(b)} ${inB}${distance}`;
  }
}
