import { createHmac } from 'node:crypto';
import type { IceServer } from '@riposte/shared/protocol';

/** Hands out the ICE servers of one pairing. */
export interface IceSource {
  /** Whether there is a relay, and `relayOnly` can be asked for. */
  readonly hasRelay: boolean;
  /**
   * @param seat the seat the servers are for: credentials are its own.
   * @param relayOnly leaves out what would find the seat's own address.
   */
  serversFor(seat: string, relayOnly: boolean): IceServer[];
}

export interface IceOptions {
  stunUrls: readonly string[];
  turnUrls: readonly string[];
  /** Shared with the TURN server (coturn: `static-auth-secret`). */
  turnSecret: string | undefined;
  /** Seconds that a credential opens the TURN server for. What was opened stays open. */
  turnTtlS: number;
  /** Milliseconds since 1970: the TURN server compares it with its own clock. */
  unixMs(): number;
}

/**
 * STUN for everybody; TURN with credentials by coturn's scheme (`use-auth-secret`), made for one seat and of use for a
 * short while. The name in them is the seat's public id, so that a quota per user counts a seat's pairings together.
 */
export function createIceSource(options: IceOptions): IceSource {
  const { stunUrls, turnUrls, turnSecret, turnTtlS, unixMs } = options;
  const stun: IceServer[] = stunUrls.length === 0 ? [] : [{ urls: [...stunUrls] }];
  if (turnUrls.length === 0 || turnSecret === undefined) return { hasRelay: false, serversFor: () => stun };
  return {
    hasRelay: true,
    serversFor: (seat, relayOnly) => {
      const username = `${Math.floor(unixMs() / 1000) + turnTtlS}:${seat}`;
      const credential = createHmac('sha1', turnSecret).update(username).digest('base64');
      return [...(relayOnly ? [] : stun), { urls: [...turnUrls], username, credential }];
    },
  };
}
