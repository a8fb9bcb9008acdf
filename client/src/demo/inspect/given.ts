import { gameOfModule, type InspectedGame } from './games.js';
import type { GivenFile } from './opened.js';

/** Under these addresses, and no other, `riposte inspect` serves what its command line names. */
const LIST_URL = '/given/files.json';
const GAME_URL = '/given/game.js';

export interface Given {
  readonly files: readonly GivenFile[];
  readonly game: InspectedGame | null;
  readonly moduleUrl: string | null;
}

interface GivenList {
  readonly names: readonly string[];
  readonly hasGame: boolean;
}

function isGivenList(value: unknown): value is GivenList {
  if (typeof value !== 'object' || value === null || !('names' in value) || !('hasGame' in value)) return false;
  return Array.isArray(value.names) && value.names.every((name) => typeof name === 'string');
}

async function load(url: string): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}.`);
  return response;
}

/** What the command that opened this page gives it. Throws a sentence when it is not to be had. */
export async function readGiven(): Promise<Given> {
  const list: unknown = await (await load(LIST_URL)).json();
  if (!isGivenList(list)) throw new Error('The list of given files is not one.');
  const files = await Promise.all(
    list.names.map(async (name, at) => {
      const bytes = new Uint8Array(await (await load(`/given/${at}.rpl`)).arrayBuffer());
      return { name, bytes };
    }),
  );
  if (!list.hasGame) return { files, game: null, moduleUrl: null };
  return { files, game: gameOfModule(await import(/* @vite-ignore */ GAME_URL)), moduleUrl: GAME_URL };
}
