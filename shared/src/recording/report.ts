import { RiposteError, requireInteger } from '../errors.js';
import { ByteReader, ByteWriter } from './bytes.js';

/** As that of a recording, with `RPR`. */
const MAGIC = [0x89, 0x52, 0x50, 0x52, 0x0d, 0x0a, 0x1a] as const;
const FORMAT_VERSION = 1;
/** The sides of a match that can be laid side by side. */
const RECORDINGS_MAX = 2;

/** One file of what both sides of a match recorded: one or two `.rpl` files, each as it is. Throws `bad-argument` for others. */
export function writeReport(recordings: readonly Uint8Array[]): Uint8Array {
  requireInteger('recordings', recordings.length, 1, RECORDINGS_MAX);
  const file = new ByteWriter(recordings.reduce((sum, { length }) => sum + length, 64));
  file.bytes(Uint8Array.of(...MAGIC, FORMAT_VERSION, recordings.length));
  for (const recording of recordings) {
    file.u32(recording.length);
    file.bytes(recording);
  }
  return file.buffer.slice(0, file.length);
}

/** Whether bytes begin as a report does. */
export function isReport(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, at) => bytes[at] === byte);
}

/**
 * The `.rpl` files that a report holds, in its order; where it is cut off, the last one is cut off too, and what follows
 * the last one is left at its end, where reading it names it. Throws `bad-recording` for bytes that are no report, of
 * another format, or cut off before the first recording.
 */
export function readReport(bytes: Uint8Array): readonly Uint8Array[] {
  if (!isReport(bytes)) throw new RiposteError('bad-recording', 'not a Riposte report: expected an .rpr file');
  const reader = new ByteReader(bytes, MAGIC.length, bytes.length);
  const version = reader.u8();
  const count = reader.u8();
  if (version !== FORMAT_VERSION || count < 1 || count > RECORDINGS_MAX) {
    throw new RiposteError(
      'bad-recording',
      `a report of version ${version} with ${count} recordings; expected version ${FORMAT_VERSION} with 1 or ${RECORDINGS_MAX}`,
    );
  }
  const recordings: Uint8Array[] = [];
  while (recordings.length < count && (recordings.length === 0 || reader.at < bytes.length)) {
    const length = reader.u32();
    const left = bytes.length - reader.at;
    const start = reader.skip(recordings.length === count - 1 ? left : Math.min(length, left));
    recordings.push(bytes.slice(start, reader.at));
  }
  return recordings;
}
