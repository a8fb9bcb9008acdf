/**
 * How socket.io's packets are written and read here: what there is most of without the detours that the general case needs,
 * the same to the byte; everything else by socket.io's own parser.
 */
import { isClientEvent } from '@riposte/shared/protocol';
import { Decoder as AnyDecoder, Encoder as AnyEncoder, type Packet, PacketType } from 'socket.io-parser';

/** Digits of an acknowledgement's number that are read here. */
const ID_DIGITS_MAX = 9;

const ZERO = 0x30;
const NINE = 0x39;
const BRACKET = 0x5b;

/** Writes events and acknowledgements without looking for binary: the server sends none. */
export class Encoder extends AnyEncoder {
  override encode(packet: Packet): unknown[] {
    const { type, nsp, id, data } = packet;
    if ((type !== PacketType.EVENT && type !== PacketType.ACK) || nsp !== '/') return super.encode(packet);
    return [`${type}${id ?? ''}${JSON.stringify(data)}`];
  }
}

/** Reads requests. */
export class Decoder extends AnyDecoder {
  #isText = true;

  override add(chunk: unknown): void {
    const request = this.#isText && typeof chunk === 'string' ? requestIn(chunk) : undefined;
    if (request !== undefined) {
      this.emitReserved('decoded', request);
      return;
    }
    // Whoever once sent a packet of several parts may be in the midst of one.
    this.#isText &&= typeof chunk === 'string' && !/^[56]/.test(chunk);
    super.add(chunk);
  }
}

/** The request that a packet is; `undefined`: it may be something else. */
function requestIn(text: string): Packet | undefined {
  if (text.charCodeAt(0) !== ZERO + PacketType.EVENT) return undefined;
  let at = 1;
  let id = 0;
  for (let digit = text.charCodeAt(at); digit >= ZERO && digit <= NINE; digit = text.charCodeAt(++at)) {
    id = id * 10 + digit - ZERO;
  }
  if (at > 1 + ID_DIGITS_MAX || text.charCodeAt(at) !== BRACKET) return undefined;
  const data = arrayIn(text.slice(at));
  if (data === undefined || !isClientEvent(data[0])) return undefined;
  return at === 1 ? { type: PacketType.EVENT, nsp: '/', data } : { type: PacketType.EVENT, nsp: '/', id, data };
}

function arrayIn(json: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
