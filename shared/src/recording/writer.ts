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
  readonly #payload = new ByteWriter(1024);
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
    this.#frameWords = info.players * info.inputWords;
    writeHeader(this.#payload, info);
    for (const byte of MAGIC) this.#file.u8(byte);
    this.#file.u8(FORMAT_VERSION);
    this.#append(ChunkType.header);
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
    const base = this.#pending * count;
    for (let word = 0; word < count; word++) this.#pressed[base + word] = words[word]!;
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
    const payload = this.#payload;
    payload.varint(this.#frames);
    for (let at = 0; at < this.#pending; at++) payload.u32(this.#hashes[at]!);
    this.#append(ChunkType.hashes);
  }

  /** Runs of equal inputs: how long, and how each word differs from the run before (from 0 at the chunk's start). */
  #appendInputs(player: number): void {
    const payload = this.#payload;
    payload.varint(player);
    payload.varint(this.#frames);
    payload.varint(this.#pending);
    const words = this.info.inputWords;
    const start = player * words;
    for (let at = 0; at < this.#pending; ) {
      let next = at + 1;
      while (next < this.#pending && this.#sameInput(start, at, next)) next++;
      payload.varint(next - at);
      for (let word = start; word < start + words; word++) {
        const before = at === 0 ? 0 : this.#pressed[(at - 1) * this.#frameWords + word]!;
        payload.zigzag((this.#pressed[at * this.#frameWords + word]! - before) | 0);
      }
      at = next;
    }
    this.#append(ChunkType.inputs);
  }

  #sameInput(start: number, a: number, b: number): boolean {
    const aBase = a * this.#frameWords;
    const bBase = b * this.#frameWords;
    for (let word = start; word < start + this.info.inputWords; word++) {
      if (this.#pressed[aBase + word] !== this.#pressed[bBase + word]) return false;
    }
    return true;
  }

  #appendEnd(reason: string): void {
    this.#payload.varint(this.frames);
    this.#payload.text(reason);
    this.#append(ChunkType.end);
  }

  /** Frames the payload as one chunk and empties it. */
  #append(type: number): void {
    const file = this.#file;
    const payload = this.#payload;
    const start = file.length;
    file.u8(type);
    file.varint(payload.length);
    file.bytes(payload.buffer, payload.length);
    file.u32(crc32(file.buffer, start, file.length));
    payload.length = 0;
  }
}
