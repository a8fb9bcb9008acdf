/** A websocket that says exactly what it is told to, as no socket.io client would. Tests only. */
import { once } from 'node:events';
import { WebSocket } from 'ws';

export class RawSocket {
  readonly socket: WebSocket;
  readonly #frames: string[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.#frames.push(data.toString()));
    socket.on('error', () => undefined);
  }

  /** Opens a websocket to the server at `url`; as a client of socket.io's main namespace, unless told otherwise. */
  static async open(url: string, { joins = true, headers = {} } = {}): Promise<RawSocket> {
    const address = `${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`;
    const raw = new RawSocket(new WebSocket(address, { perMessageDeflate: false, headers }));
    await once(raw.socket, 'open');
    if (joins) {
      raw.socket.send('40');
      await raw.until((frame) => frame.startsWith('40'));
    }
    return raw;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  send(frame: string | Uint8Array): void {
    this.socket.send(frame);
  }

  /** The first frame that fits, arrived or to come; `undefined` when the server ends the connection before it. */
  async until(fits: (frame: string) => boolean): Promise<string | undefined> {
    for (;;) {
      const found = this.#frames.find(fits);
      if (found !== undefined) return found;
      if (this.socket.readyState > WebSocket.OPEN) return undefined;
      const done = new AbortController();
      const next = ['message', 'close'].map((event) => once(this.socket, event, done).catch(() => undefined));
      await Promise.race(next).finally(() => done.abort());
    }
  }

  /** The acknowledgement of a request, read. */
  async ask(id: number, event: string, payload: string): Promise<unknown> {
    this.send(`42${id}["${event}",${payload}]`);
    const frame = await this.until((each) => each.startsWith(`43${id}[`));
    return frame === undefined ? undefined : JSON.parse(frame.slice(frame.indexOf('[')))[0];
  }
}
