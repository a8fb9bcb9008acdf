import type { IceServer } from '@riposte/shared/protocol';

/** Hands out the ICE servers of one pairing. */
export interface IceSource {
  /** @param seat the seat the servers are for: credentials, once there are any, are its own. */
  serversFor(seat: string): IceServer[];
}

/** STUN only: enough for two players of whom at least one has an ordinary home router. */
export function stunSource(urls: readonly string[]): IceSource {
  const servers: IceServer[] = urls.length === 0 ? [] : [{ urls: [...urls] }];
  return { serversFor: () => servers };
}
