import { readFile } from 'node:fs/promises';
import { type Recording, RiposteError, readRecording } from '@riposte/shared';
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

/** Reads a recording, as far as it goes. Throws a `CommandError` that names the file when it cannot be read at all. */
export async function readRecordingFile(file: string): Promise<Recording> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${fileProblem(error)}`);
  }
  try {
    return readRecording(bytes);
  } catch (error) {
    if (!(error instanceof RiposteError)) throw error;
    throw new CommandError(`${file}: ${error.message}`);
  }
}
