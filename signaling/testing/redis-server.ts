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
  readonly #folder: string;
  readonly #clients: Redis[] = [];
  #child: ChildProcess | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Listens on a socket of its own: no port to be taken by somebody else. */
  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await mkdtemp(join(tmpdir(), 'riposte-redis-')));
    await server.resume();
    return server;
  }

  /** Where it listens, for `REDIS_URL`. */
  get url(): string {
    return join(this.#folder, 'socket');
  }

  /** A connection; waits until the server listens. */
  connect(): Redis {
    const client = new Redis(this.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    // It tries again by itself.
    client.on('error', () => undefined);
    this.#clients.push(client);
    return client;
  }

  /** Ends the process at once. What it keeps stays. */
  async kill(): Promise<void> {
    if (this.#child === undefined) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
    this.#child = undefined;
  }

  /** Starts the process, with what it kept. */
  async resume(): Promise<void> {
    const options = ['--port', '0', '--unixsocket', this.url, '--save', '', '--appendonly', 'yes'];
    this.#child = spawn(program, options, { cwd: this.#folder, stdio: 'ignore' });
    await once(this.#child, 'spawn');
    await this.connect().ping();
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.disconnect();
    await this.kill();
    await rm(this.#folder, { recursive: true });
  }
}
