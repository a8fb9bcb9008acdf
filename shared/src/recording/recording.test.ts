import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appended, damaged } from '../../testing/damage.js';
import { RiposteError } from '../errors.js';
import { ByteWriter, viewOf } from './bytes.js';
import { crc32 } from './crc32.js';
import { CHUNK_FRAMES_MAX, ChunkType, MAGIC } from './format.js';
import type { RecordingInfo } from './header.js';
import { type Recording, readRecording } from './reader.js';
import { RecordingWriter } from './writer.js';

interface Frame {
  readonly words: readonly number[];
  readonly hash: number;
}

/** Ten frames a second, so that a block is ten frames. */
const SMALL_INFO: RecordingInfo = {
  gameId: 'mixer',
  gameVersion: '1',
  tickRate: 10,
  players: 2,
  inputWords: 1,
  seed: 7,
  settings: { rounds: 3, mirror: false, stage: 'dôme' },
  inputDelays: [2, 3],
  names: ['Ada', 'Grace'],
  recordedBy: 1,
  engine: 'test',
};

/** The file of these frames; without a reason, of a match that is still running. */
function record(frames: readonly Frame[], info = SMALL_INFO, reason?: string): Uint8Array {
  const writer = new RecordingWriter(info);
  for (const frame of frames) writer.frame(Int32Array.from(frame.words), frame.hash);
  if (reason !== undefined) writer.end(reason);
  return writer.bytes();
}

/** A state of a few bytes, some of which are the same in every frame. */
function stateOf(frame: number): Uint8Array {
  return Uint8Array.of(1, 2, 3, 4, frame, frame >> 8, 0, 0, 0, 0, 7 ^ frame, 8);
}

/** The file of these frames of a match that was joined at frame 1,000, with its state then and every 25 frames. */
function recordLate(frames: readonly Frame[]): Uint8Array {
  const writer = new RecordingWriter({ ...SMALL_INFO, firstFrame: 1000 });
  let hash = 17;
  for (const [index, frame] of frames.entries()) {
    if (index % 25 === 0) writer.keyframe(stateOf(1000 + index), hash);
    writer.frame(Int32Array.from(frame.words), frame.hash);
    hash = frame.hash;
  }
  writer.end('left');
  return writer.bytes();
}

/** Every state that was read is the one that was written. */
function expectStates({ keyframes, firstFrame, frames }: Recording): void {
  for (const [index, keyframe] of keyframes.entries()) {
    expect(keyframe.frame).toBe(firstFrame + 25 * index);
    expect(keyframe.bytes()).toEqual(stateOf(keyframe.frame));
  }
  // A cut may fall between a block and the keyframe after it.
  expect(keyframes.length).toBeGreaterThanOrEqual(Math.ceil(frames / 25));
}

/** A chunk with a right checksum. */
function chunk(type: number, payload: Iterable<number>): Uint8Array {
  const writer = new ByteWriter(64);
  const bytes = Uint8Array.from(payload);
  writer.u8(type);
  writer.varint(bytes.length);
  writer.bytes(bytes);
  writer.u32(crc32(writer.view, 0, writer.length));
  return writer.buffer.slice(0, writer.length);
}

function framesOf(recording: Recording): Frame[] {
  const { players, inputWords } = recording.header;
  return Array.from({ length: recording.frames }, (_, frame) => {
    const words = new Int32Array(players * inputWords);
    for (const [player, track] of recording.inputs.entries()) {
      track.read(recording.firstFrame + frame, words, player * inputWords);
    }
    return { words: [...words], hash: recording.hashes[frame]! };
  });
}

const word = fc.oneof(fc.constantFrom(0, 1, 2, -1), fc.integer());

/** A match: its header, and frames in which an input is held for a while. */
const anyMatch = fc
  .record({ players: fc.integer({ min: 1, max: 4 }), inputWords: fc.integer({ min: 1, max: 3 }) })
  .chain(({ players, inputWords }) =>
    fc.record({
      info: fc.record({
        gameId: fc.constantFrom('duel', 'ünïcode☃', ''),
        gameVersion: fc.string({ maxLength: 20 }),
        tickRate: fc.integer({ min: 1, max: 240 }),
        players: fc.constant(players),
        inputWords: fc.constant(inputWords),
        seed: fc.integer({ min: 0, max: 0xffffffff }),
        settings: fc.dictionary(
          fc.string({ unit: 'binary', maxLength: 8 }),
          fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.boolean(), fc.integer(), fc.double({ noNaN: true })),
          { noNullPrototype: true, maxKeys: 5 },
        ),
        inputDelays: fc.array(fc.nat(255), { minLength: players, maxLength: players }),
        names: fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: players, maxLength: players }),
        recordedBy: fc.integer({ min: -1, max: players - 1 }),
        engine: fc.string({ maxLength: 30 }),
      }),
      runs: fc.array(
        fc.record({
          length: fc.integer({ min: 1, max: 90 }),
          words: fc.array(word, { minLength: players * inputWords, maxLength: players * inputWords }),
        }),
        { maxLength: 12 },
      ),
      hashes: fc.infiniteStream(fc.integer({ min: 0, max: 0xffffffff })),
    }),
  );

