import type { Entry, Outcome, Rooms, RoomWish } from './rooms.js';
import type { RoomStore } from './store/store.js';

/**
 * Seats somebody beside whoever waits longest for the same game in the same version, or lets them wait in a room of
 * their own. A waiting room cannot be joined by its code.
 */
export function quickMatch(
  rooms: Rooms,
  store: RoomStore,
  wish: RoomWish,
  name: string | undefined,
): Promise<Outcome<Entry>> {
  return rooms.open(wish, name, 'quick', (room, seat) => store.joinOldestOrCreate(room, seat));
}
