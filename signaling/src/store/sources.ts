/**
 * Who shows a spectator the match: a player, or another spectator that passes on what it is shown.
 *
 * Promises: pure. Following the sources from any spectator leads to a player, never in a circle.
 */
import { isAway, type Room, type Seat } from './room.js';

/** Spectators that one seat shows the match: a player's connection has its match to carry as well. */
export const WATCHERS_MAX = 4;

/**
 * The best source for a spectator: one whose connection is here, nearest to the players, with the fewest watchers. There
 * is always one while there is a player, since each seat has room for more watchers than the one it takes.
 *
 * @param room without the spectator's present source, so that no way to a player leads through the spectator.
 * @param except a seat that will not do.
 */
export function findSource(room: Room, spectator: string, except?: string): string | undefined {
  const sources = new Map(room.seats.map(({ id, player }) => [id, player === null ? feedOf(room, id) : undefined]));
  const isFree = (id: string) => watchersOf(room, id) < WATCHERS_MAX;

  /** Steps from a player; `undefined`: not led to one. */
  const distanceOf = ({ id, player }: Seat): number | undefined => {
    let distance = 0;
    let at = id;
    let isReached = player !== null;
    while (!isReached) {
      const source = sources.get(at);
      if (source === undefined || !sources.has(source)) return undefined;
      at = source;
      distance++;
      isReached = room.seats.some((seat) => seat.id === source && seat.player !== null);
    }
    return distance;
  };

  const candidates = room.seats.flatMap((seat) => {
    const distance = seat.id === spectator || seat.id === except || !isFree(seat.id) ? undefined : distanceOf(seat);
    return distance === undefined ? [] : [{ id: seat.id, away: isAway(seat) ? 1 : 0, distance }];
  });
  candidates.sort(
    (a, b) => a.away - b.away || a.distance - b.distance || watchersOf(room, a.id) - watchersOf(room, b.id),
  );
  return candidates.at(0)?.id;
}

/** The source of a spectator. */
function feedOf(room: Room, spectator: string): string | undefined {
  return room.pairs.find(({ responder }) => responder === spectator)?.initiator;
}

/** How many spectators a seat shows the match. */
function watchersOf(room: Room, source: string): number {
  return room.pairs.filter(
    ({ initiator, responder }) =>
      initiator === source && room.seats.some(({ id, player }) => id === responder && player === null),
  ).length;
}
