/** A state that fits no datagram goes over the reliable lane, in pieces far below what any browser takes. */
const PIECE_BYTES = 16_384;
/** Marks a reliable message as a piece of a state; other messages begin with a brace. */
const PIECE_MARK = 0;
const HEAD_BYTES = 13;
/** More than any game's state: what is announced beyond is no state. */
const STATE_BYTES_MAX = 64 * 1024 * 1024;

export function isStatePiece(bytes: Uint8Array): boolean {
  return bytes[0] === PIECE_MARK;
}

/** The pieces of the state before `frame`. */
export function* statePieces(frame: number, state: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < state.length; at += PIECE_BYTES) {
    const part = state.subarray(at, at + PIECE_BYTES);
    const piece = new Uint8Array(HEAD_BYTES + part.length);
    const view = new DataView(piece.buffer);
    piece[0] = PIECE_MARK;
    view.setUint32(1, frame, true);
    view.setUint32(5, at, true);
    view.setUint32(9, state.length, true);
    piece.set(part, HEAD_BYTES);
    yield piece;
  }
}

/** Puts the newest state together again. The lane keeps order: a piece that does not follow is dropped. */
export class StatePieces {
  #frame = -1;
  #bytes = new Uint8Array(0);
  #filled = 0;

  /** Takes a piece. Returns the state once it is whole, undefined before. */
  take(piece: Uint8Array): { readonly frame: number; readonly bytes: Uint8Array } | undefined {
    if (piece.length <= HEAD_BYTES) return undefined;
    const view = new DataView(piece.buffer, piece.byteOffset, piece.length);
    const frame = view.getUint32(1, true);
    const at = view.getUint32(5, true);
    const total = view.getUint32(9, true);
    const part = piece.subarray(HEAD_BYTES);
    if (total > STATE_BYTES_MAX || at + part.length > total) return undefined;
    if (at === 0) {
      this.#frame = frame;
      this.#filled = 0;
      if (this.#bytes.length !== total) this.#bytes = new Uint8Array(total);
    }
    if (frame !== this.#frame || at !== this.#filled || total !== this.#bytes.length) return undefined;
    this.#bytes.set(part, at);
    this.#filled += part.length;
    return this.#filled === total ? { frame, bytes: this.#bytes } : undefined;
  }
}
