import { readFile } from 'node:fs/promises';
import { isReport, type Recording, RiposteError, readRecording, readReport } from '@riposte/shared';
import { CommandError } from './command.js';

/** Why the system refused a file, as people say it. */
export function fileProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file or folder';
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'there is a file of that name';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'it may not be opened';
  return error instanceof Error ? error.message : String(error);
}

/** The recordings that a file holds, as far as they go: one, or those of a report. Throws a `CommandError` that names the file. */
export async function readRecordingFiles(file: string): Promise<readonly Recording[]> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${fileProblem(error)}`);
  }
  try {
    return (isReport(bytes) ? readReport(bytes) : [bytes]).map(readRecording);
  } catch (error) {
    if (!(error instanceof RiposteError)) throw error;
    throw new CommandError(`${file}: ${error.message}`);
  }
}

/** Reads a file of one recording, as far as it goes. Throws a `CommandError` that names the file when it cannot be read at all. */
export async function readRecordingFile(file: string): Promise<Recording> {
  const [recording, other] = await readRecordingFiles(file);
  if (recording !== undefined && other === undefined) return recording;
  throw new CommandError(`${file} is a report of two recordings; expected one: give it to diff or inspect`);
}
