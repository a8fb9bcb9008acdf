/**
 * What lets a seat use PeerServer: an id and a token for one pairing with one other seat.
 *
 * Promises: keeps nothing. Whether the pairing still lives is the room store's to say.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PeerServerPass } from '@riposte/shared/protocol';

/** Hexadecimal digits of an id: 128 bits. PeerJS takes no base64url for an id. */
const ID_LENGTH = 32;

const TOKEN = /^([\w-]{1,16})\.(\d{1,10})\.([\w-]{22})\.([\w-]{22})\.([\w-]{43})$/;

/** One side of a pairing. */
export interface PairedSeat {
  room: string;
  /** The room's count of pairings. */
  pairing: number;
  seat: string;
  /** The seat on the other side. */
  peer: string;
}

export class PeerPasses {
  readonly #key: Uint8Array;

  /** @param key at least 128 secret random bits. */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  issue(paired: PairedSeat): PeerServerPass {
    const { room, pairing, seat, peer } = paired;
    return {
      id: this.#idOf(paired),
      token: [room, pairing, seat, peer, this.#mac('token', paired).toString('base64url')].join('.'),
      peer: this.peerIdOf(paired),
    };
  }

  /** `undefined`: nobody was given this id with this token. */
  check(id: string, token: string): PairedSeat | undefined {
    const [, room, pairing, seat, peer, mac] = TOKEN.exec(token) ?? [];
    if (mac === undefined) return undefined;
    const paired = { room, pairing: Number(pairing), seat, peer };
    if (!timingSafeEqual(Buffer.from(mac, 'base64url'), this.#mac('token', paired))) return undefined;
    return id === this.#idOf(paired) ? paired : undefined;
  }

  /** The id of the other side: the only one that messages may go to. */
  peerIdOf(paired: PairedSeat): string {
    return this.#idOf({ ...paired, seat: paired.peer, peer: paired.seat });
  }

  #idOf(paired: PairedSeat): string {
    return this.#mac('id', paired).toString('hex').slice(0, ID_LENGTH);
  }

  #mac(purpose: string, { room, pairing, seat, peer }: PairedSeat): Buffer {
    // None of the parts can hold a dot.
    return createHmac('sha256', this.#key).update([purpose, room, pairing, seat, peer].join('.')).digest();
  }
}
