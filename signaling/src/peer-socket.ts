import { EventEmitter } from 'node:events';
import { CANDIDATE_BYTES_MAX, SDP_BYTES_MAX } from '@riposte/shared/protocol';
import * as v from 'valibot';
import type { RawData, WebSocket } from 'ws';

const connectionId = v.pipe(v.string(), v.regex(/^dc_[a-z0-9]{1,32}$/));
const sdp = v.pipe(v.string(), v.maxBytes(SDP_BYTES_MAX));

/**
 * What a negotiation of ours says through PeerServer, and nothing else: PeerJS itself believes what it receives, and a
 * serialization that it does not know throws on the other player's page.
 */
const PeerMessageSchema = v.variant('type', [
  v.object({ type: v.literal('HEARTBEAT') }),
  v.object({
    type: v.literal('OFFER'),
    dst: v.string(),
    payload: v.object({
      type: v.literal('data'),
      sdp: v.object({ type: v.literal('offer'), sdp }),
      connectionId,
      label: v.literal('reliable'),
      reliable: v.literal(true),
      serialization: v.literal('raw'),
    }),
  }),
  v.object({
    type: v.literal('ANSWER'),
    dst: v.string(),
    payload: v.object({
      type: v.literal('data'),
      sdp: v.object({ type: v.literal('answer'), sdp }),
      connectionId,
    }),
  }),
  v.object({
    type: v.literal('CANDIDATE'),
    dst: v.string(),
    payload: v.object({
      type: v.literal('data'),
      candidate: v.object({
        candidate: v.pipe(v.string(), v.maxBytes(CANDIDATE_BYTES_MAX)),
        sdpMLineIndex: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535)), null),
        sdpMid: v.nullish(v.pipe(v.string(), v.maxLength(64)), null),
        usernameFragment: v.nullish(v.pipe(v.string(), v.maxLength(256)), null),
      }),
      connectionId,
    }),
  }),
]);
export type PeerMessage = v.InferOutput<typeof PeerMessageSchema>;

/** Messages that wait for their turn; bounds what a flood can hold in memory. A negotiation has some tens in all. */
const WAITING_MESSAGES_MAX = 64;

/** Bytes not yet taken by a slow reader: two negotiations' worth. */
const UNSENT_BYTES_MAX = 128 * 1024;

/** Whether a message may go on; a refusal in words ends the connection. */
export type Admission = { ok: true } | { ok: false; message: string };

/**
 * The websocket as PeerServer gets to see it: of what arrives only what `admit` lets through, one after the other.
 *
 * Promises: nothing that a client sends makes it throw.
 */
export class PeerSocket extends EventEmitter {
  readonly #socket: WebSocket;
  readonly #admit: (message: PeerMessage) => Promise<Admission>;
  #waiting = 0;
  #tail = Promise.resolve();

  constructor(socket: WebSocket, admit: (message: PeerMessage) => Promise<Admission>) {
    super();
    this.#socket = socket;
    this.#admit = admit;
    socket.on('message', (data) => this.#arrived(data));
    socket.on('close', () => this.emit('close'));
    // Malformed frames and oversized payloads; the websocket closes itself after one.
    socket.on('error', () => undefined);
  }

  /** What PeerServer sends. */
  send(text: string): void {
    if (this.#socket.bufferedAmount > UNSENT_BYTES_MAX) this.#socket.terminate();
    else if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text);
  }

  close(): void {
    this.#socket.close();
  }

  /** Ends the connection with a sentence that PeerJS hands on. */
  refuse(message: string): void {
    this.send(JSON.stringify({ type: 'ERROR', payload: { msg: message } }));
    this.#socket.close();
  }

  #arrived(data: RawData): void {
    const message = parseMessage(data);
    if (message === undefined) {
      this.refuse('The server does not understand this message.');
      return;
    }
    if (this.#waiting >= WAITING_MESSAGES_MAX) {
      this.#socket.terminate();
      return;
    }
    this.#waiting++;
    this.#tail = this.#tail
      .then(async () => {
        if (this.#socket.readyState !== this.#socket.OPEN) return;
        const admission = await this.#admit(message);
        if (admission.ok) this.emit('message', JSON.stringify(message));
        else this.refuse(admission.message);
      })
      .catch(() => this.refuse('The server could not do that: try again.'))
      .finally(() => {
        this.#waiting--;
      });
  }
}

function parseMessage(data: RawData): PeerMessage | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(data.toString());
  } catch {
    return undefined;
  }
  const result = v.safeParse(PeerMessageSchema, parsed);
  return result.success ? result.output : undefined;
}
