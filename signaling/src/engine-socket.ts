import type { IncomingMessage } from 'node:http';

/** Characters and bytes that a connection may leave untaken: several negotiations' worth. */
const UNSENT_MAX = 128 * 1024;

/** The part of engine.io's connection that is needed here. */
export interface EngineSocket {
  request: IncomingMessage;
  on(event: 'close' | 'drain' | 'flush', listener: () => void): void;
  on(event: 'packetCreate', listener: (packet: { data?: string | ArrayBufferView }) => void): void;
}

/** Hands what a connection is told within one turn of the event loop to the network at once: a system call is what costs. */
export function gatherWrites(raw: EngineSocket): void {
  let isGathering = false;
  raw.on('flush', () => {
    if (isGathering) return;
    isGathering = true;
    const { socket } = raw.request;
    socket.cork();
    process.nextTick(() => {
      isGathering = false;
      socket.uncork();
    });
  });
}

/**
 * Ends a connection that does not take what it is sent. While the network takes nothing, messages pile up here; left
 * alone, that lasts until a ping goes unanswered, at the pace of whoever writes to it.
 */
export function dropSlowConsumer(raw: EngineSocket, onDrop: () => void): void {
  let unsent = 0;
  raw.on('packetCreate', ({ data }) => {
    unsent += typeof data === 'string' ? data.length : (data?.byteLength ?? 0);
    if (unsent <= UNSENT_MAX || raw.request.socket.destroyed) return;
    onDrop();
    // Not a polite close, which would wait for its turn behind all that is untaken.
    raw.request.socket.destroy();
  });
  // Told when everything that waited was handed to the network, which takes the next lot only after this one.
  raw.on('drain', () => {
    unsent = 0;
  });
}
