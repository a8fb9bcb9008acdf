import type { RequestHandler } from 'express';
import { type DestinationStream, type Logger, pino } from 'pino';
import { pinoHttp } from 'pino-http';
import { clientAddress } from './address.js';
import type { LogLevel } from './config.js';

/** What never stands in a line, at any depth that our lines have. The first lock is not to log it at all. */
const SECRETS = ['secret', 'nextSecret', 'credential', 'token', 'authorization', 'cookie'];

/** JSON lines on stdout, or where they are told to go. */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/**
 * One line for each request over plain HTTP, with an id that the answer's `X-Request-Id` repeats. Neither headers nor
 * queries are logged: a link's query holds a room's code.
 *
 * @param hops proxies in front, as for `clientAddress`.
 */
export function logRequests(log: Logger, hops: number): RequestHandler {
  let serial = 0;
  return pinoHttp({
    logger: log,
    genReqId: (_request, response) => {
      const id = String(++serial);
      response.setHeader('X-Request-Id', id);
      return id;
    },
    wrapSerializers: false,
    serializers: {
      req: (request) => ({
        id: request.id,
        method: request.method,
        path: (request.url ?? '').split('?')[0],
        address: clientAddress(request, hops),
      }),
      res: (response) => ({ status: response.statusCode }),
    },
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'warn' : 'debug'),
  });
}
