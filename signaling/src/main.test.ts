import { afterEach, describe, expect, it } from 'vitest';
import { type Harness, startHarness, TestPeer } from '../testing/harness.js';
import { ServerProcess } from '../testing/server-process.js';

let server: ServerProcess;
afterEach(() => server.kill('SIGKILL'));

function run(env: Record<string, string>, flags: string[] = []): ServerProcess {
  server = new ServerProcess(env, flags);
  return server;
}

describe('the process', () => {
  it('prints its address on one line, serves, and on SIGTERM exits 0 with somebody still waiting', async () => {
    const { output, exit } = run({ PORT: '0' });
    const address = await server.url();
    expect(output.out).toBe(`Riposte is running: ${address}\n`);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    const host = new TestPeer(address);
    expect(await host.request('create-room', { game: 'duel', version: '1' })).toMatchObject({ ok: true });
    server.kill('SIGTERM');
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
