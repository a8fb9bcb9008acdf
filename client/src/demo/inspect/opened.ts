import { isReport, type Recording, RiposteError, readRecording, readReport } from '@riposte/shared';

/** One recording that is looked at. */
export interface Opened {
  /** The file's. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly recording: Recording;
}

/** Far above an hour of any game that people play; what is beyond it is no recording. */
export const FILE_BYTES_MAX = 256 * 1024 * 1024;

/** A file as it was dropped or chosen. */
export interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What a file holds: one recording, or those of a report; or why it cannot be opened, as a sentence. */
export type ReadFile = { readonly opened: readonly Opened[] } | { readonly refusal: string };

export function readFile(file: GivenFile): ReadFile {
  try {
    return { opened: openFile(file) };
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error) };
  }
}

function openFile({ name, bytes }: GivenFile): readonly Opened[] {
  if (bytes.length > FILE_BYTES_MAX) {
    throw new Error(`${name} has ${Math.round(bytes.length / 1e6)} MB; expected at most ${FILE_BYTES_MAX / 1e6} MB.`);
  }
  try {
    if (!isReport(bytes)) return [{ name, bytes, recording: readRecording(bytes) }];
    return readReport(bytes).map((file) => {
      const recording = readRecording(file);
      return { name: `${name}, player ${recording.header.recordedBy + 1}`, bytes: file, recording };
    });
  } catch (error) {
    if (!(error instanceof RiposteError)) throw error;
    throw new Error(`${name} cannot be opened: ${error.message}.`);
  }
}
