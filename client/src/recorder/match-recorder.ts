import { type Game, type RecordingWriter, RiposteError } from '@riposte/shared';
import { loadPart } from '../load-part.js';
import type { Desync } from '../match/match.js';
import type { Agreed } from '../session/handshake.js';
import type { RecordingArchive } from './archive.js';
import type { DesyncReport } from './desync-report.js';
import { matchRecording } from './match-recording.js';

/** Pieces that may come before this side has named the frame too; the rest is asked for by nobody. */
const EARLY_PIECES_MAX = 64;

/** What a recorder of a match is given by it. */
export interface MatchRecorderOptions<S, I> {
  readonly game: Game<S, I>;
  readonly archive: RecordingArchive | undefined;
  send(seat: number, piece: Uint8Array): void;
  /** What differs where the match parted is known. */
  told(desync: Desync): void;
}

/** Keeps one match's recording and, where two sides part, exchanges theirs for a report. */
export class MatchRecorder<S, I> {
  readonly #options: MatchRecorderOptions<S, I>;
  #writer: RecordingWriter | undefined;
  #seat: number | undefined;
  #report: Promise<DesyncReport<S, I>> | undefined;
  #early: { readonly seat: number; readonly piece: Uint8Array }[] = [];

  constructor(options: MatchRecorderOptions<S, I>) {
    this.#options = options;
  }

  /** Begins the recording; where the match is taken from another player anew, a further one. */
  record(me: number, agreed: Agreed): RecordingWriter {
    const { game, archive } = this.#options;
    this.#writer?.end('resync');
    this.#writer = matchRecording(game, me, agreed, archive);
    return this.#writer;
  }

  end(reason: string): void {
    this.#writer?.end(reason);
  }

  /** The recording so far. Throws `bad-recording` before the match has begun. */
  bytes(): Uint8Array {
    if (this.#writer !== undefined) return this.#writer.bytes();
    throw new RiposteError('bad-recording', 'there is no recording: the match has not begun');
  }

  /** The states part from those of `seat` in the step of `frame`: the first time, both recordings are exchanged. */
  parted(seat: number, frame: number): void {
    if (this.#writer === undefined || this.#report !== undefined) return;
    const { game, send, told } = this.#options;
    const own = this.#writer.bytes();
    this.#seat = seat;
    this.#report = loadPart(() => import('./desync-report.js')).then(
      (module) => new module.DesyncReport(game, frame, own, (piece) => send(seat, piece), told),
    );
    // Said to who asks for the report.
    this.#report.catch(() => undefined);
    for (const early of this.#early.splice(0)) this.receive(early.seat, early.piece);
  }

  /** Takes a piece of another player's recording. */
  receive(seat: number, piece: Uint8Array): void {
    if (this.#report === undefined) {
      if (this.#early.length < EARLY_PIECES_MAX) this.#early.push({ seat, piece: piece.slice() });
    } else if (seat === this.#seat) {
      const kept = piece.slice();
      this.#report.then((report) => report.receive(kept)).catch(() => undefined);
    }
  }

  /** The report's file, once both recordings are in it or the other's does not come. Throws `bad-recording` without a desync. */
  async report(): Promise<Uint8Array> {
    if (this.#report !== undefined) return (await this.#report).bytes();
    throw new RiposteError('bad-recording', 'there is no report: the match has not parted');
  }
}
