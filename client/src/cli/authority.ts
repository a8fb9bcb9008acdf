import { writeFile } from 'node:fs/promises';
import { hashText } from '@riposte/shared';
import { transportChoices } from '@riposte/shared/protocol';
import type { AuthorityEvent } from '../authority/authority-types.js';
import type { HostAuthorityOptions, HostedMatch, HostStatus } from '../authority/host-authority.js';
import type { WebRtc } from '../transport/simple-peer.js';
import { type Command, CommandError, ExitCode } from './command.js';
import { fileProblem } from './files.js';
import type { AnyGame } from './games.js';
import { type Io, printJson } from './io.js';
import { FRAMES_MAX, gameOf, outputFileOf, serverOf, webRtcOf } from './match-options.js';

/** The world around an authority, so that the command can be tried without a network. */
export interface AuthorityServices {
  host(game: AnyGame, options: HostAuthorityOptions<unknown, unknown>): Promise<HostedMatch>;
  /** The WebRTC of this machine. Rejects when it is not installed. */
  webRtc(): Promise<WebRtc>;
}

function wordsFor(event: AuthorityEvent): string {
  switch (event.type) {
    case 'joined':
      return `player ${event.player} is here: ${event.name || 'without a name'}`;
    case 'running':
      return 'the match begins';
    case 'interrupted':
      return `player ${event.player} is not heard`;
    case 'back':
      return `player ${event.player} is heard again`;
    case 'gone':
      return `player ${event.player} is gone`;
    case 'ended':
      return event.message;
  }
}

function report(io: Io, { frame, hash, players, cause, reason }: HostStatus): void {
  io.out(`${frame} frames, final hash ${hashText(hash)}\n`);
  for (const { name, missed, late, refused, slackMs } of players) {
    const early = slackMs.p50 === null ? '' : `, inputs ${Math.round(slackMs.p50)} ms early in the middle`;
    io.out(`${name || 'a player'}: ${missed} frames without input, ${late} late, ${refused} refused${early}\n`);
  }
  if (reason !== null && cause !== 'finished') io.err(`${reason}\n`);
}

async function writeRecording(match: HostedMatch, file: string): Promise<void> {
  const bytes = match.recording();
  if (bytes === undefined) return;
  try {
    await writeFile(file, bytes);
  } catch (error) {
    throw new CommandError(`the recording could not be written to ${file}: ${fileProblem(error)}`);
  }
}

/** The `authority` command over these services. */
export function authorityCommand(services: AuthorityServices): Command {
  return {
    usage: 'authority',
    description: 'Run a match that this process has the last word in, and serve its players',
    options: [
      ['--server <url>', 'The signaling server, http://HOST:PORT'],
      ['--create', 'Open a room, and print its code first (always done)'],
      ['--game <game>', 'A built-in game, or the .ts or .js module of one'],
      ['--rate <n>', 'Updates a second for each player (default: 20)'],
      ['--frames <n>', 'End the match after so many frames'],
      ['--transport <name>', 'How the players connect to it: simple-peer or peerjs'],
      ['--record <file>', 'Write the recording there'],
      ['--json', 'The room first, and at the end the status, each as one JSON object on a line of stdout'],
    ],
    async run({ options, io }) {
      const game = await gameOf(options);
      const server = serverOf(options);
      const frames = options.integer('frames', 1, FRAMES_MAX);
      const updatesPerSecond = options.integer('rate', 1, game.tickRate);
      const transport = options.choice('transport', transportChoices);
      const recordFile = await outputFileOf(options, 'record');
      const wrtc = await webRtcOf(services);
      const isJson = options.has('json');
      const match = await services.host(game, {
        server,
        wrtc,
        signal: io.stop(),
        frames,
        updatesPerSecond,
        ...(transport !== undefined && { transport }),
        onRoom({ code, link }) {
          if (isJson) printJson(io, { room: code, link });
          else io.out(`room ${code}\n${link}\n`);
        },
        onEvent(event) {
          if (io.errIsTerminal) io.err(`${wordsFor(event)}\n`);
        },
      });
      const status = await match.ended;
      if (recordFile !== undefined) await writeRecording(match, recordFile);
      if (isJson) printJson(io, status);
      else report(io, status);
      // A match without a number of frames is ended by the user, and that is as asked too.
      const isAsAsked = status.cause === 'finished' || (frames === undefined && status.cause === 'left');
      return isAsAsked ? ExitCode.ok : ExitCode.different;
    },
  };
}
