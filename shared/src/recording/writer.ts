import { RiposteError } from '../errors.js';
import { ByteWriter } from './bytes.js';
import { crc32 } from './crc32.js';
import { ChunkType, FORMAT_VERSION, MAGIC, NAME_BYTES_MAX } from './format.js';
import { type RecordingInfo, writeHeader } from './header.js';
import { encodeUtf8 } from './utf8.js';

/** Room for half a minute of two players before the buffer first grows. */
const CAPACITY_START = 16_384;

/**
 * Writes one match as an `.rpl` file, confirmed frame by confirmed frame. Frames are kept raw for one second and then
 * appended as checksummed chunks; `frame` allocates nothing but, now and then, a larger buffer.
 */
export class RecordingWriter {
  readonly info: RecordingInfo;
  readonly #file = new ByteWriter(CAPACITY_START);
  readonly #inputWords: number;
  readonly #frameWords: number;
  /** The frames since the last chunks: what was pressed, player by player in each frame, and the hashes. */
  readonly #pressed: Int32Array;
  readonly #hashes: Uint32Array;
  readonly #blockFrames: number;
  #pending = 0;
  #frames = 0;
  #ended = false;

  /** Throws `bad-argument`, naming the part of `info` that is out of range. */
  constructor(info: RecordingInfo) {
    this.info = info;
    this.#inputWords = info.inputWords;
    this.#frameWords = info.players * info.inputWords;
    for (const byte of MAGIC) this.#file.u8(byte);
    this.#file.u8(FORMAT_VERSION);
    const start = this.#open(ChunkType.header);
    writeHeader(this.#file, info);
    this.#close(start);
    this.#blockFrames = info.tickRate;
    this.#pressed = new Int32Array(this.#blockFrames * this.#frameWords);
    this.#hashes = new Uint32Array(this.#blockFrames);
  }

  /** How many frames have been recorded: the number of the next one. */
  get frames(): number {
    return this.#frames + this.#pending;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Appends the next confirmed frame: the words that every player pressed in it, player by player, and the hash of
   * the state after it (`stateAt(frame + 1)`). Throws `bad-argument` for another number of words or after `end`.
   */
  frame(words: Int32Array, hash: number): void {
    const count = this.#frameWords;
    if (words.length !== count) {
      throw new RiposteError(
        'bad-argument',
        `${words.length} input words; expected ${count}, all players' of one frame`,
      );
    }
    if (this.#ended)
      throw new RiposteError('bad-argument', `frame ${this.frames} comes after the end of the recording`);
    const pressed = this.#pressed;
    const base = this.#pending * count;
    for (let word = 0; word < count; word++) pressed[base + word] = words[word]!;
    this.#hashes[this.#pending] = hash;
    this.#pending++;
    if (this.#pending === this.#blockFrames) this.#flush();
  }

  /**
   * Completes the recording; `reason` says why the match ended, in 1 to 255 bytes. The first end stands: later calls
   * do nothing. Throws `bad-argument` for a reason of another length.
   */
  end(reason: string): void {
    if (this.#ended) return;
    const bytes = encodeUtf8(reason).length;
    if (bytes < 1 || bytes > NAME_BYTES_MAX) {
      throw new RiposteError('bad-argument', `the reason has ${bytes} bytes; expected 1 to ${NAME_BYTES_MAX}`);
    }
    this.#flush();
    this.#appendEnd(reason);
    this.#ended = true;
  }

  /** A copy of the file so far, readable as it is; before `end` it says that the match was still running. */
  bytes(): Uint8Array {
    if (this.#ended) return this.#file.buffer.slice(0, this.#file.length);
    const { length } = this.#file;
    this.#appendBlock();
    this.#appendEnd('');
    const copy = this.#file.buffer.slice(0, this.#file.length);
    // The block goes on growing: what was written of it was for this copy only.
    this.#file.length = length;
    return copy;
  }

  #flush(): void {
    this.#appendBlock();
    this.#frames += this.#pending;
    this.#pending = 0;
  }

  #appendBlock(): void {
    if (this.#pending === 0) return;
    for (let player = 0; player < this.info.players; player++) this.#appendInputs(player);
    const start = this.#open(ChunkType.hashes);
    this.#file.varint(this.#frames);
    this.#file.u32s(this.#hashes, this.#pending);
    this.#close(start);
  }

  /** Runs of equal inputs: how long, and how each word differs from the run before (from 0 at the chunk's start). */
  #appendInputs(player: number): void {
    const file = this.#file;
    const start = this.#open(ChunkType.inputs);
    const first = player * this.#inputWords;
    const pending = this.#pending;
    file.varint(player);
    file.varint(this.#frames);
    file.varint(pending);
    for (let at = 0; at < pending; ) {
      let next = at + 1;
      while (next < pending && this.#sameInput(first, at, next)) next++;
      file.varint(next - at);
      for (let word = first; word < first + this.#inputWords; word++) {
        const before = at === 0 ? 0 : this.#pressed[(at - 1) * this.#frameWords + word]!;
        file.zigzag((this.#pressed[at * this.#frameWords + word]! - before) | 0);
      }
      at = next;
    }
    this.#close(start);
  }

  #sameInput(first: number, a: number, b: number): boolean {
    const pressed = this.#pressed;
    const aBase = a * this.#frameWords;
    const bBase = b * this.#frameWords;
    for (let word = first; word < first + this.#inputWords; word++) {
      if (pressed[aBase + word] !== pressed[bBase + word]) return false;
    }
    return true;
  }

  #appendEnd(reason: string): void {
    const start = this.#open(ChunkType.end);
    this.#file.varint(this.frames);
    this.#file.text(reason);
    this.#close(start);
  }

  /** Begins a chunk, to be followed by its payload; returns where it begins. */
  #open(type: number): number {
    const start = this.#file.length;
    this.#file.u8(type);
    return start;
  }

  /** Completes the chunk that began at `start`: the length before its payload, the checksum behind. */
  #close(start: number): void {
    const file = this.#file;
    file.insertVarint(start + 1, file.length - start - 1);
    file.u32(crc32(file.buffer, start, file.length));
  }
}
