import { writeFile } from 'node:fs/promises';
import { hashText, PLAYERS_MAX } from '@riposte/shared';
import { race, race4 } from '@riposte/shared/games';
import { transportChoices } from '@riposte/shared/protocol';
import type { JoinAuthorityOptions } from '../authority/join-authority.js';
import { seededBot } from '../input/bot.js';
import type { Desync, JoinOptions, Match, MatchStatus, Phase } from '../match/match.js';
import { MatchError } from '../match/match-error.js';
import { blankStatus } from '../match/status.js';
import type { WatchMatchOptions } from '../match/watch.js';
import { INPUT_DELAY_MAX, WATCH_DELAY_MAX } from '../session/delays.js';
import type { WebRtc } from '../transport/simple-peer.js';
import type { Route } from '../transport/transport.js';
import { TransportError } from '../transport/transport-error.js';
import { type Call, type Command, CommandError, ExitCode } from './command.js';
import { fileProblem } from './files.js';
import { type AnyGame, builtInGame } from './games.js';
import { type Io, printJson } from './io.js';
import { FRAMES_MAX, gameOf, outputFileOf, serverOf, webRtcOf } from './match-options.js';
import type { Options } from './options.js';

/** The world around a headless match, so that the command can be tried without a network. */
export interface PeerServices {
  join(game: AnyGame, options: JoinOptions<unknown, unknown>): Promise<Match<unknown, unknown>>;
  joinAuthority(game: AnyGame, options: JoinAuthorityOptions<unknown, unknown>): Promise<Match<unknown, unknown>>;
  watch(game: AnyGame, options: WatchMatchOptions<unknown>): Promise<Match<unknown, unknown>>;
  /** The WebRTC of this machine. Rejects when it is not installed. */
  webRtc(): Promise<WebRtc>;
  pause(ms: number): Promise<void>;
}

/** How long the connection is kept after the match: the last goodbye must reach the other side before the exit. */
const LINGER_MS = 1000;

/** What the players of a match decide; an authority, or nobody, does it for those who play against one, or watch. */
const DECIDED_BY_PLAYERS = ['frames', 'transport', 'relay-only', 'desync', 'report'] as const;

/** Throws for a flag that would be ignored beside `--name`. */
function requireWithout(options: Options, name: string, others: readonly string[]): void {
  const other = others.find((each) => options.has(name) && options.has(each));
  if (other !== undefined) throw new CommandError(`--${name} and --${other} are given; expected one of them`);
}

type Meeting = { readonly room: string } | { readonly quick: true } | { readonly create: true };

function meetingOf(options: Options): Meeting {
  const given = ['room', 'create', 'quick'].filter((name) => options.has(name));
  if (given.length !== 1) {
    const what = given.length === 0 ? 'none' : given.map((name) => `--${name}`).join(' and ');
    throw new CommandError(`${what} is given; expected exactly one of --room CODE, --create and --quick`);
  }
  const room = options.text('room');
  if (room !== undefined) return { room };
  return options.has('create') ? { create: true } : { quick: true };
}

/** For how many players a new match is. */
function playersOf(options: Options): number | undefined {
  return options.integer('players', 2, PLAYERS_MAX);
}

/** The game for so many players: the race has one of its own for more than two. */
function gameFor(game: AnyGame, players = game.players): AnyGame {
  const larger = game === builtInGame(race.id) && players > game.players ? builtInGame(race4.id) : undefined;
  const { id, players: most } = larger ?? game;
  if (players > most) throw new CommandError(`--players is ${players}; expected at most ${most}, as ${id} takes`);
  return larger ?? game;
}

function delayOf(options: Options): number | 'auto' {
  return options.text('delay') === 'auto' ? 'auto' : (options.integer('delay', 0, INPUT_DELAY_MAX) ?? 'auto');
}

const desyncChoices = ['mark', 'stop', 'resync'] as const;

/** Everything that `watchMatch` is told by the command line; undefined when it is to play. */
function watchOptionsOf({ options, io }: Call): WatchMatchOptions<unknown> | undefined {
  const room = options.text('watch');
  if (room === undefined) return undefined;
  requireWithout(options, 'watch', ['room', 'create', 'quick', 'bot', 'fault', 'authority', ...DECIDED_BY_PLAYERS]);
  const delay = options.integer('delay', 0, WATCH_DELAY_MAX);
  return {
    room,
    server: serverOf(options),
    name: options.text('name') ?? 'Headless spectator',
    signal: io.stop(),
    ...(delay !== undefined && { delay }),
    onPhase(phase) {
      if (io.errIsTerminal) io.err(`${phase}\n`);
    },
  };
}

