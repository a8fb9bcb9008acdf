import { RiposteError } from '../errors.js';
import { type AbsenceChange, AbsenceList } from './absences.js';
import { ByteReader } from './bytes.js';
import { crc32 } from './crc32.js';
import { EventList, type RecordedEvent } from './events.js';
import { CHUNK_FRAMES_MAX, ChunkType, CRITICAL_BIT, FORMAT_VERSION, MAGIC, NAME_BYTES_MAX } from './format.js';
import { type RecordingHeader, readHeader } from './header.js';
import { GrowingTrack, type InputTrack } from './input-track.js';
import { type Keyframe, KeyframeList } from './keyframes.js';

/** A recording that was read, as far as it could be. */
export interface Recording {
  readonly header: RecordingHeader;
  /** The first frame that is held: later than 0 when the match was recorded from within it. */
  readonly firstFrame: number;
  /** How many frames are held, with every player's input and the hash: `firstFrame` to `firstFrame + frames - 1`. */
  readonly frames: number;
  /** The inputs, one track a player. */
  readonly inputs: readonly InputTrack[];
  /** `hashes[frame - firstFrame]` is the hash of the state after `frame`, of `stateAt(frame + 1)`. */
  readonly hashes: Uint32Array;
  /** The states that are held, in the order of their frames. A recording that starts late begins with one. */
  readonly keyframes: readonly Keyframe[];
  /** Who was not in the match from which frame on, in the order of the frames; empty when all were to the end. */
  readonly absences: readonly AbsenceChange[];
  /** What happened on the machine that recorded, in order. */
  readonly events: readonly RecordedEvent[];
  /** The match's end is in it. False, too, for a copy that was taken while the match was running. */
  readonly complete: boolean;
  /** The file breaks off or is damaged: only what came before is held. */
  readonly truncated: boolean;
  /** Why the match ended; null when the end is not in it. */
  readonly endReason: string | null;
  /** What is wrong with the file, as a sentence; null when it was read to its end. */
  readonly problem: string | null;
}

const HEAD_BYTES = MAGIC.length + 1;
const CHECKSUM_BYTES = 4;

/**
 * Goes to the payload of the chunk at byte `at`, its checksum compared, and returns its type. Throws `bad-recording` when
 * it is damaged or cut off.
 */
function enterChunk(reader: ByteReader, at: number): number {
  const { bytes } = reader;
  reader.at = at;
  reader.end = bytes.length;
  const type = reader.u8();
  let length: number;
  try {
    length = reader.varint();
  } catch {
    throw new RiposteError('bad-recording', `the chunk at byte ${at} is cut off or damaged`);
  }
  const start = reader.at;
  const end = start + length;
  if (end + CHECKSUM_BYTES > bytes.length) {
    throw new RiposteError(
      'bad-recording',
      `the chunk at byte ${at} is cut off or damaged: ` +
        `its ${length} bytes and ${CHECKSUM_BYTES} of checksum should follow, and ${bytes.length - start} do`,
    );
  }
  reader.at = end;
  if (reader.u32() !== crc32(reader.view, at, end)) {
    throw new RiposteError('bad-recording', `the chunk at byte ${at} is damaged: its checksum differs`);
  }
  reader.at = start;
  reader.end = end;
  return type;
}

function checkHead(bytes: Uint8Array): void {
  for (const [at, expected] of MAGIC.entries()) {
    if (bytes[at] === expected) continue;
    const what =
      at > 0 && at >= bytes.length ? 'the recording is cut off in its first bytes' : 'not a Riposte recording';
    throw new RiposteError('bad-recording', `${what}: expected an .rpl file`);
  }
  const version = bytes[MAGIC.length];
  if (version === undefined) throw new RiposteError('bad-recording', 'the recording is cut off before its version');
  if (version === FORMAT_VERSION) return;
  throw new RiposteError(
    'bad-recording',
    `the recording has format version ${version}; expected ${FORMAT_VERSION}${version > FORMAT_VERSION ? ': a newer Riposte wrote it' : ''}`,
  );
}

/** Reads the first chunk. */
function headerOf(reader: ByteReader): RecordingHeader {
  const type = enterChunk(reader, HEAD_BYTES);
  if (type === ChunkType.header) return readHeader(reader);
  throw new RiposteError('bad-recording', `the first chunk has type ${type}; expected the header`);
}

