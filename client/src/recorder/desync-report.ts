import {
  type FieldDifference,
  type Game,
  type Recording,
  RiposteError,
  readRecording,
  writeReport,
} from '@riposte/shared';
import { keyframeState } from '@riposte/shared/debugging';
import type { Desync } from '../match/match.js';
import { valueText } from './difference-words.js';
import { REPORT_MARK } from './report-mark.js';

/** Bytes of a recording in one message: far below what any browser takes. */
const PIECE_BYTES = 16_384;
/** The mark, the length of the whole and where the piece belongs. */
const HEAD_BYTES = 9;
/** One piece each time: about half a megabyte a second, beside the packets of a match that goes on. */
const PIECE_MS = 30;
/** Ten hours of most games; a longer recording stays where it is, and none that says so is taken. */
const RECORDING_BYTES_MAX = 16 * 1024 * 1024;
/** Without a piece of the peer's for so long, what is here has to do. */
const SILENT_MS = 5000;

/** Both sides' recordings of a match that parted: sends this one to the peer, and takes the peer's, piece by piece. */
export class DesyncReport<S, I> {
  readonly #game: Game<S, I>;
  readonly #frame: number;
  readonly #own: Uint8Array;
  readonly #send: (piece: Uint8Array) => void;
  readonly #told: (desync: Desync) => void;
  #sent = 0;
  /** The peer's, once its length is known. */
  #other: Uint8Array | undefined;
  #filled = 0;
  #heardMs = Date.now();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #whole: Promise<void>;
  #settle: () => void = () => undefined;

  /** `own` is this side's recording, with the state after the step of `frame`. `told` hears what differs, once it is known. */
  constructor(
    game: Game<S, I>,
    frame: number,
    own: Uint8Array,
    send: (piece: Uint8Array) => void,
    told: (desync: Desync) => void,
  ) {
    this.#game = game;
    this.#frame = frame;
    this.#own = own;
    this.#send = send;
    this.#told = told;
    this.#whole = new Promise((resolve) => {
      this.#settle = resolve;
    });
    if (own.length > RECORDING_BYTES_MAX) this.#sent = own.length;
    this.#timer = setInterval(() => this.#poll(), PIECE_MS);
  }

  get #hasAll(): boolean {
    return this.#other !== undefined && this.#filled === this.#other.length;
  }

  #poll(): void {
    if (this.#sent < this.#own.length) this.#sendPiece();
    const isSilent = Date.now() - this.#heardMs > SILENT_MS;
    if (this.#sent < this.#own.length || !(this.#hasAll || isSilent)) return;
    clearInterval(this.#timer);
    this.#settle();
  }

  #sendPiece(): void {
    const part = this.#own.subarray(this.#sent, this.#sent + PIECE_BYTES);
    const piece = new Uint8Array(HEAD_BYTES + part.length);
    const view = new DataView(piece.buffer);
    piece[0] = REPORT_MARK;
    view.setUint32(1, this.#own.length, true);
    view.setUint32(5, this.#sent, true);
    piece.set(part, HEAD_BYTES);
    this.#sent += part.length;
    this.#send(piece);
  }

  /** Takes the peer's next piece; one that does not continue those before it is dropped. */
  receive(piece: Uint8Array): void {
    if (piece.length <= HEAD_BYTES) return;
    const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength);
    const length = view.getUint32(1, true);
    const part = piece.subarray(HEAD_BYTES);
    if (length > RECORDING_BYTES_MAX || view.getUint32(5, true) !== this.#filled) return;
    this.#other ??= new Uint8Array(length);
    if (length !== this.#other.length || this.#filled + part.length > length) return;
    this.#other.set(part, this.#filled);
    this.#filled += part.length;
    this.#heardMs = Date.now();
    if (this.#hasAll) this.#tell();
  }

  #tell(): void {
    const [field] = this.#fields();
    if (field === undefined) return;
    const { path, a, b } = field;
    this.#told({ frame: this.#frame, path, here: valueText(a), there: valueText(b) });
  }

  /** Where the two states differ; nothing where the peer's recording is of no use. */
  #fields(): readonly FieldDifference[] {
    if (this.#other === undefined) return [];
    try {
      const [here, there] = [this.#own, this.#other].map((bytes) => this.#stateIn(readRecording(bytes)));
      return here === undefined || there === undefined ? [] : this.#game.state.diff(here, there);
    } catch (error) {
      // A state model of the game's own may throw anything on a stranger's bytes.
      if (!(error instanceof RiposteError)) console.error(error);
      return [];
    }
  }

  #stateIn({ header, keyframes }: Recording): S | undefined {
    const { id, version } = this.#game;
    const keyframe = keyframes.find(({ frame }) => frame === this.#frame + 1);
    if (keyframe === undefined || header.gameId !== id || header.gameVersion !== version) return undefined;
    return keyframeState(this.#game, keyframe);
  }

  /** The `.rpr` file: this side's recording, and the peer's if it came within seconds. */
  async bytes(): Promise<Uint8Array> {
    await this.#whole;
    return writeReport(this.#hasAll && this.#other !== undefined ? [this.#own, this.#other] : [this.#own]);
  }
}
