import type { Server } from 'node:http';
import { addressKey } from './address.js';
import type { ServerConfig } from './config.js';

/** TCP connections beside the websockets: pages being loaded, health checks, and those about to be refused in words. */
const PLAIN_MAX = 1_000;
const PLAIN_PER_ADDRESS_MAX = 100;

/**
 * Bounds the TCP connections themselves, for one that never says anything holds memory and a file too. Beyond the
 * bounds a connection is closed unread.
 */
export function boundPlainConnections(
  http: Server,
  { connectionsMax, connectionsPerAddressMax, trustProxyHops }: ServerConfig,
  onRefused: () => void,
): void {
  http.maxConnections = connectionsMax + PLAIN_MAX;
  http.on('drop', onRefused);
  // Everybody comes from the proxy's address; it sees to those that say nothing.
  if (trustProxyHops > 0) return;
  const byAddress = new Map<string, number>();
  http.on('connection', (socket) => {
    const address = addressKey(socket.remoteAddress ?? '');
    const open = (byAddress.get(address) ?? 0) + 1;
    if (open > connectionsPerAddressMax + PLAIN_PER_ADDRESS_MAX) {
      onRefused();
      socket.destroy();
      return;
    }
    byAddress.set(address, open);
    socket.once('close', () => {
      const left = (byAddress.get(address) ?? 0) - 1;
      if (left > 0) byAddress.set(address, left);
      else byAddress.delete(address);
    });
  });
}
