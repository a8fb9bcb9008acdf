import { RiposteError, requireInteger } from '../errors.js';
import { PLAYERS_MAX, type Settings, TICK_RATE_MAX } from '../game/game.js';
import type { ByteReader, ByteWriter } from './bytes.js';
import { FIRST_FRAME_MAX, INPUT_DELAY_MAX, INPUT_WORDS_MAX, NAME_BYTES_MAX, SETTINGS_BYTES_MAX } from './format.js';
import { parseSettings, settingsHash, settingsText } from './settings.js';
import { encodeUtf8 } from './utf8.js';

/** What a recording says about its match before the first frame. */
export interface RecordingInfo {
  readonly gameId: string;
  readonly gameVersion: string;
  /** Frames a second, 1 to 240. */
  readonly tickRate: number;
  /** Seats, 1 to 8. */
  readonly players: number;
  /** 32-bit integers of one player's input, 1 to 8. */
  readonly inputWords: number;
  /** 32-bit unsigned. */
  readonly seed: number;
  readonly settings: Settings;
  /** Frames between a press and the frame that it plays in, 0 to 255, one number a player. */
  readonly inputDelays: readonly number[];
  /** One name a player, up to 255 bytes each. */
  readonly names: readonly string[];
  /** Which player's peer recorded; -1 when the match had no peers. */
  readonly recordedBy: number;
  /** What it ran on, as people read it: `Node 20.20.0`, a browser's name and version; up to 255 bytes. */
  readonly engine: string;
  /**
   * The first frame that is recorded, 0 by default. A later one is that of a page which was reloaded and got the match
   * from its peer; the recording then begins with the state before that frame.
   */
  readonly firstFrame?: number;
  /** A hash of what the engine's `Math` gives where it may choose the last bit, 32-bit unsigned; undefined when not known. */
  readonly maths?: number;
}

export interface RecordingHeader extends RecordingInfo {
  readonly firstFrame: number;
  /** 32-bit unsigned: equal hashes mean equal settings. */
  readonly settingsHash: number;
}

function requireText(name: string, text: string, bytesMax: number): void {
  requireInteger(`bytes of ${name}`, encodeUtf8(text).length, 0, bytesMax);
}

/** Throws `bad-argument`, naming the part, unless everything is in its range. */
function checkInfo(info: RecordingInfo): void {
  requireText('gameId', info.gameId, NAME_BYTES_MAX);
  requireText('gameVersion', info.gameVersion, NAME_BYTES_MAX);
  requireInteger('tickRate', info.tickRate, 1, TICK_RATE_MAX);
  requireInteger('players', info.players, 1, PLAYERS_MAX);
  requireInteger('inputWords', info.inputWords, 1, INPUT_WORDS_MAX);
  requireInteger('seed', info.seed, 0, 0xffffffff);
  requireInteger('firstFrame', info.firstFrame ?? 0, 0, FIRST_FRAME_MAX);
  requireInteger('maths', info.maths ?? 0, 0, 0xffffffff);
  requireInteger('recordedBy', info.recordedBy, -1, info.players - 1);
  requireCount('inputDelays', info.inputDelays.length, info.players);
  requireCount('names', info.names.length, info.players);
  for (const [player, delay] of info.inputDelays.entries()) {
    requireInteger(`inputDelays[${player}]`, delay, 0, INPUT_DELAY_MAX);
    requireText(`names[${player}]`, info.names[player]!, NAME_BYTES_MAX);
  }
  requireText('engine', info.engine, NAME_BYTES_MAX);
  requireText('settings', settingsText(info.settings), SETTINGS_BYTES_MAX);
}

/** Writes the payload of a header chunk. Throws `bad-argument`, naming the part, and writes nothing. */
export function writeHeader(into: ByteWriter, info: RecordingInfo): void {
  checkInfo(info);
  into.text(info.gameId);
  into.text(info.gameVersion);
  into.varint(info.tickRate);
  into.varint(info.players);
  into.varint(info.inputWords);
  into.u32(info.seed);
  into.varint(info.recordedBy + 1);
  for (let player = 0; player < info.players; player++) {
    into.varint(info.inputDelays[player]!);
    into.text(info.names[player]!);
  }
  into.text(info.engine);
  into.text(settingsText(info.settings));
  into.u32(settingsHash(info.settings));
  into.varint(info.firstFrame ?? 0);
  if (info.maths !== undefined) into.u32(info.maths);
}

/** Reads the payload of a header chunk; bytes after what is known here belong to later writers. Throws `bad-recording`. */
export function readHeader(from: ByteReader): RecordingHeader {
  const gameId = from.text(NAME_BYTES_MAX);
  const gameVersion = from.text(NAME_BYTES_MAX);
  const tickRate = from.varint();
  const players = from.varint();
  const inputWords = from.varint();
  const seed = from.u32();
  const recordedBy = from.varint() - 1;
  const inputDelays: number[] = [];
  const names: string[] = [];
  for (let player = 0; player < Math.min(players, PLAYERS_MAX); player++) {
    inputDelays.push(from.varint());
    names.push(from.text(NAME_BYTES_MAX));
  }
  const engine = from.text(NAME_BYTES_MAX);
  const settings = parseSettings(from.text(SETTINGS_BYTES_MAX));
  const header: RecordingHeader = {
    gameId,
    gameVersion,
    tickRate,
    players,
    inputWords,
    seed,
    settings,
    inputDelays,
    names,
    recordedBy,
    engine,
    settingsHash: from.u32(),
    // Writers before it had no such field, and always began at the start.
    firstFrame: from.at < from.end ? from.varint() : 0,
    ...(from.at < from.end && { maths: from.u32() }),
  };
  try {
    checkInfo(header);
  } catch (error) {
    if (!(error instanceof RiposteError)) throw error;
    throw new RiposteError('bad-recording', error.message);
  }
  if (settingsHash(settings) !== header.settingsHash) {
    throw new RiposteError('bad-recording', 'the settings do not have the hash that is stored with them');
  }
  return header;
}

/** Throws `bad-argument` unless there are as many of something as expected. */
export function requireCount(what: string, given: number, expected: number): void {
  if (given !== expected) throw new RiposteError('bad-argument', `${given} ${what}; expected ${expected}`);
}
