/**
 * A websocket of the load, as little of one as the servers take: text of one frame each way, written into a TCP
 * connection. What `ws` does for a client costs more than what it does for a server, and would set the pace.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const TEXT = 0x1;
const FINAL = 0x80;
const MASKED = 0x80;
const LENGTH_16 = 126;
const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

/** Whatever a client says here, servers answer; it stands for 16 random bytes. */
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const END_OF_HEAD = '\r\n\r\n';

export class Connection {
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  /** Called with the text of each frame that arrives. */
  onText: (text: string) => void;

  private constructor(socket: Socket, onText: (text: string) => void) {
    this.#socket = socket;
    this.onText = onText;
  }

  /** @param onText is called as soon as the connection is open: some servers speak first. */
  static async open(port: number, path: string, onText: (text: string) => void): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const connection = new Connection(socket, onText);
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}${END_OF_HEAD}`,
    );
    let head = '';
    while (!head.includes(END_OF_HEAD)) {
      const [chunk]: Buffer[] = await once(socket, 'data');
      head += chunk?.toString('latin1');
    }
    if (!head.startsWith('HTTP/1.1 101')) throw new Error(`no websocket: ${head}`);
    socket.on('data', (chunk) => connection.#arrived(chunk));
    socket.on('error', () => undefined);
    const first = head.slice(head.indexOf(END_OF_HEAD) + END_OF_HEAD.length);
    if (first !== '') connection.#arrived(Buffer.from(first, 'latin1'));
    return connection;
  }

  /** @param text of one byte each character, less than 64 KiB. */
  send(text: string): void {
    const isShort = text.length < LENGTH_16;
    const at = isShort ? 6 : 8;
    const frame = Buffer.allocUnsafe(at + text.length);
    frame[0] = FINAL | TEXT;
    frame[1] = MASKED | (isShort ? text.length : LENGTH_16);
    if (!isShort) frame.writeUInt16BE(text.length, 2);
    MASK.copy(frame, at - MASK.length);
    frame.write(text, at, 'latin1');
    for (let index = 0; index < text.length; index++) frame[at + index] = frame[at + index]! ^ MASK[index & 3]!;
    this.#socket.write(frame);
  }

  close(): void {
    this.#socket.destroy();
  }

  #arrived(chunk: Buffer): void {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const isLong = data.length >= 2 && data[1] === LENGTH_16;
      const at = isLong ? 4 : 2;
      if (data.length < at) break;
      const end = at + (isLong ? data.readUInt16BE(2) : data[1]!);
      if (data.length < end) break;
      if (data[0] === (FINAL | TEXT)) this.onText(data.toString('latin1', at, end));
      data = data.subarray(end);
    }
    this.#rest = data;
  }
}
