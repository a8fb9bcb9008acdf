import type { Redis } from 'ioredis';
import { StoreAwayError } from './store.js';

/** When each server was last alive, in milliseconds of Redis's own clock. The braces are those of the rooms' keys. */
const NODES = '{riposte}:nodes';

/** KEYS[1] the nodes, ARGV[1] who is alive, ARGV[2] for how long the others may be silent. */
const BEAT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local added = redis.call('ZADD', KEYS[1], now, ARGV[1])
return {added, redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. (now - ARGV[2]))}`;

/** The servers that share a store, by name. */
export interface NodeRegistry {
  /**
   * Says that a server is alive.
   *
   * @param silentMs milliseconds.
   * @returns whether it was not registered, and the servers that have not said so for longer than `silentMs`.
   * @throws StoreAwayError
   */
  beat(node: string, silentMs: number): Promise<{ isNew: boolean; silent: string[] }>;
  /** The server is gone, and no seat is with it any more. */
  forget(node: string): Promise<void>;
}

export function createRedisRegistry(redis: Redis): NodeRegistry {
  return {
    beat: async (node, silentMs) => {
      const answer: unknown = await redis.eval(BEAT, 1, NODES, node, silentMs).catch((error: unknown) => {
        throw new StoreAwayError(error);
      });
      const [added, silent]: unknown[] = Array.isArray(answer) ? answer : [];
      return { isNew: added === 1, silent: Array.isArray(silent) ? silent.map(String) : [] };
    },
    forget: async (node) => void (await redis.zrem(NODES, node)),
  };
}
