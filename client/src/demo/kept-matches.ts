import { browserArchive } from '../recorder/archive.js';

/** What this browser keeps of the matches that were played on these pages. */
export const keptMatches = browserArchive();
