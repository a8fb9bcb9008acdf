/**
 * The websockets below socket.io. What one of them is told within a round of the event loop goes out in one piece: the
 * system call is what costs.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, WebSocket, WebSocketServer } from 'ws';

type Data = Parameters<WebSocket['send']>[0];
type SendOptions = Parameters<WebSocket['send']>[1];
type Done = (error?: Error) => void;

/** The first byte of a frame that is a whole text. */
const WHOLE_TEXT = '\x81';

/** The second byte where two more tell the length, and the shortest text that needs them. */
const LENGTH_16 = '\x7e';
const LENGTH_16_FROM = 126;

/** Longer texts would need eight bytes to tell it. */
const LENGTH_MAX = 0xffff;

/** Letters that one of them gathers: what is more goes out before the round ends, to be counted as untaken. */
const GATHERED_MAX = 0x1_0000;

/** Those that were told something in this round. */
let told: GatheringWebSocket[] = [];

function flushAll(): void {
  const all = told;
  told = [];
  for (const websocket of all) websocket.flush();
}

export class GatheringWebSocket extends WebSocket {
  /** What its frames are written to. */
  wire: Duplex | undefined;
  /** Frames, a byte a letter. */
  #gathered = '';

  /** A text counts as done at once; how much of it is untaken, the connection knows. */
  override send(data: Data, options: SendOptions | Done = () => undefined, done?: Done): void {
    if (typeof options !== 'function') {
      this.flush();
      super.send(data, options, done);
    } else if (this.#gather(data)) options();
    else {
      this.flush();
      super.send(data, options);
    }
  }

  /** False for what cannot wait for the end of the round: no text, one that is too long, or nobody to send it to. */
  #gather(data: Data): boolean {
    const frame = typeof data === 'string' && this.readyState === WebSocket.OPEN ? frameOf(data) : undefined;
    if (frame === undefined) return false;
    if (this.#gathered === '' && told.push(this) === 1) setImmediate(flushAll);
    this.#gathered += frame;
    if (this.#gathered.length > GATHERED_MAX) this.flush();
    return true;
  }

  override close(code?: number, reason?: string | Buffer): void {
    this.flush();
    super.close(code, reason);
  }

  /** Sends what it was told in this round so far. */
  flush(): void {
    const gathered = this.#gathered;
    this.#gathered = '';
    if (gathered !== '' && this.wire?.writable) this.wire.write(gathered, 'latin1');
  }
}

export class GatheringWebSocketServer extends WebSocketServer<typeof GatheringWebSocket> {
  constructor(options: ServerOptions) {
    super({ ...options, WebSocket: GatheringWebSocket });
  }

  override handleUpgrade(
    request: IncomingMessage,
    wire: Duplex,
    head: Buffer,
    onOpen: (websocket: GatheringWebSocket, request: IncomingMessage) => void,
  ): void {
    super.handleUpgrade(request, wire, head, (websocket) => {
      websocket.wire = wire;
      onOpen(websocket, request);
    });
  }
}

/** The frame of a text, unmasked and a byte a letter; `undefined` for one that is too long. */
function frameOf(text: string): string | undefined {
  const isAscii = Buffer.byteLength(text) === text.length;
  const bytes = isAscii ? text : Buffer.from(text).toString('latin1');
  const { length } = bytes;
  if (length > LENGTH_MAX) return undefined;
  const isShort = length < LENGTH_16_FROM;
  const head = isShort ? String.fromCharCode(length) : LENGTH_16 + String.fromCharCode(length >> 8, length & 0xff);
  return WHOLE_TEXT + head + bytes;
}
