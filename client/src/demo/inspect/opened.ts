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

/** The recordings that a file holds: one, or those of a report. Throws a sentence that names the file when it cannot be read. */
export function openFile(name: string, bytes: Uint8Array): readonly Opened[] {
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
