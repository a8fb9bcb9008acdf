import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';

/**
 * The address a request came from, looking through `hops` trusted proxies and no further: entries of
 * `X-Forwarded-For` beyond them are the client's own claim.
 */
export function clientAddress(request: IncomingMessage, hops: number): string {
  const socketAddress = request.socket.remoteAddress ?? '';
  if (hops === 0) return socketAddress;
  const forwarded = request.headers['x-forwarded-for'];
  const claimed = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? ''))
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const chain = [...claimed, socketAddress];
  const address = chain[Math.max(0, chain.length - 1 - hops)];
  return isIP(address) === 0 ? socketAddress : address;
}

/** The key limits count by: an IPv4 address, or an IPv6 /64, which one household holds whole. */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1];
  const plain = address.split('%')[0];
  if (!isIPv6(plain)) return plain;
  const [head, tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    // A dotted tail stands for two groups.
    const tailGroups = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    while (groups.length + tailGroups < 8) groups.push('0');
  }
  while (groups.length < 4) groups.push('0');
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(':')}::/64`;
}

/**
 * Whether a page of `origin` may open a websocket here. `cors` settings do not stop a foreign page's websocket, so this
 * is asked on the upgrade.
 *
 * @param origin the `Origin` header; a program outside a browser sends none and may connect.
 * @param host the `Host` header.
 * @param allowed origins, or `*`; empty: only pages of the asked host itself.
 */
export function isOriginAllowed(
  origin: string | undefined,
  host: string | undefined,
  allowed: readonly string[],
): boolean {
  if (origin === undefined) return true;
  if (allowed.length > 0) return allowed.includes('*') || allowed.includes(origin);
  if (host === undefined || !URL.canParse(origin)) return false;
  const page = new URL(origin);
  // Parsing the host under the page's scheme strips a default port the same way on both sides.
  const asked = `${page.protocol}//${host}`;
  return page.host !== '' && URL.canParse(asked) && new URL(asked).host === page.host;
}

/** Whether an address is this machine's own, which nobody else can come from. */
export function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address) || address === '::1';
}
