import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import sirv from 'sirv';
import { CommandError } from './command.js';

export interface Inspected {
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** The author's game as one module of JavaScript; null when the page has the game. */
  readonly game: string | null;
  /** 0 for a free one. */
  readonly port: number;
}

export interface InspectorServer {
  /** Where the page opens with what was given. */
  readonly url: string;
  close(): Promise<void>;
}

/** Reached from this machine alone: recordings are their players' affair. */
const HOST = '127.0.0.1';

/** The same strict policy that the signaling server gives its pages. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' data: blob:; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; " +
    "form-action 'self'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

/** What the page asks for under `/given/`, by its address. */
function givenParts({
  files,
  game,
}: Inspected): ReadonlyMap<string, readonly [type: string, body: string | Uint8Array]> {
  const list = { names: files.map(({ name }) => name), hasGame: game !== null };
  const parts = new Map<string, readonly [string, string | Uint8Array]>();
  parts.set('/given/files.json', ['application/json', JSON.stringify(list)]);
  for (const [at, { bytes }] of files.entries()) parts.set(`/given/${at}.rpl`, ['application/octet-stream', bytes]);
  if (game !== null) parts.set('/given/game.js', ['text/javascript', game]);
  return parts;
}

function answer(response: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  response.writeHead(status, { 'Content-Type': type });
  response.end(body);
}

/**
 * Serves the built pages in `pages` and what was given to this machine, until it is closed. Throws a `CommandError`
 * when the pages are not built or the port is taken.
 */
export async function serveInspector(pages: string, inspected: Inspected): Promise<InspectorServer> {
  if (!existsSync(join(pages, 'inspect', 'index.html'))) {
    throw new CommandError(`the inspector page is not built: there is nothing in ${pages}; run "npm run build" first`);
  }
  const parts = givenParts(inspected);
  const serveFile = sirv(pages, { dev: true, etag: true });
  const hosts = new Set<string>();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    // A page elsewhere could have its own name point to this machine, and read the files through it.
    if (!hosts.has(request.headers.host ?? '')) {
      answer(response, 403, 'text/plain', 'This address is for this machine alone.');
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      answer(response, 405, 'text/plain', 'There is nothing to change here.');
      return;
    }
    const part = parts.get(request.url ?? '');
    if (part !== undefined) answer(response, 200, ...part);
    else serveFile(request, response, () => answer(response, 404, 'text/plain', 'Not found.'));
  };
  const server = createServer(handle);
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE' ? 'it is in use' : error.message;
      reject(new CommandError(`port ${inspected.port} cannot be served on: ${taken}`));
    });
    server.listen(inspected.port, HOST, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : inspected.port);
    });
  });
  for (const name of [HOST, 'localhost']) hosts.add(`${name}:${port}`);
  return {
    url: `http://localhost:${port}/inspect?given`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