/** Collects the chunks after the header. */
class Frames {
  readonly header: RecordingHeader;
  readonly tracks: GrowingTrack[];
  readonly keyframes = new KeyframeList();
  readonly absences: AbsenceList;
  readonly events = new EventList();
  /** Room for all that the file can hold. */
  readonly hashes: Uint32Array;
  hashCount = 0;
  endReason: string | undefined;
  readonly #input: Int32Array;

  constructor(header: RecordingHeader, bytes: number) {
    this.header = header;
    this.hashes = new Uint32Array(bytes >> 2);
    this.tracks = Array.from({ length: header.players }, () => new GrowingTrack(header.inputWords, header.firstFrame));
    this.absences = new AbsenceList(header.players);
    this.#input = new Int32Array(header.inputWords);
  }

  /** The frame whose hash comes next. */
  get nextFrame(): number {
    return this.header.firstFrame + this.hashCount;
  }

  /** Takes in one chunk. Throws `bad-recording`, with the frames before it still held, when it does not fit. */
  take(type: number, payload: ByteReader): void {
    switch (type) {
      case ChunkType.inputs:
        this.#takeInputs(payload);
        return;
      case ChunkType.hashes:
        this.#takeHashes(payload);
        return;
      case ChunkType.keyframe:
        this.#takeKeyframe(payload);
        return;
      case ChunkType.state:
        this.#takeState(payload);
        return;
      case ChunkType.absences:
        this.#takeAbsences(payload);
        return;
      case ChunkType.events:
        this.events.take(payload);
        return;
      case ChunkType.end:
        this.#takeEnd(payload);
        return;
      case ChunkType.header:
        throw new RiposteError('bad-recording', 'a second header follows the first');
      default:
        if ((type & CRITICAL_BIT) !== 0) {
          throw new RiposteError(
            'bad-recording',
            `chunk type ${type} is needed and not known: a newer Riposte wrote it`,
          );
        }
    }
  }

  #takeInputs(payload: ByteReader): void {
    const player = payload.varint();
    const track = this.tracks[player];
    if (track === undefined) {
      throw new RiposteError('bad-recording', `inputs of player ${player}; expected 0 to ${this.tracks.length - 1}`);
    }
    const first = payload.varint();
    const held = track.endFrame;
    if (first !== held) {
      throw new RiposteError('bad-recording', `inputs of player ${player} from frame ${first}; expected frame ${held}`);
    }
    try {
      this.#takeRuns(payload, track);
    } catch (error) {
      track.trim(held);
      throw error;
    }
  }

  #takeRuns(payload: ByteReader, track: GrowingTrack): void {
    const input = this.#input.fill(0);
    const count = payload.varint();
    if (count < 1 || count > CHUNK_FRAMES_MAX) {
      throw new RiposteError('bad-recording', `a chunk of ${count} frames; expected 1 to ${CHUNK_FRAMES_MAX}`);
    }
    for (let left = count; left > 0; ) {
      const run = payload.varint();
      if (run < 1 || run > left) {
        throw new RiposteError('bad-recording', `a run of ${run} frames; expected 1 to ${left}`);
      }
      for (let word = 0; word < input.length; word++) input[word] = input[word]! + payload.zigzag();
      track.append(run, input);
      left -= run;
    }
    requireEnd(payload);
  }

  #takeHashes(payload: ByteReader): void {
    const first = payload.varint();
    if (first !== this.nextFrame) {
      throw new RiposteError('bad-recording', `hashes from frame ${first}; expected frame ${this.nextFrame}`);
    }
    if (this.header.firstFrame > 0 && this.keyframes.all.length === 0) {
      throw new RiposteError('bad-recording', `the recording starts at frame ${first}, without the state before it`);
    }
    const bytes = payload.end - payload.at;
    const count = bytes >> 2;
    if (count < 1 || bytes !== count * 4) {
      throw new RiposteError('bad-recording', `${bytes} bytes of hashes; expected four a frame`);
    }
    for (let player = 0; player < this.tracks.length; player++) {
      if (this.tracks[player]!.endFrame >= first + count) continue;
      throw new RiposteError(
        'bad-recording',
        `a hash of frame ${first + count - 1} comes before the inputs of player ${player} in it`,
      );
    }
    const held = this.hashCount;
    payload.words(this.hashes, held, count);
    this.hashCount = held + count;
  }

  #takeKeyframe(payload: ByteReader): void {
    const frame = payload.varint();
    const hash = payload.u32();
    if (frame !== this.nextFrame || frame === this.keyframes.all.at(-1)?.frame) {
      throw new RiposteError('bad-recording', `a keyframe at frame ${frame}; expected one at frame ${this.nextFrame}`);
    }
    if (this.hashCount > 0 && hash !== this.hashes[this.hashCount - 1]) {
      throw new RiposteError(
        'bad-recording',
        `the keyframe at frame ${frame} has another hash than the frame before it`,
      );
    }
    this.keyframes.add(frame, hash, payload.varint(), payload);
  }

  #takeState(payload: ByteReader): void {
    const frame = payload.varint();
    const hash = payload.u32();
    const index = frame - 1 - this.header.firstFrame;
    if (index < 0 || index >= this.hashCount || this.hashes[index] !== hash) {
      throw new RiposteError('bad-recording', `a state before frame ${frame} that the hashes before it do not have`);
    }
    this.keyframes.addState(frame, hash, payload);
  }

  #takeAbsences(payload: ByteReader): void {
    const frame = payload.varint();
    if (frame !== this.nextFrame) {
      throw new RiposteError('bad-recording', `absences from frame ${frame} on; expected frame ${this.nextFrame}`);
    }
    this.absences.add(frame, payload.varint());
    requireEnd(payload);
  }

  #takeEnd(payload: ByteReader): void {
    const frames = payload.varint();
    if (frames !== this.hashCount) {
      throw new RiposteError('bad-recording', `the end is after ${frames} frames; ${this.hashCount} are held`);
    }
    this.endReason = payload.text(NAME_BYTES_MAX);
  }
}

