/** Servers with the same Redis are one: what this one needs of it. */
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createAdapter } from '@socket.io/redis-streams-adapter';
import { Redis, type RedisOptions } from 'ioredis';
import type { AdapterConstructor } from './socket-types.js';
import { createRedisStore } from './store/redis.js';
import { createRedisRegistry, type NodeRegistry } from './store/registry.js';
import type { RoomStore } from './store/store.js';

/** Milliseconds in which Redis answers, or counts as away. A player is waiting. */
const ANSWER_MS_MAX = 2_000;

/** Milliseconds between two tries to connect. */
const RETRY_MS_MAX = 500;

/** What is said between servers. */
const STREAM = '{riposte}:told';

/** So many messages of it are kept: more than are under way at any moment. */
const STREAM_LENGTH = 10_000;

const retryStrategy = (attempt: number) => Math.min(attempt * 50, RETRY_MS_MAX);

/** Fails at once while Redis is away: a player is told so. What was under way may have been done, so it is not repeated. */
const PROMPT: RedisOptions = {
  retryStrategy,
  connectTimeout: ANSWER_MS_MAX,
  commandTimeout: ANSWER_MS_MAX,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableAutoPipelining: true,
};

/** Waits for as long as it takes: it only listens. */
const PATIENT: RedisOptions = { retryStrategy, connectTimeout: ANSWER_MS_MAX, maxRetriesPerRequest: null };

export interface Cluster {
  /** This server's name among the others. */
  node: string;
  store: RoomStore;
  registry: NodeRegistry;
  /** Carries what is said to connections of other servers. */
  adapter: AdapterConstructor;
  /** Resolves when everything is connected, or has had its time to: what is away then comes when it comes. */
  opened(): Promise<void>;
  close(): void;
}

export interface ClusterOptions {
  /** `redis:` or `rediss:`, or the path of a socket. */
  url: string;
  /** A step with a room had to be taken again, because another server was faster. */
  onRetry(): void;
  /** Redis did not answer. */
  onAway(): void;
}

/** Connects in the background: until it is there, the store is away. */
export function connectCluster({ url, onRetry, onAway }: ClusterOptions): Cluster {
  const open = (options: RedisOptions) => {
    const client = new Redis(url, options);
    // It tries again by itself, and whoever asks meanwhile is told.
    client.on('error', () => undefined);
    return client;
  };
  const redis = open(PROMPT);
  const listening: Redis[] = [];
  const isReady = (client: Redis) =>
    new Promise<void>((resolve) => {
      if (client.status === 'ready') resolve();
      else client.once('ready', resolve);
    });
  const speaking = {
    // What the adapter looks at to find out how to open more connections.
    options: {},
    duplicate: () => {
      const client = open(PATIENT);
      listening.push(client);
      return client;
    },
    xadd: (args: [key: string, ...rest: string[]]) => redis.call('XADD', args),
    // It does not expect that these fail.
    publish: (channel: string, message: Buffer) => redis.publish(channel, message).catch(() => 0),
    send_command: (name: string, args: string[], done: (error: null, answer: unknown) => void) => {
      redis.call(name, args).then(
        (answer) => done(null, answer),
        () => done(null, [args.at(-1), 1]),
      );
    },
  };
  return {
    node: randomBytes(6).toString('base64url'),
    store: createRedisStore(redis, { onRetry, onAway }),
    registry: createRedisRegistry(redis),
    adapter: createAdapter(speaking, { streamName: STREAM, channelPrefix: '{riposte}', maxLen: STREAM_LENGTH }),
    opened: async () => {
      const patience = new AbortController();
      const enough = wait(ANSWER_MS_MAX, undefined, { signal: patience.signal }).catch(() => undefined);
      await Promise.race([Promise.all([redis, ...listening].map(isReady)), enough]);
      patience.abort();
      // A message to nobody: from here on whoever reads has a place in the stream, and misses nothing between two looks.
      await redis.call('XADD', STREAM, '*', 'nsp', '').catch(() => undefined);
    },
    close: () => {
      for (const client of [redis, ...listening]) client.disconnect();
    },
  };
}
