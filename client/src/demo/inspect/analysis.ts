import type { Comparison, Game, RecordingHeader, Verification } from '@riposte/shared';
import { compareRecordings, RiposteError, readRecording, verify } from '@riposte/shared';

/** What running the opened recordings again, from start to end, has found. */
export type Finding =
  | { readonly kind: 'comparison'; readonly result: Comparison }
  | { readonly kind: 'verification'; readonly result: Verification; readonly header: RecordingHeader }
  | { readonly kind: 'refused'; readonly reason: string };

/** One recording is verified, two are compared; without their game only what is written in them. */
export function analyse(
  files: readonly Uint8Array[],
  game: Game<unknown, unknown> | undefined,
  onProgress: (done: number, total: number) => void,
): Finding {
  const [a, b] = files.map(readRecording);
  try {
    if (a !== undefined && b !== undefined) {
      return { kind: 'comparison', result: compareRecordings(a, b, game, { onProgress }) };
    }
    if (a !== undefined && game !== undefined) {
      const result = verify(game, a, { onProgress });
      return { kind: 'verification', result, header: a.header };
    }
  } catch (error) {
    if (!(error instanceof RiposteError)) throw error;
    return { kind: 'refused', reason: error.message };
  }
  return { kind: 'refused', reason: 'there is no game to run it with' };
}

/** The frame to look at, where the difference can be seen first; null when there is none. */
export function frameOf(finding: Finding): number | null {
  if (finding.kind === 'refused') return null;
  if (finding.kind === 'verification') {
    const { firstMismatch: mismatch, firstFrame } = finding.result;
    if (mismatch === null) return null;
    return mismatch.fieldsFrame === firstFrame ? firstFrame : mismatch.frame + 1;
  }
  const { kind, frame, fieldsFrame } = finding.result;
  if (kind !== 'state' || frame === null) return frame;
  // The step of the frame makes the difference: it is in the state after it.
  return fieldsFrame === frame ? frame : frame + 1;
}
