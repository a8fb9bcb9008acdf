import { type Logger, pino } from 'pino';
import type { LogLevel } from './config.js';

/** JSON lines on stdout. Seat secrets never come here: `redact` is the second lock, not the first. */
export function createLogger(level: LogLevel): Logger {
  return pino({
    level,
    base: null,
    redact: { paths: ['secret', '*.secret', 'req.headers.authorization', 'req.headers.cookie'], censor: '[hidden]' },
  });
}
