import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { isLoopback } from './address.js';
import type { Metrics } from './metrics.js';

/** What a proxy on this machine adds; with one of these the question came from somewhere else. */
const FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'] as const;

/**
 * `GET /metrics`. With a token, whoever shows it; without one, programs on this machine, and for anybody else there is
 * no such page.
 */
export function metricsEndpoint(metrics: Metrics, token: string | undefined): RequestHandler {
  return async (request, response, next) => {
    if (token === undefined) {
      if (!isFromHere(request)) return next();
    } else if (!showsToken(request.headers.authorization, token)) {
      response
        .status(401)
        .set('WWW-Authenticate', 'Bearer')
        .type('text')
        .send('This needs the token of METRICS_TOKEN.');
      return;
    }
    const text = await metrics.text();
    response.set({ 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }).send(text);
  };
}

/** A private address is not enough: behind a container's port everybody comes from one. */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  return isLoopback(socket.remoteAddress ?? '') && FORWARDED.every((name) => headers[name] === undefined);
}

function showsToken(authorization: string | undefined, token: string): boolean {
  // Hashes have one length, whatever was shown.
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(authorization?.replace(/^Bearer +/i, '') ?? ''), hash(token));
}
