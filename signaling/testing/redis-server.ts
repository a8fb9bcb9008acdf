/** A redis-server of a test's own. Tests only. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

const program = process.env['REDIS_SERVER'] ?? '/usr/bin/redis-server';

/** A missing one skips its tests. */
export const hasRedisServer = existsSync(program);

export class RedisServer {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #clients: Redis[] = [];

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
  }

  /** Keeps nothing on disk, and listens on a socket of its own: no port to be taken by somebody else. */
  static async start(): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'riposte-redis-'));
    const options = ['--port', '0', '--unixsocket', join(folder, 'socket'), '--save', '', '--appendonly', 'no'];
    const child = spawn(program, options, { cwd: folder, stdio: 'ignore' });
    await once(child, 'spawn');
    const server = new RedisServer(child, folder);
    await server.connect().ping();
    return server;
  }

  /** A connection; waits until the server listens. */
  connect(): Redis {
    const client = new Redis(join(this.#folder, 'socket'), { retryStrategy: () => 20, maxRetriesPerRequest: null });
    // It tries again by itself.
    client.on('error', () => undefined);
    this.#clients.push(client);
    return client;
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.disconnect();
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
    await rm(this.#folder, { recursive: true });
  }
}
