import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import * as v from 'valibot';
import type { ServerConfig } from './config.js';
import type { Lifecycle } from './drain.js';
import { logRequests } from './log.js';
import type { Metrics } from './metrics.js';
import { metricsEndpoint } from './metrics-endpoint.js';

const PackageSchema = v.object({ name: v.string(), version: v.string() });

const SECOND_MS = 1000;
const YEAR_S = 365 * 24 * 3600;

/** Where the client package is built: beside this one, in the repository and where both are installed. */
const libraryDir = fileURLToPath(new URL('../../client/dist', import.meta.url));

/** The pages and the folder of each. */
const PAGES = { '/': '.', '/lab': 'lab', '/inspect': 'inspect' } as const;

export interface AppOptions {
  config: ServerConfig;
  lifecycle: Lifecycle;
  /** @throws while the store of rooms is away. */
  checkStore(): Promise<void>;
  /** What PeerServer answers over plain HTTP. */
  peerServer?: RequestHandler;
  metrics: Metrics;
  log: Logger;
}

/** Everything the server answers over plain HTTP. */
export function createApp({ config, lifecycle, checkStore, peerServer, metrics, log }: AppOptions): Express {
  const app = express();
  app.set('trust proxy', config.trustProxyHops);
  app.use(logRequests(log, config.trustProxyHops));
  app.use(securityHeaders(config));

  app.get('/healthz', (_request, response) => {
    response.type('text').send('ok');
  });
  app.get('/readyz', async (_request, response) => {
    const reason = lifecycle.draining
      ? 'draining'
      : await checkStore().then(
          () => undefined,
          () => 'store-away',
        );
    if (reason === undefined) response.json({ ready: true });
    else response.status(503).json({ ready: false, reason });
  });
  const version = readPackage();
  app.get('/version', (_request, response) => {
    response.json(version);
  });

  app.get('/metrics', metricsEndpoint(metrics, config.metricsToken));

  if (peerServer !== undefined) app.use(peerServer);
  if (config.servePages) servePages(app, config.pagesDir);
  else {
    app.get('/', (_request, response) => {
      response.type('text').send('Riposte signaling server. It serves no pages here (SERVE_DEMO is off).');
    });
  }

  app.use((_request, response) => {
    response.status(404).type('text').send('Not found.');
  });
  const fail: ErrorRequestHandler = (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const status = statusOf(error);
    if (status >= 500) log.error({ err: error, path: request.path }, 'request failed');
    response
      .status(status)
      .type('text')
      .send(status >= 500 ? 'Something went wrong on the server.' : 'Bad request.');
  };
  app.use(fail);
  return app;
}

function servePages(app: Express, dir: string): void {
  const files = express.static(dir, {
    setHeaders: (response, path) => {
      // The build puts a hash of the content into the names under assets/.
      const hashed = /[\\/]assets[\\/]/.test(path);
      response.setHeader('Cache-Control', hashed ? `public, max-age=${YEAR_S}, immutable` : 'no-cache');
    },
  });
  // First, for they have one address each, and words when they are missing.
  for (const [path, folder] of Object.entries(PAGES)) {
    app.get(path, (_request, response, next) => {
      const options = { root: dir, headers: { 'Cache-Control': 'no-cache' } };
      response.sendFile(`${folder}/index.html`, options, (error) => {
        if (error === undefined || response.headersSent) return;
        if (statusOf(error) !== 404) next(error);
        else if (existsSync(join(dir, 'index.html'))) next();
        else sendNotBuilt(response);
      });
    });
  }
  app.use(files);
  // The client package's own file, so that a page without a bundler has the library of this very version.
  app.get('/riposte.js', (_request, response, next) => {
    const options = { root: libraryDir, headers: { 'Cache-Control': 'no-cache' } };
    response.sendFile('riposte.js', options, (error) => {
      if (error !== undefined && !response.headersSent) next(statusOf(error) === 404 ? undefined : error);
    });
  });
}

function sendNotBuilt(response: Response): void {
  response
    .status(503)
    .type('html')
    .send(
      '<!doctype html><html lang="en"><meta charset="utf-8"><title>Riposte: pages not built</title>' +
        '<h1>The pages are not built yet</h1>' +
        '<p>The signaling server runs, but there is no page here. In the repository run <code>npm run build</code> ' +
        '(or <code>npm start</code>, which does it for you) and load this again. ' +
        'To serve pages of your own, start the server with <code>--pages DIR</code>.</p></html>',
    );
}

function securityHeaders(config: ServerConfig) {
  const secure = config.publicUrl?.startsWith('https:') === true;
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        mediaSrc: ["'self'", 'data:', 'blob:'],
        fontSrc: ["'self'", 'data:'],
        workerSrc: ["'self'", 'blob:'],
        connectSrc: ["'self'", sameHostSockets, 'blob:', 'data:'],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'self'"],
        // On plain http this would turn a LAN address into one that does not answer.
        ...(secure ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    strictTransportSecurity: secure && { maxAge: YEAR_S },
    // Browsers ignore these on plain http and complain about them on the console.
    crossOriginOpenerPolicy: secure,
    originAgentCluster: secure,
  });
}

/** Not every browser takes `'self'` to mean the websockets of the same host too. */
function sameHostSockets(request: IncomingMessage): string {
  const host = request.headers.host ?? '';
  return /^[\w.:[\]-]+$/.test(host) ? `ws://${host} wss://${host}` : "'self'";
}

function statusOf(error: unknown): number {
  const status = error instanceof Error && 'status' in error ? error.status : 500;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500;
}

function readPackage(): v.InferOutput<typeof PackageSchema> {
  return v.parse(PackageSchema, JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));
}

/** Milliseconds a client may take for its request's head, and for all of it. */
export const HTTP_HEAD_MS_MAX = 10 * SECOND_MS;
export const HTTP_REQUEST_MS_MAX = 30 * SECOND_MS;
/** How often they are looked for: so much longer may one stay. */
export const HTTP_CHECK_EVERY_MS = 2 * SECOND_MS;
