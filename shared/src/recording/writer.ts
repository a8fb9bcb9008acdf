import { RiposteError, requireInteger } from '../errors.js';
import type { RollbackSim } from '../rollback/sim.js';
import { ByteWriter, putVarint, VARINT_BYTES_MAX, varintBytes } from './bytes.js';
import { crc32 } from './crc32.js';
import { EventLog } from './event-log.js';
import {
  ChunkType,
  FORMAT_VERSION,
  KEYFRAME_INTERVAL,
  KEYFRAME_STATE_BYTES_MAX,
  MAGIC,
  NAME_BYTES_MAX,
} from './format.js';
import { type RecordingInfo, requireCount, writeHeader } from './header.js';
import { putRuns, RUN_SPARE_BYTES } from './input-runs.js';
import { SimRecorder } from './sim-recorder.js';
import { packState } from './state-delta.js';
import { encodeUtf8 } from './utf8.js';

/** Room for half a minute of two players before the buffer first grows. */
const CAPACITY_START = 16_384;
/** The type of a chunk, and room for its length: of a second's chunks, most have 128 to 16,383 bytes. */
const CHUNK_HEAD_BYTES = 3;

/** Where the words of confirmed inputs can be read, as `RollbackSim` has them. */
type KeptInputs = Pick<RollbackSim<unknown, unknown>, 'readInput'>;

/**
 * Writes one match as an `.rpl` file, confirmed frame by confirmed frame. Frames are kept raw for one second and then
 * appended as checksummed chunks; `frame` allocates nothing but, now and then, a larger buffer.
 */
export class RecordingWriter {
  readonly info: RecordingInfo;
  /** Called once, when the recording is complete. */
  onEnd: (() => void) | undefined;
  /** The first frame that is recorded. */
  readonly firstFrame: number;
  /** Takes down what happens beside the confirmed frames; it goes into the file with the frames of its second. */
  readonly events: EventLog;
  readonly #file = new ByteWriter(CAPACITY_START);
  readonly #players: number;
  readonly #inputWords: number;
  readonly #frameWords: number;
  /** The frames since the last chunks: what the first player pressed in them, then the next one, and the hashes. */
  readonly #pressed: Int32Array;
  readonly #hashes: Int32Array;
  #pending = 0;
  /** The first frame of the block that is being filled. */
  #blockFrame: number;
  /** From this frame on the next keyframe is wanted. */
  #keyframeDue: number;
  /** The frames whose states `state` took. */
  readonly #states = new Set<number>();
  /** The last keyframe's state, which the next one is written as a difference from. */
  #keyframe: Uint8Array = new Uint8Array(0);
  /** The players who are not in the match: one bit each. */
  #gone = 0;
  /** Appends the frames that a simulation's recorder holds back. */
  #appendWaiting: (() => void) | undefined;
  #ended = false;

