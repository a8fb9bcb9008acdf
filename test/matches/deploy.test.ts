import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '@riposte/signaling';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compose = '/usr/bin/docker-compose';

describe('the dashboard', () => {
  it('shows metrics that the server has, and no others', async () => {
    const server = await startServer({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
    const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
    await server.close();
    const names = new Set(text.match(/^# HELP \w+/gm)?.map((line) => line.slice('# HELP '.length)));
    const { panels } = JSON.parse(readFileSync(join(root, 'deploy/grafana/dashboards/riposte.json'), 'utf8'));
    const expressions: string[] = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    );
    const used = expressions.flatMap((expr) => expr.match(/\b(riposte|nodejs|process)_\w+/g) ?? []);
    expect(used.length).toBeGreaterThanOrEqual(panels.length);
    for (const name of used) expect([...names]).toContain(name.replace(/_(bucket|count|sum)$/, ''));
    for (const name of names) if (name.startsWith('riposte_')) expect(expressions.join(' ')).toContain(name);
  });
});

describe.skipIf(!existsSync(compose))('the compose file', () => {
  const settings: Record<string, string> = {
    ...{
      PUBLIC_URL: 'https://a.example',
      ALLOWED_ORIGINS: 'https://b.example',
      STUN_URLS: 'stun:c',
      TURN_URLS: 'turn:d',
    },
    ...{ TURN_SECRET: 'e', TURN_TTL_S: '100', ROOM_TTL_S: '101', MAX_CONNECTIONS: '102', MAX_PER_IP: '103' },
    ...{ METRICS_TOKEN: 'f', LOG_LEVEL: 'warn', SERVE_DEMO: 'no' },
  };

  const config = (...flags: string[]): string => {
    const env = { ...process.env, ...settings };
    const { status, stdout, stderr } = spawnSync(compose, flags, { cwd: root, encoding: 'utf8', env });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };

  it.each(['', 'redis', 'turn', 'metrics'])('holds with the profile "%s"', (profile) => {
    config(...(profile === '' ? [] : ['--profile', profile]), 'config', '--quiet');
  });

  it('is the server alone, unless more is asked for', () => {
    const [, services = ''] = config('config').split(/^services:$/m);
    const blocks = services.split(/^ {2}(?=\S+:$)/m).filter((block) => /^ {4}/m.test(block));
    const always = blocks.filter((block) => !block.includes('    profiles:')).map((block) => block.split(':')[0]);
    expect(always).toEqual(['riposte']);
    expect(blocks.length).toBeGreaterThan(6);
  });

  it("hands the server's settings on, as they are set in the shell", () => {
    const given = Object.entries(settings).map(([name, value]) => `${name}: ${value}`);
    const lines = config('config').replaceAll(/['"]/g, '').split(/\n\s*/);
    expect(lines).toEqual(expect.arrayContaining(given));
  });
});
