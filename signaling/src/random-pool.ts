import { randomFillSync } from 'node:crypto';

/** Some two hundred seats' worth: asking the system costs as much for these as for one. */
const POOL_BYTES = 8 * 1024;

/** Gives cryptographically random bytes out of a pool. None is given twice, and none stays in it once given. */
export function createRandomPool(fill: (pool: Uint8Array) => void = randomFillSync): (count: number) => Uint8Array {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return (count) => {
    if (count > POOL_BYTES) throw new RangeError(`${count} random bytes at once; at most ${POOL_BYTES} can be had`);
    if (used + count > POOL_BYTES) {
      fill(pool);
      used = 0;
    }
    const given = pool.slice(used, used + count);
    pool.fill(0, used, used + count);
    used += count;
    return given;
  };
}
