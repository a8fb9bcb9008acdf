/** The server as a process of its own. Tests only. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export class ServerProcess {
  /** What it printed so far. */
  readonly output = { out: '', err: '' };
  /** Its exit code, once it has ended; `null` where a signal ended it. */
  readonly exit: Promise<unknown>;
  readonly #child: ChildProcess;
  #heard = () => {};

  /** `env` and the fixed settings beside it win over what surrounds the test. */
  constructor(env: Record<string, string>, flags: string[] = []) {
    const main = fileURLToPath(new URL('run-main.js', import.meta.url));
    const child = spawn(process.execPath, [main, ...flags], {
      env: { ...process.env, LOG_LEVEL: 'silent', HOST: '127.0.0.1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => {
      this.output.out += chunk.toString();
      this.#heard();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.output.err += chunk.toString();
    });
    this.exit = once(child, 'close').then(([code]: unknown[]) => code);
  }

  /** Its address, once it has printed it. */
  async url(): Promise<string> {
    for (;;) {
      const found = /^Riposte is running: (\S+)$/m.exec(this.output.out);
      if (found !== null) return found[1];
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#child.kill(signal);
  }
}