/** Everything that `joinMatch` is told by the command line. Throws before anything is connected. */
function joinOptionsOf({ options, io }: Call, game: AnyGame): JoinOptions<unknown, unknown> {
  requireWithout(options, 'authority', DECIDED_BY_PLAYERS);
  // Who hides an address must not believe that it is hidden: the match is as its creator made it.
  requireWithout(options, 'room', ['relay-only']);
  const bot = options.integer('bot', 0, 0xffffffff);
  const frames = options.integer('frames', 1, FRAMES_MAX);
  const fault = options.integer('fault', 0, FRAMES_MAX);
  const players = playersOf(options);
  const transport = options.choice('transport', transportChoices);
  const created = options.has('create');
  const json = options.has('json');
  return {
    ...meetingOf(options),
    server: serverOf(options),
    input: bot === undefined ? () => ({}) : seededBot(game.input, bot),
    inputDelay: delayOf(options),
    name: options.text('name') ?? (bot === undefined ? 'Headless peer' : `Bot ${bot}`),
    signal: io.stop(),
    ...(frames !== undefined && { frames }),
    ...(players !== undefined && { players }),
    ...(fault !== undefined && { fault }),
    ...(transport !== undefined && { transport }),
    ...(options.has('relay-only') && { relayOnly: true }),
    onRoom({ code }) {
      if (!created) return;
      if (json) printJson(io, { room: code });
      else io.out(`room ${code}\n`);
    },
    onPhase(phase) {
      if (io.errIsTerminal) io.err(`${phase}\n`);
    },
  };
}

const isOver = ({ phase }: MatchStatus) => phase === 'ended' || phase === 'failed';

/** Resolves when the match is over. */
function ending(match: Match<unknown, unknown>): Promise<void> {
  return new Promise((settle) => {
    match.on('phase', (_phase, status) => {
      if (isOver(status)) settle();
    });
    if (isOver(match.status())) settle();
  });
}

async function write(what: string, file: string, bytes: Promise<Uint8Array>): Promise<void> {
  try {
    await writeFile(file, await bytes);
  } catch (error) {
    throw new CommandError(`the ${what} could not be written to ${file}: ${fileProblem(error)}`);
  }
}

function finalHashOf(match: Match<unknown, unknown>, { confirmedFrame }: MatchStatus): number | null {
  if (confirmedFrame < 0) return null;
  try {
    return match.hashAt(confirmedFrame + 1);
  } catch {
    return null;
  }
}

/** How a match ended, as `--json` prints it. */
interface Result extends MatchStatus {
  /** The hash of the state after the last confirmed frame; null when no frame was confirmed. */
  readonly finalHash: number | null;
  /** Which way its packets took in the end, where that is known. */
  readonly route: Route | null;
}

/**
 * Plays one match to its end and writes its recording, and its report if it parted. A match that two peers could not begin has a result too;
 * a server that is away, or has no such room, throws.
 */
async function play<O extends { readonly onPhase?: (phase: Phase, status: MatchStatus) => void }>(
  services: PeerServices,
  begin: (options: O) => Promise<Match<unknown, unknown>>,
  options: O,
  files: { readonly record: string | undefined; readonly report?: string | undefined },
): Promise<Result> {
  let match: Match<unknown, unknown>;
  let last = blankStatus;
  try {
    match = await begin({
      ...options,
      onPhase(phase: Phase, status: MatchStatus) {
        last = status;
        options.onPhase?.(phase, status);
      },
    });
  } catch (error) {
    if (!(error instanceof MatchError || error instanceof TransportError)) throw error;
    return { ...last, phase: 'failed', reason: error.message, finalHash: null, route: null };
  }
  await ending(match);
  // The other side wants this one's recording too; there is none of what is not recorded.
  const report = match.status().desync === null ? undefined : await match.report().catch(() => undefined);
  const status = match.status();
  const result = { ...status, finalHash: finalHashOf(match, status), route: await match.route().catch(() => null) };
  await Promise.all([
    services.pause(LINGER_MS),
    files.record && write('recording', files.record, match.recording()),
    files.report && report && write('report', files.report, Promise.resolve(report)),
  ]);
  match.leave();
  return result;
}

