/** What only a match of more than two needs, so that a page can load it for those alone. */
export { parseSeatMessage } from '@riposte/shared/protocol';
export { Mesh } from './mesh.js';
export { Roster } from './roster.js';
export { Seats } from './seats.js';
