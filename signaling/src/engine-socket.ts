import type { IncomingMessage } from 'node:http';

/** Characters and bytes that a connection may leave untaken: several negotiations' worth. */
const UNSENT_MAX = 128 * 1024;

interface EnginePacket {
  data?: string | ArrayBufferView;
  options: { wsPreEncodedFrame?: unknown };
}

/** The part of engine.io's connection that is needed here. */
export interface EngineSocket {
  request: IncomingMessage;
  on(event: 'close' | 'drain', listener: () => void): void;
  on(event: 'packetCreate', listener: (packet: EnginePacket) => void): void;
}

/** A frame that was made beforehand, for many, would overtake what the websocket gathers. */
export function keepOrder(raw: EngineSocket): void {
  raw.on('packetCreate', ({ options }) => {
    options.wsPreEncodedFrame = undefined;
  });
}

/**
 * Ends a connection that does not take what it is sent. While the network takes nothing, messages pile up here; left
 * alone, that lasts until a ping goes unanswered, at the pace of whoever writes to it.
 */
export function dropSlowConsumer(raw: EngineSocket, onDrop: () => void): void {
  let waiting = 0;
  raw.on('packetCreate', ({ data }) => {
    const { socket } = raw.request;
    waiting += typeof data === 'string' ? data.length : (data?.byteLength ?? 0);
    if (waiting + socket.writableLength <= UNSENT_MAX || socket.destroyed) return;
    onDrop();
    // Not a polite close, which would wait for its turn behind all that is untaken.
    socket.destroy();
  });
  // Told when everything that waited was handed to the network.
  raw.on('drain', () => {
    waiting = 0;
  });
}
