import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, CommandError, ExitCode } from './command.js';
import { readRecordingFiles } from './files.js';
import { bundleGame } from './game-bundle.js';
import { builtInGame, gameNamed } from './games.js';
import { serveInspector } from './inspect-server.js';
import type { Io } from './io.js';

/** Where the build puts the pages, seen from the command's sources as well as from what they are built to. */
const PAGES = fileURLToPath(new URL('../../dist/pages/', import.meta.url));

/** The author's game as the page can load it; null for a built-in one, which the page has. */
async function authorGame(name: string | undefined, gameId: string, io: Io): Promise<string | null> {
  if (name !== undefined) {
    const game = await gameNamed(name);
    if (game.id !== gameId) {
      throw new CommandError(`the recording is of "${gameId}", and --game is ${game.id}; expected that game`);
    }
    return builtInGame(name) === undefined ? bundleGame(name) : null;
  }
  if (builtInGame(gameId) === undefined) {
    io.err(`"${gameId}" is not built in: inputs and hashes alone are shown. Give its module by --game FILE.\n`);
  }
  return null;
}

/** Asks the system to show an address; a machine without a browser is no error, for the address is printed too. */
function openInBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '""']
        : ['xdg-open'];
  const child = spawn(command!, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

export const inspectCommand: Command = {
  usage: 'inspect <a> [b]',
  description: 'Serve the inspector page with one recording, or with those of both sides of a match or its report',
  options: [
    ['--game <game>', 'The .ts or .js module of the game (default: the built-in game of that id)'],
    ['--port <n>', 'The port to serve on (default: a free one)'],
    ['--open', 'Open the page in the browser'],
  ],
  async run({ args, options, io }) {
    const port = options.integer('port', 0, 65_535) ?? 0;
    const [first] = (await Promise.all(args.map(readRecordingFiles))).flat();
    const game = await authorGame(options.text('game'), first!.header.gameId, io);
    const files = await Promise.all(args.map(async (file) => ({ name: basename(file), bytes: await readFile(file) })));
    const server = await serveInspector(PAGES, { files, game, port });
    io.out(`${server.url}\n`);
    if (io.errIsTerminal) io.err('Ctrl-C ends this.\n');
    if (options.has('open')) openInBrowser(server.url);
    await new Promise<void>((resolve) => {
      if (io.stop().aborted) resolve();
      else io.stop().addEventListener('abort', () => resolve());
    });
    await server.close();
    return ExitCode.ok;
  },
};
