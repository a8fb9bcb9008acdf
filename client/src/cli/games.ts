import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import * as shared from '@riposte/shared';
import { defineGame, type Game, RiposteError } from '@riposte/shared';
import * as games from '@riposte/shared/games';
import { CommandError } from './command.js';

/** A game whose state and input only it knows. */
export type AnyGame = Game<unknown, unknown>;

function looksLikeGame(value: unknown): value is AnyGame {
  return typeof value === 'object' && value !== null && 'id' in value && 'step' in value;
}

/** The games that come with Riposte, by id. */
const BUILT_IN: ReadonlyMap<string, AnyGame> = new Map(
  Object.values<unknown>(games)
    .filter(looksLikeGame)
    .map((game) => [game.id, game]),
);

const NAMES = [...BUILT_IN.keys()].join(', ');

/** An author imports from the client package, which re-exports the core; where it cannot load, the core alone must do. */
async function clientModule(): Promise<unknown> {
  const name: string = '@riposte/client';
  try {
    return await import(name);
  } catch {
    return shared;
  }
}

async function loadModule(file: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  const jiti = createJiti(import.meta.url, {
    fsCache: false,
    interopDefault: false,
    // A game file anywhere on the disk gets the same core as the command, installed beside it or not.
    virtualModules: {
      '@riposte/shared': shared,
      '@riposte/shared/games': games,
      '@riposte/shared/math': await import('@riposte/shared/math'),
      '@riposte/client': await clientModule(),
    },
  });
  return jiti.import(resolve(file));
}

/** Loads the default export of a .ts or .js module as a game. Throws a `CommandError` that names file and fault. */
async function loadGame(file: string): Promise<AnyGame> {
  let loaded: unknown;
  try {
    loaded = await loadModule(file);
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim();
    throw new CommandError(`${file} cannot be loaded: ${reason}`);
  }
  const game = typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : undefined;
  if (!looksLikeGame(game)) {
    throw new CommandError(`${file} has no game as its default export; expected: export default defineGame({ ... })`);
  }
  try {
    return defineGame(game);
  } catch (error) {
    if (!(error instanceof RiposteError)) throw error;
    throw new CommandError(`${file}: ${error.message}`);
  }
}

/** The game that `--game` asks for: a built-in one by its id, or the module FILE. */
export async function gameNamed(nameOrFile: string): Promise<AnyGame> {
  const builtIn = BUILT_IN.get(nameOrFile);
  if (builtIn !== undefined) return builtIn;
  if (existsSync(nameOrFile)) return loadGame(nameOrFile);
  throw new CommandError(
    `--game is "${nameOrFile}", which is neither a built-in game nor a file; expected ${NAMES}, or a .ts or .js file`,
  );
}

/** The built-in game with this id, if there is one. */
export function builtInGame(id: string): AnyGame | undefined {
  return BUILT_IN.get(id);
}

/** The game to run a recording with: the one given, else the built-in one that the recording names. */
export async function gameOfRecording(id: string, nameOrFile: string | undefined): Promise<AnyGame> {
  const game = nameOrFile === undefined ? BUILT_IN.get(id) : await gameNamed(nameOrFile);
  if (game !== undefined) return game;
  throw new CommandError(
    `the recording is of "${id}", which is not built in (${NAMES}): give its module by --game FILE`,
  );
}
