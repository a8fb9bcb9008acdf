/** What only a page that lists rooms needs, so that it can load it. */
export { parseRoomList } from '@riposte/shared/protocol';
