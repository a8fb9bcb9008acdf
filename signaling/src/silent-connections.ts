import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey } from './address.js';
import type { ServerConfig } from './config.js';

/** TCP connections beside the websockets: pages being loaded, health checks, and those about to be refused in words. */
const PLAIN_MAX = 1_000;

/** Connections of one address that have not asked for anything yet. A browser opens six at a time. */
const SILENT_PER_ADDRESS_MAX = 100;

const GOODBYE = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\ntoo many connections that say nothing';

/**
 * Bounds the TCP connections themselves, for one that never says anything holds memory and a file too. Of too many
 * silent ones from one address the oldest goes: whoever does ask for something is never in their way.
 */
export function boundSilentConnections(
  http: Server,
  { connectionsMax, trustProxyHops }: Pick<ServerConfig, 'connectionsMax' | 'trustProxyHops'>,
  onRefused: () => void,
): void {
  http.maxConnections = connectionsMax + PLAIN_MAX;
  http.on('drop', onRefused);
  // Everybody comes from the proxy's address; it sees to those that say nothing.
  if (trustProxyHops > 0) return;
  const byAddress = new Map<string, Set<Socket>>();
  const forget = (socket: Socket, address: string) => {
    const silent = byAddress.get(address);
    if (silent?.delete(socket) && silent.size === 0) byAddress.delete(address);
  };
  http.on('connection', (socket) => {
    const address = addressKey(socket.remoteAddress ?? '');
    const silent = byAddress.get(address) ?? new Set();
    byAddress.set(address, silent.add(socket));
    socket.once('close', () => forget(socket, address));
    if (silent.size <= SILENT_PER_ADDRESS_MAX) return;
    const [oldest] = silent;
    if (oldest === undefined) return;
    onRefused();
    silent.delete(oldest);
    oldest.end(GOODBYE);
    oldest.destroySoon();
  });
  const heard = ({ socket }: IncomingMessage) => forget(socket, addressKey(socket.remoteAddress ?? ''));
  http.on('request', heard);
  http.on('upgrade', heard);
}
