import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ConfigError, defaultConfig, loadConfig, settingsHelp } from './config.js';

function complaint(env: Record<string, string>, argv: string[] = []): ConfigError {
  try {
    loadConfig(env, argv);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify({ env, argv })}`);
}

describe('settings', () => {
  it('have defaults that work alone', () => {
    expect(loadConfig({}, [])).toEqual(defaultConfig);
    expect(defaultConfig.port).toBe(8080);
  });

  it('come from the environment, and a flag wins', () => {
    const env = { PORT: '9000', HOST: '127.0.0.1', ALLOWED_ORIGINS: 'https://a.example, https://b.example' };
    expect(loadConfig(env, ['--port', '0', '--trust-proxy=2', '--pages', tmpdir()])).toMatchObject({
      port: 0,
      host: '127.0.0.1',
      allowedOrigins: ['https://a.example', 'https://b.example'],
      trustProxyHops: 2,
      pagesDir: tmpdir(),
    });
  });

  it('for a relay come together or not at all, and a secret is not quoted', () => {
    const urls = 'turn:turn.example.org:3478?transport=udp,turns:turn.example.org';
    expect(loadConfig({ TURN_URLS: urls, TURN_SECRET: 's3cret', TURN_TTL_S: '120' }, [])).toMatchObject({
      turnUrls: ['turn:turn.example.org:3478?transport=udp', 'turns:turn.example.org'],
      turnSecret: 's3cret',
      turnTtlS: 120,
    });
    expect(complaint({ TURN_URLS: urls }).setting).toBe('TURN_SECRET');
    const alone = complaint({ TURN_SECRET: 's3cret' });
    expect(alone.setting).toBe('TURN_URLS');
    expect(alone.message).not.toContain('s3cret');
    expect(loadConfig({ TURN_URLS: '', TURN_SECRET: '' }, [])).toEqual(defaultConfig);
    expect(complaint({ METRICS_TOKEN: 'too short' }).message).toMatch(/^METRICS_TOKEN is set but must be 16/);
  });

  it('that are empty count as absent, but an empty list is a list', () => {
    const config = loadConfig({ PORT: '', LOG_LEVEL: '', STUN_URLS: '' }, []);
    expect(config).toMatchObject({ port: 8080, logLevel: 'info', stunUrls: [] });
  });

  it.each([
    ['PORT', '80a'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PUBLIC_URL', 'ftp://x'],
    ['PUBLIC_URL', 'example.org'],
    ['ALLOWED_ORIGINS', 'https://a.example/path'],
    ['ALLOWED_ORIGINS', 'a.example'],
    ['TRUST_PROXY', 'yes'],
    ['STUN_URLS', 'turn:x'],
    ['TURN_URLS', 'stun:x'],
    ['TURN_TTL_S', '29'],
    ['ROOM_TTL_S', '1'],
    ['MAX_CONNECTIONS', '0'],
    ['MAX_PER_IP', '1.5'],
    ['LOG_LEVEL', 'loud'],
    ['DRAIN_S', '601'],
    ['SERVE_DEMO', 'maybe'],
    ['PAGES', '/no/such/folder'],
    ['PAGES', import.meta.filename],
  ])('%s=%s is refused by name, with what was given', (name, value) => {
    const error = complaint({ [name]: value });
    expect(error.setting).toBe(name);
    expect(error.message).toMatch(new RegExp(`^${name} is ".*" but must`));
    expect(error.message).toContain(value);
  });

  it('take a Redis by URL or by the path of a socket, and do not quote its password back', () => {
    for (const url of ['redis://redis:6379', 'rediss://:pass@redis.example/1', '/run/redis.sock']) {
      expect(loadConfig({ REDIS_URL: url }, []).redisUrl).toBe(url);
    }
    const { message } = complaint({ REDIS_URL: 'http://:pass@redis:6379' });
    expect(message).toBe('REDIS_URL is set but must be a redis: or rediss: URL, or the path of a socket');
  });

  it('refuse flags that do not exist, lack their value, or are no flags', () => {
    expect(complaint({}, ['--prot', '1']).setting).toBe('--prot');
    expect(complaint({}, ['--port']).message).toBe('--port needs a value');
    expect(complaint({}, ['8080']).setting).toBe('8080');
  });

  it('are listed for --help', () => {
    expect(settingsHelp()).toMatch(/--max-per-ip +MAX_PER_IP/);
  });
});
