import { useEffect, useState } from 'preact/hooks';
import { jitterOf, lossPercent, type PacketCounts } from '../overlay/connection.js';
import type { Route } from '../transport/transport.js';
import type { LiveMatch } from './demo-game.js';

const INTERVAL_MS = 250;
/** Over how many of these the loss is told: two seconds. */
const LOSS_INTERVALS = 8;
/** The way of the packets is asked for once in so many of these: browsers gather it at some cost. */
const ROUTE_INTERVALS = 20;

/** How a match is connected, and how it stands. */
export interface Connection {
  readonly status: ReturnType<LiveMatch['status']>;
  readonly jitterMs: number | null;
  readonly lossPercent: number | null;
  readonly route: Route | null;
}

/** The connection of a match, looked at a few times a second. */
export function useConnection(match: LiveMatch): Connection {
  const [connection, setConnection] = useState(() => connectionOf(match.status(), null, null));
  useEffect(() => {
    let route: Route | null = null;
    let looks = 0;
    let counts: PacketCounts[] = [];
    const look = (): void => {
      if (looks++ % ROUTE_INTERVALS === 0) {
        match.route().then(
          (found) => {
            route = found;
          },
          () => undefined,
        );
      }
      const status = match.status();
      const { sentPackets, receivedPackets, authority } = status;
      const now = { sentPackets, receivedPackets, lostUpdates: authority?.lostUpdates };
      counts = [...counts.slice(-LOSS_INTERVALS), now];
      const [then] = counts;
      setConnection(
        connectionOf(status, counts.length > LOSS_INTERVALS && then ? lossPercent(then, now) : null, route),
      );
    };
    look();
    const timer = setInterval(look, INTERVAL_MS);
    return () => clearInterval(timer);
  }, [match]);
  return connection;
}

function connectionOf(status: Connection['status'], lost: number | null, route: Route | null): Connection {
  return { status, jitterMs: status.measures && jitterOf(status.measures.rttMs), lossPercent: lost, route };
}

/** A figure as it is shown, with its name. */
export type ShownFigure = readonly [name: string, value: string | number];

/** What a player knows a connection by: none of it is shown before it is known. */
export function connectionFigures({ status, jitterMs, lossPercent, route }: Connection): readonly ShownFigure[] {
  return [
    ['Ping', status.rttMs === null ? '–' : `${Math.round(status.rttMs)} ms`],
    ...(jitterMs === null ? [] : [['Jitter', `${Math.round(jitterMs)} ms`] as const]),
    ...(lossPercent === null ? [] : [['Loss', `${Math.round(lossPercent)} %`] as const]),
    ...(route === null ? [] : [['Route', route] as const]),
  ];
}