/** Infinity is no setting. */
const finite = (info: RecordingInfo) => Object.values(info.settings).every((value) => !/Infinity/.test(String(value)));

describe('a recording', () => {
  it('is summed by the usual CRC-32', () => {
    const digits = Uint8Array.from('123456789', (digit) => digit.charCodeAt(0));
    expect(crc32(viewOf(digits), 0, digits.length)).toBe(0xcbf43926);
  });

  it('gives back every header, input and hash of random matches', () => {
    fc.assert(
      fc.property(anyMatch, ({ info, runs, hashes }) => {
        fc.pre(finite(info));
        const frames = runs.flatMap((run) =>
          Array.from({ length: run.length }, () => ({ words: run.words, hash: hashes.next().value })),
        );
        const recording = readRecording(record(frames, info, 'time is up'));
        expect(recording.header).toMatchObject(info);
        expect(framesOf(recording)).toEqual(frames);
        expect(recording).toMatchObject({ complete: true, truncated: false, endReason: 'time is up', problem: null });
      }),
      { numRuns: 100 },
    );
  });

  it('is written as the example of its documentation says, byte by byte', () => {
    const alone = {
      gameId: 'g',
      tickRate: 60,
      players: 1,
      settings: {},
      inputDelays: [2],
      names: ['A'],
      recordedBy: 0,
    };
    const writer = new RecordingWriter({ ...SMALL_INFO, ...alone, engine: 'E' });
    writer.keyframe(Uint8Array.of(0x2a, 0, 0, 0), 0x11223344);
    writer.frame(Int32Array.of(1), 0x12345678);
    writer.end('left');
    const bytes = writer.bytes();
    expect([...bytes].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(' ')).toBe(
      [
        '89 52 50 4C 0D 0A 1A 01',
        '01 19 01 67 01 31 3C 01 01 07 00 00 00 01 02 01 41 01 45 02 7B 7D 43 BF A6 A3 00 17 3B 2A 26',
        '05 0B 00 44 33 22 11 04 00 01 2A 03 00 85 4D 04 A4',
        '02 05 00 00 01 01 02 BE 65 E9 AC',
        '03 05 00 78 56 34 12 9E 0C 60 72',
        '0F 06 01 04 6C 65 66 74 EE B5 2D BA',
      ].join(' '),
    );
  });

  it('is a whole file at any time before the end, and says that the match was running', () => {
    const writer = new RecordingWriter(SMALL_INFO);
    for (let frame = 0; frame < 25; frame++) {
      const recording = readRecording(writer.bytes());
      expect(recording).toMatchObject({ frames: frame, complete: false, truncated: false, endReason: null });
      expect([...recording.hashes]).toEqual(Array.from({ length: frame }, (_, at) => at * 7));
      writer.frame(Int32Array.of(frame, 0), frame * 7);
    }
  });

  it('does not depend on how often it was copied', () => {
    const plain = new RecordingWriter(SMALL_INFO);
    const copied = new RecordingWriter(SMALL_INFO);
    for (let frame = 0; frame < 25; frame++) {
      for (const writer of [plain, copied]) writer.frame(Int32Array.of(frame, -frame), frame);
      copied.bytes();
    }
    for (const writer of [plain, copied]) writer.end('left');
    expect(copied.bytes()).toEqual(plain.bytes());
  });

  it('takes no frame after its end, and keeps the first end', () => {
    const writer = new RecordingWriter(SMALL_INFO);
    writer.frame(Int32Array.of(1, 2), 3);
    writer.end('left');
    writer.end('again');
    expect(() => writer.frame(Int32Array.of(1, 2), 3)).toThrow('frame 1 comes after the end');
    expect(readRecording(writer.bytes())).toMatchObject({ frames: 1, endReason: 'left' });
  });

  it('names what is wrong with a header', () => {
    const wrong = (part: Partial<RecordingInfo>) => () => new RecordingWriter({ ...SMALL_INFO, ...part });
    expect(wrong({ players: 9 })).toThrow('players is 9; expected an integer from 1 to 8');
    expect(wrong({ firstFrame: 2 ** 29 + 1 })).toThrow(
      'firstFrame is 536870913; expected an integer from 0 to 536870912',
    );
    expect(wrong({ names: ['one'] })).toThrow('1 names; expected 2');
    expect(wrong({ inputDelays: [1, 256] })).toThrow('inputDelays[1] is 256');
    expect(wrong({ settings: { speed: Number.NaN } })).toThrow('setting "speed" is NaN');
    expect(wrong({ engine: 'x'.repeat(256) })).toThrow('bytes of engine is 256; expected an integer from 0 to 255');
    expect(() => new RecordingWriter(SMALL_INFO).frame(new Int32Array(3), 0)).toThrow('3 input words; expected 2');
  });

  it('holds ten minutes of two busy players in at most 250 kB, and of two idle ones in little more than the hashes', () => {
    const size = (changeEvery: number) => {
      const writer = new RecordingWriter({ ...SMALL_INFO, tickRate: 60 });
      const words = new Int32Array(2);
      let noise = 1;
      for (let frame = 0; frame < 36_000; frame++) {
        noise = Math.imul(noise, 1664525) + 1013904223;
        if (frame % changeEvery === 0) words.set([(noise >>> 8) & 0xff, (noise >>> 16) & 0xff]);
        writer.frame(words, noise);
      }
      writer.end('left');
      return writer.bytes().length;
    };
    expect(size(4)).toBeLessThan(250_000);
    expect(size(36_000) - 36_000 * 4).toBeLessThan(30_000);
  });
});

