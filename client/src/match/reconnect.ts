import type { Pairing, Peer, Room } from '../lobby/room.js';
import { type ConnectOptions, connectPeer } from './connect.js';
import type { PeerMatch } from './peer-match.js';

/** A link that is silent for so long is not waited for: a new connection is made beside it. */
const SILENT_MS = 2000;
/** Between two attempts, so that a server or network that is away is not stormed. */
const RETRY_MS = 1500;

/**
 * Makes a new connection whenever the match's own is lost, for as long as the match waits: asks the room for a new
 * pairing, and follows every pairing, whichever side asked for it.
 */
export function keepConnected<S, I>(room: Room, match: PeerMatch<S, I>, options: ConnectOptions): void {
  let newest = 0;
  let peer: Peer | undefined;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const ask = (): void => {
    clearTimeout(timer);
    if (isOver || peer === undefined || match.status().phase !== 'interrupted') return;
    // What goes wrong here, the next attempt may put right; the match's own time-out ends them.
    room.pairAgain(peer.seat).catch(() => undefined);
    timer = setTimeout(ask, RETRY_MS + SILENT_MS);
  };
  const follow = async (pairing: Pairing): Promise<void> => {
    if (isOver || pairing.number <= newest) return;
    const isFirst = newest === 0;
    newest = pairing.number;
    peer = pairing.peer;
    // The first one's connection is the one that the match began with.
    if (isFirst) return;
    clearTimeout(timer);
    try {
      const transport = await connectPeer(pairing, options);
      if (isOver || pairing.number !== newest) transport.close();
      else match.attach(pairing.peer.player ?? 0, transport);
    } catch {
      timer = setTimeout(ask, RETRY_MS);
    }
  };

  const stopFollowing = room.onPairing((pairing) => void follow(pairing));
  match.on('phase', (phase) => {
    if (phase === 'interrupted') timer = setTimeout(ask, match.isConnected(peer?.player ?? 0) ? SILENT_MS : 0);
    if (phase !== 'ended' && phase !== 'failed') return;
    isOver = true;
    clearTimeout(timer);
    stopFollowing();
  });
}