function requireEnd(payload: ByteReader): void {
  if (payload.at !== payload.end) {
    throw new RiposteError('bad-recording', `${payload.end - payload.at} bytes are left over in a chunk`);
  }
}

/** Takes in the chunks behind the one that was entered; returns what stopped it before the end, as a sentence, or null. */
function takeChunks(reader: ByteReader, frames: Frames): string | null {
  const { length } = reader.bytes;
  let at = reader.end + CHECKSUM_BYTES;
  while (at < length) {
    if (frames.endReason !== undefined) return `${length - at} bytes follow the end of the recording`;
    try {
      const type = enterChunk(reader, at);
      const end = reader.end + CHECKSUM_BYTES;
      frames.take(type, reader);
      at = end;
    } catch (error) {
      if (!(error instanceof RiposteError)) throw error;
      return error.message;
    }
  }
  return frames.endReason === undefined ? `the recording breaks off at byte ${at}, without its end` : null;
}

/**
 * Reads an `.rpl` file. Later damage and missing ends are no errors: what came before is held, and `truncated` and
 * `problem` say so. Throws `bad-recording` for bytes that are no recording, of a newer format, or damaged in the
 * header.
 */
export function readRecording(bytes: Uint8Array): Recording {
  checkHead(bytes);
  if (bytes.length === HEAD_BYTES) {
    throw new RiposteError('bad-recording', 'the recording is cut off before its header');
  }
  const reader = new ByteReader(bytes, HEAD_BYTES, bytes.length);
  const header = headerOf(reader);
  const held = new Frames(header, bytes.length - reader.end);
  const problem = takeChunks(reader, held);
  for (const track of held.tracks) track.trim(held.nextFrame);
  // An end without a reason closes a copy that was taken while the match was running.
  const endReason = held.endReason || null;
  return {
    header,
    firstFrame: header.firstFrame,
    frames: held.hashCount,
    inputs: held.tracks,
    hashes: held.hashes.subarray(0, held.hashCount),
    keyframes: held.keyframes.inOrder(),
    absences: held.absences.all,
    events: held.events.all,
    complete: endReason !== null && problem === null,
    truncated: problem !== null,
    endReason,
    problem,
  };
}