describe('a recording that was cut off', () => {
  const frames = Array.from({ length: 34 }, (_, frame) => ({ words: [frame >> 2, frame % 3], hash: frame * 1001 }));
  const whole = recordLate(frames);

  it('at any byte is refused in words or read up to the last whole chunk', () => {
    const reached = new Set<number>();
    for (let length = 0; length < whole.length; length++) {
      const cut = whole.slice(0, length);
      let recording: Recording;
      try {
        recording = readRecording(cut);
      } catch (error) {
        expect(error).toBeInstanceOf(RiposteError);
        continue;
      }
      expect(recording).toMatchObject({ header: SMALL_INFO, complete: false, truncated: true, endReason: null });
      expect(recording.problem).toMatch(/cut off|breaks off/);
      expect(framesOf(recording)).toEqual(frames.slice(0, recording.frames));
      expectStates(recording);
      reached.add(recording.frames);
    }
    expect([...reached]).toEqual([0, 10, 20, 25, 34]);
  });
});

describe('a damaged recording', () => {
  const frames = Array.from({ length: 75 }, (_, frame) => ({ words: [frame >> 2, frame % 3], hash: frame * 99_991 }));
  const whole = recordLate(frames);

  it('never crashes the reader and is never silently wrong, over 1,000 damages', () => {
    fc.assert(
      fc.property(damaged(whole), (bytes) => {
        let recording: Recording;
        try {
          recording = readRecording(bytes);
        } catch (error) {
          expect(error).toMatchObject({ name: 'RiposteError', code: 'bad-recording' });
          return;
        }
        expect(recording.truncated).toBe(true);
        expect(recording.header).toMatchObject(SMALL_INFO);
        expect(framesOf(recording)).toEqual(frames.slice(0, recording.frames));
        expectStates(recording);
      }),
      { numRuns: 1000 },
    );
  });

  it('never crashes the reader with well-summed chunks of random content either', () => {
    const head = record([], SMALL_INFO).slice(0, -(1 + 1 + 2 + 4));
    const type = fc.oneof(fc.constantFrom(1, 2, 3, 4, 5, 15, 0x81), fc.integer({ min: 0, max: 255 }));
    const chunks = fc.array(fc.tuple(type, fc.uint8Array({ maxLength: 24 })), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(chunks, (list) => {
        const recording = readRecording(appended(head, ...list.map(([kind, payload]) => chunk(kind, payload))));
        expect(recording.frames).toBeLessThanOrEqual(list.length * 6);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['nothing', new Uint8Array(), 'not a Riposte recording'],
    ['another file', new Uint8Array([0x50, 0x4b, 3, 4]), 'not a Riposte recording'],
    ['half of the magic', Uint8Array.from(MAGIC.slice(0, 4)), 'cut off in its first bytes'],
    ['a newer format', Uint8Array.from([...MAGIC, 2]), 'format version 2; expected 1: a newer Riposte wrote it'],
    ['no header', appended(Uint8Array.from([...MAGIC, 1]), chunk(ChunkType.end, [0, 0])), 'expected the header'],
  ])('is refused when it is %s', (_, bytes, message) => {
    expect(() => readRecording(bytes)).toThrow(message);
  });
});

describe('chunks that a reader does not expect', () => {
  const frames = Array.from({ length: 10 }, (_, frame) => ({ words: [1, 2], hash: frame }));
  const END_BYTES = 1 + 1 + 2 + 4;
  /** Ten frames without an end. */
  const open = record(frames, SMALL_INFO).slice(0, -END_BYTES);
  const end = chunk(ChunkType.end, [10, 1, 0x78]);
  const readWith = (...chunks: Uint8Array[]) => readRecording(appended(open, ...chunks));

  it('are skipped when they may be, and stop it when they change what frames mean', () => {
    expect(readWith(chunk(0x33, [1, 2, 3]), end)).toMatchObject({ frames: 10, complete: true, problem: null });
    expect(readWith(chunk(0xb3, [1, 2, 3]), end)).toMatchObject({ frames: 10, complete: false, truncated: true });
  });

  it.each([
    ['a second header', chunk(ChunkType.header, []), 'a second header'],
    ['inputs of a third player', chunk(ChunkType.inputs, [2, 10, 1, 1, 0]), 'inputs of player 2; expected 0 to 1'],
    ['a gap in the inputs', chunk(ChunkType.inputs, [0, 11, 1, 1, 0]), 'from frame 11; expected frame 10'],
    ['a run past its chunk', chunk(ChunkType.inputs, [0, 10, 2, 3, 0]), 'a run of 3 frames; expected 1 to 2'],
    ['more frames than a chunk may have', chunk(ChunkType.inputs, [0, 10, 0x81, 0x20, 1, 0]), `${CHUNK_FRAMES_MAX}`],
    ['inputs with bytes left over', chunk(ChunkType.inputs, [0, 10, 1, 1, 0, 9]), '1 bytes are left over'],
    ['a number of 36 bits', chunk(ChunkType.inputs, [0xff, 0xff, 0xff, 0xff, 0x7f]), 'more than 32 bits'],
    ['hashes before their inputs', chunk(ChunkType.hashes, [10, 1, 2, 3, 4]), 'before the inputs of player 0'],
    ['a torn hash', chunk(ChunkType.hashes, [10, 1, 2, 3]), '3 bytes of hashes'],
    [
      'a state elsewhere',
      chunk(ChunkType.keyframe, [11, 9, 0, 0, 0, 1, 1, 0]),
      'at frame 11; expected one at frame 10',
    ],
    ['a state with another hash', chunk(ChunkType.keyframe, [10, 8, 0, 0, 0, 1, 1, 0]), 'another hash than the frame'],
    ['a state that goes on', chunk(ChunkType.keyframe, [10, 9, 0, 0, 0, 1, 1, 0, 0]), '1 bytes are left over'],
    ['a state past its size', chunk(ChunkType.keyframe, [10, 9, 0, 0, 0, 2, 1, 2, 5, 5]), 'expected 1 to 2'],
    ['a state without end', chunk(ChunkType.keyframe, [10, 9, 0, 0, 0, 2, 0, 0]), '0 bytes of a state'],
    [
      'a state of 4 GB',
      chunk(ChunkType.keyframe, [10, 9, 0, 0, 0, 255, 255, 255, 255, 15, 255, 255, 255, 255, 15, 0]),
      'at most',
    ],
    ['an end elsewhere', chunk(ChunkType.end, [9, 0]), 'the end is after 9 frames; 10 are held'],
    ['an end whose reason is not UTF-8', chunk(ChunkType.end, [10, 1, 0xff]), 'not UTF-8'],
    ['something after the end', appended(end, Uint8Array.of(1)), '1 bytes follow the end'],
  ])('stop it at %s, with the frames before still read', (_, bytes, problem) => {
    const recording = readWith(bytes);
    expect(recording).toMatchObject({ frames: 10, complete: false, truncated: true });
    expect(recording.problem).toContain(problem);
    expect(framesOf(recording)).toEqual(frames);
  });
});
