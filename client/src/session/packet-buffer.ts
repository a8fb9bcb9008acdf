import { PACKET_BYTES_MAX } from '@riposte/shared/protocol';

/** Where packets are written, one after the other. */
export class PacketBuffer {
  readonly bytes = new Uint8Array(PACKET_BYTES_MAX);
  /** By length: a view is worth a hundred bytes of garbage, and most packets are of the same few lengths. */
  readonly #views: (Uint8Array | undefined)[] = new Array<undefined>(PACKET_BYTES_MAX + 1).fill(undefined);

  /** The first `length` bytes, not copied. */
  first(length: number): Uint8Array {
    let view = this.#views[length];
    if (view === undefined) {
      view = this.bytes.subarray(0, length);
      this.#views[length] = view;
    }
    return view;
  }
}
