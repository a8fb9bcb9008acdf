import {
  ABSENT_INPUT,
  type Agreement,
  type Comparison,
  type FieldDifference,
  hashText,
  type RecordingHeader,
  type Verification,
} from '@riposte/shared';
import { mathsFingerprint } from './maths.js';

/** A value as people read it; the two zeros are told apart. */
export function valueText(value: unknown): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** The 64 bits of a number, in hexadecimal. */
function bitsText(value: unknown): string {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Number(value));
  return bits.getBigUint64(0).toString(16).padStart(16, '0');
}

/** How far apart two floats are, and their bits; nothing for other values. */
export function distanceText({ a, b, ulps }: Pick<FieldDifference, 'a' | 'b' | 'ulps'>): string {
  if (ulps === undefined) return '';
  return ` (${ulps} ${ulps === 1 ? 'float' : 'floats'} apart: ${bitsText(a)}, ${bitsText(b)})`;
}

/** The fields that differ in words, after a line that says when their values were read, unless it was at once. */
function* fieldLines(
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
  for (const field of fields) {
    yield `  ${field.path}: ${valueText(field.a)} ${inA}, ${valueText(field.b)} ${inB}${distanceText(field)}`;
  }
}

const AGREES: { readonly [agreement in Agreement]: string } = {
  a: 'running it again agrees with A',
  b: 'running it again agrees with B',
  both: 'running it again agrees with both',
  neither: 'running it again agrees with neither: this machine computes something else',
};

/** What is said where two engines' `Math` differs. */
const MATHS = "if the step calls Math.sin or the like, the game's maths is engine-dependent: use @riposte/shared/math";

/** What a player did in one frame. */
function deedText(input: string | null): string {
  return input === ABSENT_INPUT ? 'was not in the match' : `pressed ${input}`;
}

/** The first difference between two recordings, told line by line; lines that explain the one before are indented. */
export function* comparisonLines({ kind, frame, player, a, b, fields, ...result }: Comparison): Iterable<string> {
  switch (kind) {
    case null:
      yield `same over ${result.comparedFrames} frames`;
      break;
    case 'settings':
      yield 'the settings differ: the two did not start alike';
      for (const { path, a: inA, b: inB } of fields) {
        yield `  ${path}: ${JSON.stringify(inA) ?? 'not set'} in A, ${JSON.stringify(inB) ?? 'not set'} in B`;
      }
      break;
    case 'inputs':
      yield a === ABSENT_INPUT || b === ABSENT_INPUT
        ? `the inputs differ at frame ${frame}: player ${player} ${deedText(a)} in A, ${deedText(b)} in B`
        : `the inputs differ at frame ${frame}: player ${player} pressed ${a} in A, ${b} in B`;
      yield '  the states before it agree: look at the network or the recorder, not at the game';
      break;
    case 'state':
      if (result.fieldsFrame !== null && result.fieldsFrame === frame) {
        yield `the states differ before frame ${frame}, the first that both hold: ${a} in A, ${b} in B`;
        yield* fieldLines({ frame, fields, ...result }, ['in A', 'in B']);
        break;
      }
      yield `the states part at frame ${frame}, from equal states and inputs: ${a} in A, ${b} in B after it`;
      yield* fieldLines({ frame, fields, ...result }, ['in A', 'in B']);
      yield '  the step of that frame is not deterministic, or a state was changed outside it';
      if (result.engines !== undefined) {
        yield `  the two engines differ in the last bits of Math: ${MATHS}`;
      }
  }
  if (result.replayAgreesWith !== null) yield AGREES[result.replayAgreesWith];
}

/** What came of running a recording with this header again, as `comparisonLines` tells it. */
export function* verificationLines(
  { firstFrame, frames, firstMismatch: mismatch }: Verification,
  { gameId, gameVersion, engine, maths }: RecordingHeader,
): Iterable<string> {
  const name = `${gameId} ${gameVersion}`;
  if (mismatch === null) {
    const start = firstFrame === 0 ? '' : `, from frame ${firstFrame} on`;
    yield `ok: ${frames} frames of ${name}${start}, every hash and state equal`;
    return;
  }
  const { frame, recorded, computed, fields, fieldsFrame, fieldsFrom } = mismatch;
  const where = fieldsFrame === firstFrame ? `before the first frame, ${frame}` : `at frame ${frame}`;
  yield `mismatch ${where}: the recording has ${hashText(recorded)}, this run gives ${hashText(computed)}`;
  const sides = fields.map((field) => ({ ...field, a: field.recorded, b: field.computed }));
  yield* fieldLines({ frame, fields: sides, fieldsFrame, fieldsFrom }, ['in the recording', 'in this run']);
  if (maths !== undefined && maths !== mathsFingerprint()) {
    yield `  ${engine}, which recorded it, differs from this engine in the last bits of Math: ${MATHS}`;
  }
}