function differenceOf({ path, here, there }: Desync): string {
  return path === undefined ? '' : `: ${path} ${here} here, ${there} there`;
}

function report(io: Io, status: Result): void {
  const { desync, finalHash, confirmedFrame, rollbacks, maxRollbackFrames, stalledFrames } = status;
  io.out(
    `${confirmedFrame + 1} frames confirmed, ${status.comparedFrames} compared, ${rollbacks} rollbacks of at most ` +
      `${maxRollbackFrames} frames, ${stalledFrames} stalls, final hash ${finalHash === null ? '-' : hashText(finalHash)}\n`,
  );
  if (desync !== null) io.err(`desync at frame ${desync.frame}${differenceOf(desync)}\n`);
  if (status.reason !== null && status.cause !== 'finished') io.err(`${status.reason}\n`);
}

/** Whether the match went as the command line asked. */
function endedAsAsked(status: MatchStatus, endless: boolean): boolean {
  if (status.desync !== null) return false;
  // A match without a number of frames is ended by the user, and that is as asked too.
  return status.cause === 'finished' || (endless && status.cause === 'left');
}

function tell({ options, io }: Call, result: Result, endless: boolean): ExitCode {
  if (options.has('json')) printJson(io, result);
  else report(io, result);
  return endedAsAsked(result, endless) ? ExitCode.ok : ExitCode.different;
}

/** The `peer` command over these services. */
export function peerCommand(services: PeerServices): Command {
  return {
    usage: 'peer',
    description: 'Play a match without a page, over real WebRTC',
    options: [
      ['--server <url>', 'The signaling server, http://HOST:PORT'],
      ['--room <code>', 'Join the match with this code'],
      ['--create', 'Create a match, and print its code first'],
      ['--quick', 'Join whoever wants to play now'],
      ['--watch <code>', 'Watch the match with this code, --delay frames behind (0 to 600)'],
      ['--authority', 'The room is run by riposte authority: play against it'],
      ['--players <n>', "Players of a new match, and in race of one that is joined (default: the game's own number)"],
      ['--game <game>', 'A built-in game, or the .ts or .js module of one'],
      ['--bot <seed>', 'Press seeded inputs (default: press nothing)'],
      ['--frames <n>', 'End the match after so many frames'],
      ['--record <file>', 'Write the recording there'],
      ['--delay <n>', 'Input delay in frames, 0 to 15, or auto (default: auto)'],
      ['--transport <name>', 'How the peers of a new match connect: simple-peer or peerjs'],
      ['--relay-only', "The peers of a new match meet through the server's relay, which hides their addresses"],
      ['--fault <frame>', "Alter this peer's state at that frame, to practise on a desync"],
      ['--desync <choice>', 'What the match does when it parts: mark, stop or resync (default: as the game says)'],
      ['--report <file>', 'Write the report there when the match parts'],
      ['--name <text>', 'What the other player sees'],
      ['--json', 'The final status as one JSON object, on the last line of stdout'],
    ],
    async run(call) {
      const { options } = call;
      const desync = options.choice('desync', desyncChoices);
      const game = { ...gameFor(await gameOf(options), playersOf(options)), ...(desync !== undefined && { desync }) };
      const watchOptions = watchOptionsOf(call);
      if (watchOptions !== undefined) {
        const recordFile = await outputFileOf(options, 'record');
        const wrtc = await webRtcOf(services);
        const result = await play(
          services,
          (asked) => services.watch(game, asked),
          { ...watchOptions, wrtc },
          { record: recordFile },
        );
        return tell(call, result, true);
      }
      const joinOptions = joinOptionsOf(call, game);
      const isAuthority = options.has('authority');
      if (isAuthority && joinOptions.room === undefined) {
        throw new CommandError(
          '--authority is given without --room; expected the code of a room that an authority made',
        );
      }
      const recordFile = await outputFileOf(options, 'record');
      const reportFile = await outputFileOf(options, 'report');
      const wrtc = await webRtcOf(services);
      const result = await play(
        services,
        (asked) =>
          isAuthority && asked.room !== undefined ? services.joinAuthority(game, asked) : services.join(game, asked),
        { ...joinOptions, wrtc },
        { record: recordFile, report: reportFile },
      );
      return tell(call, result, joinOptions.frames === undefined);
    },
  };
}
