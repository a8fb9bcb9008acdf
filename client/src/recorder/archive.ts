import type { RecordingWriter } from '@riposte/shared';
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { Segments } from './segments.js';

const DATABASE = 'riposte.recordings';
const DATABASE_VERSION = 1;
/** A page that is killed loses the frames since the last save, and those that were not final: a second at most. */
const SAVE_MS = 400;
/** What is kept at most: the oldest go first. A match of ten minutes has up to a quarter of a megabyte. */
const COUNT_MAX = 30;
const BYTES_MAX = 32 * 1024 * 1024;
/** A match that was saved within so long is still being played, here or in another tab. */
const RUNNING_MS = 5000;

/** A match whose recording this browser keeps. */
export interface KeptMatch {
  readonly id: string;
  readonly game: string;
  readonly names: readonly string[];
  /** Who recorded it; -1 on one machine. */
  readonly recordedBy: number;
  readonly tickRate: number;
  /** When it began and was last saved, in milliseconds since 1970. */
  readonly startedMs: number;
  readonly savedMs: number;
  readonly frames: number;
  readonly bytes: number;
  /** The match's end is in it. */
  readonly isEnded: boolean;
}

interface Schema extends DBSchema {
  matches: { key: string; value: KeptMatch };
  segments: { key: [id: string, index: number]; value: Uint8Array };
}

type Database = IDBPDatabase<Schema>;

/** Keeps the recordings of matches in the browser as they are played. */
export interface RecordingArchive {
  /** Saves a recording from now on until it is ended, more than once a second. Never throws or rejects. */
  keep(writer: RecordingWriter): void;
  /** The newest first. */
  list(): Promise<readonly KeptMatch[]>;
  /** The `.rpl` file of a kept match; undefined when it is not kept. One that was cut short reads up to its last save. */
  bytesOf(id: string): Promise<Uint8Array | undefined>;
  remove(id: string): Promise<void>;
}

/** All segments of one match. */
function segmentsOf(id: string): IDBKeyRange {
  return IDBKeyRange.bound([id, 0], [id, Number.POSITIVE_INFINITY]);
}

class BrowserArchive implements RecordingArchive {
  readonly #database: Promise<Database>;

  constructor(database: Promise<Database>) {
    this.#database = database;
    // Said to who asks; a match that is only kept does not depend on it.
    database.catch(() => {});
  }

  keep(writer: RecordingWriter): void {
    const segments = new Segments(writer);
    const { gameId: game, names, recordedBy, tickRate } = writer.info;
    const startedMs = Date.now();
    const common = { id: crypto.randomUUID?.() ?? randomId(), game, names, recordedBy, tickRate, startedMs };
    let saving: Promise<void> | null = null;
    const saveOnce = async (): Promise<void> => {
      const changed = segments.take();
      if (changed.length === 0) return;
      const { frames, isEnded } = writer;
      const match = { ...common, savedMs: Date.now(), frames, bytes: segments.length, isEnded };
      const transaction = (await this.#database).transaction(['matches', 'segments'], 'readwrite');
      const puts = changed.map(({ index, bytes }) => transaction.objectStore('segments').put(bytes, [match.id, index]));
      await Promise.all([...puts, transaction.objectStore('matches').put(match), transaction.done]);
    };
    const save = async (): Promise<void> => {
      try {
        await saving;
        await saveOnce();
        saving = null;
        if (segments.isDone) clearInterval(timer);
      } catch {
        // A store that is full or withheld keeps nothing more of this match.
        clearInterval(timer);
      }
    };
    const timer = setInterval(() => {
      saving ??= save();
    }, SAVE_MS);
    // The page may be left at once.
    writer.onEnd = () => void save();
    this.#prune().catch(() => {});
  }

  async list(): Promise<readonly KeptMatch[]> {
    const matches = await (await this.#database).getAll('matches');
    return matches.sort((a, b) => b.startedMs - a.startedMs);
  }

  async bytesOf(id: string): Promise<Uint8Array | undefined> {
    const parts = await (await this.#database).getAll('segments', segmentsOf(id));
    if (parts.length === 0) return undefined;
    const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  async remove(id: string): Promise<void> {
    const transaction = (await this.#database).transaction(['matches', 'segments'], 'readwrite');
    await Promise.all([
      transaction.objectStore('matches').delete(id),
      transaction.objectStore('segments').delete(segmentsOf(id)),
      transaction.done,
    ]);
  }

  /** Makes room for one more match. */
  async #prune(): Promise<void> {
    const matches = await this.list();
    let bytes = 0;
    for (const [index, match] of matches.entries()) {
      bytes += match.bytes;
      const isRunning = Date.now() - match.savedMs < RUNNING_MS && !match.isEnded;
      if (!isRunning && (index >= COUNT_MAX - 1 || bytes > BYTES_MAX)) await this.remove(match.id);
    }
  }
}

/** Where there is no `randomUUID`, as in a page over plain http. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join('-');
}

/** Async, for a browser that withholds its storage may throw at once. */
async function openDatabase(): Promise<Database> {
  return openDB<Schema>(DATABASE, DATABASE_VERSION, {
    upgrade(database) {
      database.createObjectStore('matches', { keyPath: 'id' });
      database.createObjectStore('segments');
    },
  });
}

/**
 * The archive of this browser: shared by all pages of an origin, bounded in number and bytes. Where the browser withholds
 * its storage, keeping does nothing, and lists and reads reject.
 */
export function browserArchive(): RecordingArchive {
  return new BrowserArchive(openDatabase());
}
