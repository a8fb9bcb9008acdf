import type { RecordingWriter } from '@riposte/shared';

/** A part of this size is closed, and written no more: a save then writes little. */
const SEGMENT_BYTES = 32_768;

/** A part of a file, which takes the place of an earlier one with its number. */
export interface Segment {
  readonly index: number;
  readonly bytes: Uint8Array;
}

/**
 * Cuts a recording that is being written into segments, of which only the last one is written again. All segments
 * together, by their numbers, are the file up to now, in which each chunk is whole.
 */
export class Segments {
  readonly #writer: RecordingWriter;
  #index = 0;
  /** Where the last segment begins in the file. */
  #start = 0;
  #frames = -1;
  #isDone = false;

  constructor(writer: RecordingWriter) {
    this.#writer = writer;
  }

  /** The whole file was taken, with its end. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Bytes of the file up to now. */
  length = 0;

  /** What changed since the last call: nothing, or one segment or two. */
  take(): readonly Segment[] {
    const { frames, isEnded } = this.#writer;
    if (this.#isDone || (frames === this.#frames && !isEnded)) return [];
    this.#frames = frames;
    this.#isDone = isEnded;
    const { bytes, settled } = this.#writer.tail(this.#start);
    this.length = this.#start + bytes.length;
    const size = settled - this.#start;
    if (size < SEGMENT_BYTES || isEnded) return [{ index: this.#index, bytes }];
    const closed = { index: this.#index, bytes: bytes.slice(0, size) };
    this.#index++;
    this.#start = settled;
    return [closed, { index: this.#index, bytes: bytes.slice(size) }];
  }
}
