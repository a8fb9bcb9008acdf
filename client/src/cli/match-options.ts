import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import type { WebRtc } from '../transport/simple-peer.js';
import { CommandError } from './command.js';
import { fileProblem } from './files.js';
import { type AnyGame, gameNamed } from './games.js';
import type { Options } from './options.js';

/** Half a year at 60 Hz. */
export const FRAMES_MAX = 1_000_000_000;

export function serverOf(options: Options): string {
  const server = options.text('server');
  if (server === undefined) throw new CommandError('--server is not given; expected its address, http://HOST:PORT');
  const { protocol } = URL.canParse(server) ? new URL(server) : { protocol: '' };
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new CommandError(`--server is "${server}"; expected an address such as http://localhost:8080`);
  }
  return server;
}

/** The file that `--name` asks to be written. Finds out before the match, not after it, that there is no place for it. */
export async function outputFileOf(options: Options, name: 'record' | 'report'): Promise<string | undefined> {
  const file = options.text(name);
  if (file === undefined) return undefined;
  const existing = await stat(file).catch(() => undefined);
  if (existing?.isDirectory()) throw new CommandError(`--${name} is "${file}", which is a folder; expected a file`);
  const place = existing === undefined ? dirname(resolve(file)) : file;
  try {
    // With a separator at its end it must be a folder.
    await access(existing === undefined ? place + sep : place, constants.W_OK);
  } catch (error) {
    throw new CommandError(`--${name} is "${file}", and ${place} cannot be used: ${fileProblem(error)}`);
  }
  return file;
}

export async function gameOf(options: Options): Promise<AnyGame> {
  const name = options.text('game');
  if (name === undefined) throw new CommandError('--game is not given; expected a built-in game or a game file');
  return gameNamed(name);
}

export async function webRtcOf(services: { webRtc(): Promise<WebRtc> }): Promise<WebRtc> {
  try {
    return await services.webRtc();
  } catch {
    throw new CommandError('WebRTC for Node is missing: install the package @roamhq/wrtc, and try again');
  }
}
