import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const program = process.env['TURNSERVER'] ?? '/usr/bin/turnserver';

/** A missing one skips its tests, except where `npm test` has made sure that there is one. */
export const hasTurnServer = process.env['RIPOSTE_HAS_TURNSERVER'] === 'true' || existsSync(program);

const START_MS_MAX = 15_000;

/** coturn on this machine alone, with a secret that it shares with a server of ours. */
export class TurnServer {
  readonly port: number;
  readonly secret: string;
  /** What it told so far. */
  readonly lines: string[];
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(port: number, secret: string, lines: string[], child: ChildProcess, folder: string) {
    this.port = port;
    this.secret = secret;
    this.lines = lines;
    this.#child = child;
    this.#folder = folder;
  }

  static async start(secret: string, port?: number): Promise<TurnServer> {
    port ??= await freePort();
    const folder = await mkdtemp(join(tmpdir(), 'riposte-turn-'));
    const child = spawn(
      program,
      [
        '-n',
        '--listening-ip=127.0.0.1',
        '--relay-ip=127.0.0.1',
        `--listening-port=${port}`,
        '--use-auth-secret',
        `--static-auth-secret=${secret}`,
        '--realm=riposte.test',
        // Both peers are on this machine; a server for strangers denies such addresses.
        '--allow-loopback-peers',
        '--no-tls',
        '--no-dtls',
        '--no-cli',
        '--verbose',
        '--log-file=stdout',
        `--pidfile=${join(folder, 'pid')}`,
        `--userdb=${join(folder, 'users')}`,
      ],
      { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const lines: string[] = [];
    const listening = new Promise<void>((resolve, reject) => {
      const hear = (line: string) => {
        lines.push(line);
        if (/UDP listener opened/.test(line)) resolve();
      };
      for (const output of [child.stdout, child.stderr]) createInterface({ input: output }).on('line', hear);
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`turnserver ended with ${code}:\n${lines.join('\n')}`)));
      AbortSignal.timeout(START_MS_MAX).addEventListener('abort', () =>
        reject(new Error(`turnserver does not listen:\n${lines.join('\n')}`)),
      );
    });
    await listening;
    return new TurnServer(port, secret, lines, child, folder);
  }

  get url(): string {
    return `turn:127.0.0.1:${this.port}?transport=udp`;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
    await rm(this.#folder, { recursive: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
