import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type Harness, startHarness, TestPeer } from '../testing/harness.js';

let child: ChildProcess;
afterEach(() => child.kill('SIGKILL'));

/** The process itself; `env` and the fixed settings beside it win over what surrounds the test. */
function run(env: Record<string, string>, flags: string[] = []) {
  const main = fileURLToPath(new URL('../testing/run-main.js', import.meta.url));
  child = spawn(process.execPath, [main, ...flags], {
    env: { ...process.env, LOG_LEVEL: 'silent', HOST: '127.0.0.1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  let heard = () => {};
  child.stdout?.on('data', (chunk: Buffer) => {
    output.out += chunk.toString();
    heard();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    output.err += chunk.toString();
  });
  return {
    output,
    exit: once(child, 'close').then(([code]: unknown[]) => code),
    url: async () => {
      for (;;) {
        const found = /^Riposte is running: (\S+)$/m.exec(output.out);
        if (found !== null) return found[1];
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
    },
  };
}

describe('the process', () => {
  it('prints its address on one line, serves, and on SIGTERM exits 0 with somebody still waiting', async () => {
    const { output, exit, url } = run({ PORT: '0' });
    const address = await url();
    expect(output.out).toBe(`Riposte is running: ${address}\n`);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    const host = new TestPeer(address);
    expect(await host.request('create-room', { game: 'duel', version: '1' })).toMatchObject({ ok: true });
    child.kill('SIGTERM');
    expect((await host.next('room-closed')).reason).toBe('draining');
    expect(await exit).toBe(0);
  });

  it('names a bad setting, and a port that is in use, and exits 1', async () => {
    const bad = run({ PORT: 'http' });
    expect(await bad.exit).toBe(1);
    expect(bad.output.err).toBe('Riposte could not start: PORT is "http" but must be a whole number from 0 to 65535\n');
    const other: Harness = await startHarness();
    const taken = run({}, ['--port', String(other.server.port)]);
    expect(await taken.exit).toBe(1);
    expect(taken.output.err).toContain('the port is in use');
    await other.close();
  });
});
