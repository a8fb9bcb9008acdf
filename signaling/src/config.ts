import { existsSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as v from 'valibot';

/** What a server runs with. `loadConfig` makes one from the environment and flags; `startServer` takes a part of one. */
export interface ServerConfig {
  /** TCP port; 0 takes a free one. */
  port: number;
  /** Address to listen on; absent: every interface. */
  host: string | undefined;
  /** Where people reach this server, as an origin with an optional path. `https:` turns the secure-only headers on. */
  publicUrl: string | undefined;
  /** Origins whose pages may connect, or `*`. Empty: only pages from the host that is asked. */
  allowedOrigins: readonly string[];
  /** How many proxies stand in front: that many `X-Forwarded-For` entries are believed. */
  trustProxyHops: number;
  /** Where rooms live that several servers share; absent: in this process. */
  redisUrl: string | undefined;
  stunUrls: readonly string[];
  /** Relays for players whose networks let nothing else through. They share `turnSecret` with this server. */
  turnUrls: readonly string[];
  turnSecret: string | undefined;
  /** Seconds that a relay's credential can be used; what was opened with it stays open. */
  turnTtlS: number;
  /** Seconds after which an idle room is closed. */
  roomTtlS: number;
  /** Seconds that a seat is kept for a player whose connection to the server ended. */
  seatAwayS: number;
  connectionsMax: number;
  /** Connections from one address (IPv6: from one /64). */
  connectionsPerAddressMax: number;
  logLevel: LogLevel;
  /** What `GET /metrics` asks for; absent: it answers this machine alone. */
  metricsToken: string | undefined;
  /** Seconds that a stopping server waits for pairings under way. */
  drainS: number;
  servePages: boolean;
  /** Folder of the built pages. */
  pagesDir: string;
  limits: RateLimits;
}

/** Token buckets: so many points in so many seconds. No environment names: benchmarks and tests set them. */
export interface RateLimits {
  /** Any message of one connection. Trickled candidates come in bursts of some tens for each of seven other players. */
  messagesPerSocket: Rate;
  messagesPerAddress: Rate;
  /** Creating, joining and quick matches. */
  joinsPerAddress: Rate;
  failedJoinsPerAddress: Rate;
  /** Over all addresses: what a guesser with many addresses can try. */
  failedJoinsGlobal: Rate;
  /** Attempts to take a seat back, right and wrong ones. A restart sends everybody behind one router back at once. */
  resumesPerAddress: Rate;
  /** A lobby that loses its connection tries some tens of times in the time that its seat is kept. */
  resumesPerSeat: Rate;
  /** New pairings of the same two that they ask for. */
  pairingsPerPair: Rate;
  iceServersPerSeat: Rate;
}

export interface Rate {
  points: number;
  seconds: number;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A setting that cannot be used. `setting` is its environment name, or the flag as it was typed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'bad-setting';
  readonly setting: string;

  constructor(setting: string, complaint: string) {
    super(`${setting} ${complaint}`);
    this.setting = setting;
  }
}

const defaultPagesDir = fileURLToPath(new URL('../../client/dist/pages', import.meta.url));

export const defaultConfig: ServerConfig = {
  port: 8080,
  host: undefined,
  publicUrl: undefined,
  allowedOrigins: [],
  trustProxyHops: 0,
  redisUrl: undefined,
  stunUrls: ['stun:stun.l.google.com:19302'],
  turnUrls: [],
  turnSecret: undefined,
  turnTtlS: 600,
  roomTtlS: 3600,
  seatAwayS: 60,
  connectionsMax: 10_000,
  connectionsPerAddressMax: 100,
  logLevel: 'info',
  metricsToken: undefined,
  drainS: 10,
  servePages: true,
  pagesDir: defaultPagesDir,
  limits: {
    messagesPerSocket: { points: 1000, seconds: 10 },
    messagesPerAddress: { points: 3000, seconds: 10 },
    joinsPerAddress: { points: 120, seconds: 60 },
    failedJoinsPerAddress: { points: 10, seconds: 60 },
    failedJoinsGlobal: { points: 300, seconds: 60 },
    resumesPerAddress: { points: 300, seconds: 60 },
    resumesPerSeat: { points: 30, seconds: 60 },
    pairingsPerPair: { points: 12, seconds: 60 },
    iceServersPerSeat: { points: 20, seconds: 60 },
  },
};

const wholeNumber = (min: number, max: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`),
    v.toNumber(),
    v.minValue(min, `must be a whole number from ${min} to ${max}`),
    v.maxValue(max, `must be a whole number from ${min} to ${max}`),
  );

const list = v.pipe(
  v.string(),
  v.transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  ),
);

const isOrigin = (text: string): boolean =>
  text === '*' || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text);

const settings = {
  PORT: { schema: wholeNumber(0, 65_535), help: 'TCP port, 0 for a free one (8080)' },
  HOST: { schema: v.pipe(v.string(), v.trim(), v.nonEmpty('must not be empty')), help: 'address to listen on (all)' },
  PUBLIC_URL: {
    schema: v.pipe(
      v.string(),
      v.check((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http(s) URL'),
      v.transform((text) => text.replace(/\/+$/, '')),
    ),
    help: 'where people reach this server; https turns HSTS on',
  },
  ALLOWED_ORIGINS: {
    schema: v.pipe(
      list,
      v.everyItem(isOrigin, 'must list origins such as https://game.example, parted by commas, or be *'),
    ),
    help: 'origins whose pages may connect (only the own host)',
  },
  REDIS_URL: {
    schema: v.pipe(
      v.string(),
      v.check(
        (text) => text.startsWith('/') || (URL.canParse(text) && /^rediss?:$/.test(new URL(text).protocol)),
        'must be a redis: or rediss: URL, or the path of a socket',
      ),
    ),
    secret: true,
    help: 'Redis whose rooms several servers share (none: rooms in memory)',
  },
  TRUST_PROXY: { schema: wholeNumber(0, 10), help: 'number of proxies in front (0)' },
  STUN_URLS: {
    schema: v.pipe(
      list,
      v.everyItem((url) => /^stuns?:\S+$/.test(url), 'must list stun: URLs, parted by commas'),
      v.maxLength(8, 'must list at most 8 URLs'),
    ),
    help: 'STUN servers handed to peers; empty for none',
  },
  TURN_URLS: {
    schema: v.pipe(
      list,
      v.everyItem((url) => /^turns?:\S+$/.test(url), 'must list turn: URLs, parted by commas'),
      v.maxLength(8, 'must list at most 8 URLs'),
    ),
    help: 'TURN servers handed to paired peers, with TURN_SECRET',
  },
  TURN_SECRET: {
    schema: v.string(),
    secret: true,
    help: "the TURN servers' shared secret (coturn: static-auth-secret)",
  },
  TURN_TTL_S: { schema: wholeNumber(30, 86_400), help: 'seconds a TURN credential is valid (600)' },
  ROOM_TTL_S: { schema: wholeNumber(10, 604_800), help: 'seconds until an idle room closes (3600)' },
  MAX_CONNECTIONS: { schema: wholeNumber(1, 1_000_000), help: 'connections in all (10000)' },
  MAX_PER_IP: { schema: wholeNumber(1, 1_000_000), help: 'connections from one address (100)' },
  LOG_LEVEL: { schema: v.picklist(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(' ')}`), help: 'log level (info)' },
  METRICS_TOKEN: {
    schema: v.pipe(
      v.string(),
      v.regex(/^[\x21-\x7e]{16,256}$/, 'must be 16 to 256 printable characters without spaces'),
    ),
    secret: true,
    help: 'bearer token for GET /metrics (none: asked from this machine only)',
  },
  DRAIN_S: { schema: wholeNumber(0, 600), help: 'seconds to finish pairings when stopping (10)' },
  SERVE_DEMO: {
    schema: v.pipe(
      v.string(),
      v.picklist(['1', '0', 'true', 'false', 'yes', 'no'], 'must be true or false'),
      v.transform((text) => ['1', 'true', 'yes'].includes(text)),
    ),
    help: 'serve the pages (true)',
  },
  PAGES: {
    schema: v.pipe(
      v.string(),
      v.transform((dir) => resolve(dir)),
      v.check((dir) => existsSync(dir + sep), 'must be a folder that exists'),
    ),
    help: 'folder of the pages to serve',
  },
} as const;
type Setting = keyof typeof settings;