  /** Throws `bad-argument`, naming the part of `info` that is out of range. */
  constructor(info: RecordingInfo) {
    this.info = info;
    this.events = new EventLog(info.inputDelays[info.recordedBy] ?? 0);
    this.firstFrame = info.firstFrame ?? 0;
    this.#blockFrame = this.firstFrame;
    this.#keyframeDue = this.firstFrame;
    this.#players = info.players;
    this.#inputWords = info.inputWords;
    this.#frameWords = info.players * info.inputWords;
    this.#file.bytes(Uint8Array.of(...MAGIC, FORMAT_VERSION));
    const start = this.#begin(ChunkType.header);
    writeHeader(this.#file, info);
    this.#end(start);
    // Blocks of a second.
    this.#pressed = new Int32Array(info.tickRate * this.#frameWords);
    this.#hashes = new Int32Array(info.tickRate);
  }

  /** Records the frames of a simulation from `firstFrame` on, the state before which is final. */
  recorderOf<S, I>(sim: RollbackSim<S, I>): SimRecorder<S, I> {
    const recorder = new SimRecorder(sim, this);
    this.#appendWaiting = () => recorder.append();
    return recorder;
  }

  /** How many frames have been recorded. */
  get frames(): number {
    this.#appendWaiting?.();
    return this.nextFrame - this.firstFrame;
  }

  /** The frame that `frame` takes next. */
  get nextFrame(): number {
    return this.#blockFrame + this.#pending;
  }

  /** Whether the state before the next frame should be given to `keyframe`: at the start, and every 600 frames. */
  get isKeyframeDue(): boolean {
    return this.nextFrame >= this.#keyframeDue;
  }

  /**
   * Appends the next confirmed frame: the words that every player pressed in it, player by player, and the hash of
   * the state after it (`stateAt(frame + 1)`). `gone` has a bit for each player who is not in the match: their words are
   * the neutral input. Returns whether the state after it should be given to `keyframe`. Throws `bad-argument` for another
   * number of words or after `end`.
   */
  frame(words: Int32Array, hash: number, gone = 0): boolean {
    requireCount('input words', words.length, this.#frameWords);
    this.#openBlock(gone);
    const size = this.#inputWords;
    for (let player = 0; player < this.#players; player++) {
      for (let word = 0; word < size; word++)
        this.#pressed[this.#placeOf(player) + word] = words[player * size + word]!;
    }
    this.#hashes[this.#pending] = hash;
    this.#took(1);
    return this.isKeyframeDue;
  }

  /**
   * Appends the next `count` confirmed frames, as `frame` does each of them: their inputs are read where they are kept, and
   * of the hashes those from `from` on are taken. Of those frames only the state after the last can be given to `keyframe`.
   * False, with the frames before it appended, where an input is kept no longer.
   */
  append(count: number, inputs: KeptInputs, hashes: Int32Array, from: number, gone: number): boolean {
    this.#openBlock(gone);
    const kept = this.#hashes;
    for (let first = 0; first < count; ) {
      const taken = Math.min(count - first, kept.length - this.#pending);
      for (let player = 0; player < this.#players; player++) {
        if (!inputs.readInput(player, this.nextFrame, this.#pressed, this.#placeOf(player), taken)) return false;
      }
      for (let frame = 0; frame < taken; frame++) kept[this.#pending + frame] = hashes[from + first + frame]!;
      this.#took(taken);
      first += taken;
    }
    return true;
  }

  /** The next frame is taken, in which `gone` are not in the match. */
  #openBlock(gone: number): void {
    this.#requireOpen();
    if (gone !== this.#gone) this.#appendAbsences(gone);
  }

  /** Where in the block the player's words of the next frame are put. */
  #placeOf(player: number): number {
    return (player * this.#hashes.length + this.#pending) * this.#inputWords;
  }

  /** The block, which had room for them, holds so many frames more. */
  #took(count: number): void {
    this.#pending += count;
    if (this.#pending === this.#hashes.length) this.#flush();
  }

  #requireOpen(): void {
    if (!this.#ended) return;
    throw new RiposteError('bad-argument', `frame ${this.nextFrame} comes after the end of the recording`);
  }

  /**
   * Appends the state before the next frame (`stateAt(nextFrame)`) as its model encodes it, and its hash. A recording
   * whose first frame is not 0 must begin with one. Call it once a frame at most, with the hash that `frame` was given
   * last: a reader takes anything else for damage. A state above 64 MiB is left out. Throws `bad-argument` after `end`.
   */
  keyframe(state: Uint8Array, hash: number): void {
    const frame = this.nextFrame;
    this.#requireOpen();
    // Multiples of the interval, also after a late start: the peers' recordings hold states of the same frames.
    this.#keyframeDue = frame - (frame % KEYFRAME_INTERVAL) + KEYFRAME_INTERVAL;
    if (state.length > KEYFRAME_STATE_BYTES_MAX) return;
    this.#flush();
    const file = this.#file;
    const start = this.#begin(ChunkType.keyframe);
    file.varint(frame);
    file.u32(hash);
    file.varint(state.length);
    packState(file, state, this.#keyframe);
    this.#end(start);
    this.#keyframe = state.slice();
  }

  /**
   * Appends the state before an earlier frame, a recorded one or the next, with its hash: that where two peers parted. One
   * that is there, as where a player parts from several, and a state above 64 MiB are left out. Throws `bad-argument` for
   * another frame, and after `end`.
   */
  state(frame: number, state: Uint8Array, hash: number): void {
    requireInteger('frame', frame, this.firstFrame + 1, this.nextFrame);
    this.#requireOpen();
    if (state.length > KEYFRAME_STATE_BYTES_MAX || this.#states.has(frame)) return;
    this.#states.add(frame);
    this.#flush();
    const start = this.#begin(ChunkType.state);
    this.#file.varint(frame);
    this.#file.u32(hash);
    this.#file.bytes(state);
    this.#end(start);
  }

  /** Other players are absent from the next frame on. */
  #appendAbsences(gone: number): void {
    requireInteger('gone', gone, 0, (1 << this.#players) - 1);
    this.#flush();
    const start = this.#begin(ChunkType.absences);
    this.#file.varint(this.nextFrame);
    this.#file.varint(gone);
    this.#end(start);
    this.#gone = gone;
  }

  /**
   * Completes the recording; `reason` says why the match ended, in 1 to 255 bytes. The first end stands: later calls
   * do nothing. Throws `bad-argument` for a reason of another length.
   */
  end(reason: string): void {
    if (this.#ended) return;
    requireInteger('bytes of the reason', encodeUtf8(reason).length, 1, NAME_BYTES_MAX);
    this.#appendWaiting?.();
    this.#appendWaiting = undefined;
    this.#flush();
    this.#appendEnd(reason);
    this.#ended = true;
    this.onEnd?.();
  }

  /** Nothing follows any more. */
  get isEnded(): boolean {
    return this.#ended;
  }

  /**
   * A copy of the file from byte `from` on, with all that has been recorded and without an end before there is one: what
   * a page keeps while the match runs. The bytes up to `settled` stay as they are; those after it are of a block that
   * still grows.
   */
  tail(from: number): { readonly bytes: Uint8Array; readonly settled: number } {
    this.#appendWaiting?.();
    const settled = this.#file.length;
    if (!this.#ended) this.#appendBlock();
    const bytes = this.#file.buffer.slice(from, this.#file.length);
    this.#file.length = settled;
    return { bytes, settled };
  }

  /** A copy of the file so far, readable as it is; before `end` it says that the match was still running. */
  bytes(): Uint8Array {
    this.#appendWaiting?.();
    const { length } = this.#file;
    if (!this.#ended) {
      this.#appendBlock();
      this.#appendEnd('');
    }
    const copy = this.#file.buffer.slice(0, this.#file.length);
    // The block goes on growing: what was written of it was for this copy only.
    this.#file.length = length;
    return copy;
  }

  /** Ends the block that is being filled, however short it is. */
  #flush(): void {
    if (this.#ended) return;
    this.#appendBlock();
    this.events.clear();
    this.#blockFrame += this.#pending;
    this.#pending = 0;
  }

  #appendBlock(): void {
    this.#appendFrames();
    const { events } = this;
    events.close();
    if (events.bytes.length === 0) return;
    const start = this.#begin(ChunkType.events);
    this.#file.copy(events.bytes);
    this.#end(start);
  }

  #appendFrames(): void {
    if (this.#pending === 0) return;
    for (let player = 0; player < this.#players; player++) this.#appendInputs(player);
    const start = this.#begin(ChunkType.hashes);
    this.#file.varint(this.#blockFrame);
    this.#file.words(this.#hashes, this.#pending);
    this.#end(start);
  }

  #appendInputs(player: number): void {
    const file = this.#file;
    const start = this.#begin(ChunkType.inputs);
    const size = this.#inputWords;
    const pending = this.#pending;
    const first = player * this.#hashes.length * size;
    file.varint(player);
    file.varint(this.#blockFrame);
    file.varint(pending);
    const bytes = file.room(VARINT_BYTES_MAX * pending * (1 + size) + RUN_SPARE_BYTES);
    file.length = putRuns(bytes, file.view, file.length, this.#pressed, first, first + pending * size, size);
    this.#end(start);
  }

  #appendEnd(reason: string): void {
    const start = this.#begin(ChunkType.end);
    this.#file.varint(this.frames);
    this.#file.text(reason);
    this.#end(start);
  }

  /** Begins a chunk, whose payload follows; returns where. */
  #begin(type: number): number {
    const file = this.#file;
    const start = file.length;
    file.u8(type);
    file.skip(CHUNK_HEAD_BYTES - 1);
    return start;
  }

  /** Ends the chunk that begins at `start`: its length comes before the payload, the checksum behind. */
  #end(start: number): void {
    const file = this.#file;
    const payload = start + CHUNK_HEAD_BYTES;
    const size = file.length - payload;
    const bytes = file.room(VARINT_BYTES_MAX);
    const moved = start + 1 + varintBytes(size);
    // Of so few bytes as are moved down, a call that moves them costs more than they do.
    if (moved < payload) for (let at = 0; at < size; at++) bytes[moved + at] = bytes[payload + at]!;
    else if (moved > payload) bytes.copyWithin(moved, payload, payload + size);
    putVarint(bytes, start + 1, size);
    file.length = moved + size;
    file.u32(crc32(file.view, start, file.length));
  }
}
