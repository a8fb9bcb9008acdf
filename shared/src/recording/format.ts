/*
 * The numbers of the `.rpl` format. `docs/rpl.md` says what they mean; the two change together.
 */

/** A high byte against text mode, `RPL`, and line ends of both kinds around the end-of-file character, as in PNG. */
export const MAGIC = [0x89, 0x52, 0x50, 0x4c, 0x0d, 0x0a, 0x1a] as const;

/** The byte after the magic. Raised when a reader of the version before could misread the file. */
export const FORMAT_VERSION = 1;

export const ChunkType = {
  header: 0x01,
  inputs: 0x02,
  hashes: 0x03,
  /** What happened beside the confirmed frames: rollbacks, stalls, delay and link changes, effects and facts. */
  events: 0x04,
  /** The whole state before a frame. */
  keyframe: 0x05,
  /** A whole state of an earlier frame, as where two peers parted. */
  state: 0x06,
  end: 0x0f,
  /** From a frame on, who is not in the match. */
  absences: 0x81,
} as const;

/** A chunk type with this bit changes what the frames mean: a reader that does not know it must stop there. */
export const CRITICAL_BIT = 0x80;

/** Bounds what one inputs chunk of a few bytes can make a reader keep; above any block that a writer makes. */
export const CHUNK_FRAMES_MAX = 4096;

/** So many confirmed frames lie between two keyframes: ten seconds of most games, a moment to run again. */
export const KEYFRAME_INTERVAL = 600;

/**
 * Bounds what a keyframe of a few bytes can make a reader allocate; four times the default bound of a state of bytes.
 * A larger state is not recorded.
 */
export const KEYFRAME_STATE_BYTES_MAX = 64 * 1024 * 1024;

/** The latest first frame: 103 days at 60 Hz, and with any file's frames after it still one that a simulation counts. */
export const FIRST_FRAME_MAX = 2 ** 29;

/** Bounds on the header's texts, in bytes. Settings are names and scalars: 64 KiB is beyond any that people choose. */
export const NAME_BYTES_MAX = 255;
export const SETTINGS_BYTES_MAX = 65_535;

/** The same bound that an input has. */
export const INPUT_WORDS_MAX = 8;
export const INPUT_DELAY_MAX = 255;