/** For these an empty value means "none" and not "absent". */
const LISTS: readonly string[] = ['STUN_URLS', 'TURN_URLS', 'ALLOWED_ORIGINS'];

const flagOf = (setting: string) => setting.toLowerCase().replaceAll('_', '-');

/** One line per setting, for `--help`. */
export function settingsHelp(): string {
  const lines = Object.entries(settings).map(
    ([name, { help }]) => `  --${flagOf(name).padEnd(18)} ${name.padEnd(16)} ${help}`,
  );
  return `Settings, as a flag or in the environment:\n${lines.join('\n')}`;
}

/**
 * Reads the settings; a flag wins over the environment. An empty environment value counts as absent, except for the
 * lists, where it means "none".
 *
 * @throws ConfigError naming the setting, what was given and what is expected.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>, argv: readonly string[]): ServerConfig {
  const flags = readFlags(argv);
  const read = <S extends Setting>(name: S): v.InferOutput<(typeof settings)[S]['schema']> | undefined => {
    const given = flags[flagOf(name)] ?? env[name];
    if (given === undefined || (given === '' && !LISTS.includes(name))) return undefined;
    const result = v.safeParse(settings[name].schema, given);
    // A secret is not quoted back.
    const quote = 'secret' in settings[name] ? 'set' : JSON.stringify(given);
    if (!result.success) throw new ConfigError(name, `is ${quote} but ${result.issues[0].message}`);
    return result.output;
  };
  const turnUrls = read('TURN_URLS') ?? defaultConfig.turnUrls;
  const turnSecret = read('TURN_SECRET');
  if (turnUrls.length > 0 && turnSecret === undefined) {
    throw new ConfigError('TURN_SECRET', 'is missing but TURN_URLS is set: peers get credentials made with it');
  }
  if (turnUrls.length === 0 && turnSecret !== undefined) {
    throw new ConfigError('TURN_URLS', 'is missing but TURN_SECRET is set: list the TURN servers that know it');
  }
  return {
    port: read('PORT') ?? defaultConfig.port,
    host: read('HOST'),
    publicUrl: read('PUBLIC_URL'),
    allowedOrigins: read('ALLOWED_ORIGINS') ?? defaultConfig.allowedOrigins,
    trustProxyHops: read('TRUST_PROXY') ?? defaultConfig.trustProxyHops,
    redisUrl: read('REDIS_URL'),
    stunUrls: read('STUN_URLS') ?? defaultConfig.stunUrls,
    turnUrls,
    turnSecret,
    turnTtlS: read('TURN_TTL_S') ?? defaultConfig.turnTtlS,
    roomTtlS: read('ROOM_TTL_S') ?? defaultConfig.roomTtlS,
    seatAwayS: defaultConfig.seatAwayS,
    connectionsMax: read('MAX_CONNECTIONS') ?? defaultConfig.connectionsMax,
    connectionsPerAddressMax: read('MAX_PER_IP') ?? defaultConfig.connectionsPerAddressMax,
    logLevel: read('LOG_LEVEL') ?? defaultConfig.logLevel,
    metricsToken: read('METRICS_TOKEN'),
    drainS: read('DRAIN_S') ?? defaultConfig.drainS,
    servePages: read('SERVE_DEMO') ?? defaultConfig.servePages,
    pagesDir: read('PAGES') ?? defaultConfig.pagesDir,
    limits: defaultConfig.limits,
  };
}

function readFlags(argv: readonly string[]): Record<string, string | undefined> {
  const known = Object.keys(settings).map((name) => [flagOf(name), { type: 'string' as const }]);
  const { tokens } = parseArgs({ args: [...argv], options: Object.fromEntries(known), strict: false, tokens: true });
  const names = new Set(known.map(([name]) => name));
  const flags: Record<string, string> = {};
  for (const token of tokens) {
    if (token.kind === 'positional') throw new ConfigError(token.value, 'is not a setting: flags begin with --');
    if (token.kind !== 'option') continue;
    if (!names.has(token.name)) throw new ConfigError(token.rawName, 'is not a setting: see --help');
    if (token.value === undefined) throw new ConfigError(token.rawName, 'needs a value');
    flags[token.name] = token.value;
  }
  return flags;
}
