import { readFileSync } from 'node:fs';
import { RiposteError } from '@riposte/shared';
import { type CAC, cac } from 'cac';
import { LobbyError } from '../lobby/lobby-error.js';
import { authorityCommand } from './authority.js';
import { type Command, CommandError, ExitCode } from './command.js';
import { diffCommand } from './diff.js';
import { exportCommand } from './export.js';
import { infoCommand } from './info.js';
import { inspectCommand } from './inspect.js';
import type { Io } from './io.js';
import { newCommand, supplyOwn } from './new.js';
import { Options } from './options.js';
import { peerCommand } from './peer.js';
import { realPeerServices } from './peer-services.js';
import { launchNode, serveCommand } from './serve.js';
import { synctestCommand } from './synctest.js';
import { verifyCommand } from './verify.js';

const COMMANDS: readonly Command[] = [
  peerCommand(realPeerServices),
  authorityCommand(realPeerServices),
  infoCommand,
  verifyCommand,
  diffCommand,
  inspectCommand,
  synctestCommand,
  exportCommand,
  serveCommand(launchNode),
  newCommand(supplyOwn),
];

function packageVersion(): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : '';
}

/** A parser that knows the commands' names, arguments and options, and runs the one that is called. */
function parserOf(commands: readonly Command[], start: (command: Command, args: readonly string[]) => void): CAC {
  const cli = cac('riposte');
  for (const command of commands) {
    const declared = cli.command(command.usage, command.description);
    for (const [flag, description] of command.options) declared.option(flag, description);
    // The parser hands the arguments over one by one, and its own idea of the options last.
    declared.action((...given: unknown[]) => {
      const args = given.slice(0, -1).filter((arg) => arg !== undefined);
      start(command, args.map(String));
    });
  }
  cli.help();
  cli.version(packageVersion());
  return cli;
}

/** The parser's own complaints, as sentences that end with what was expected. */
function usageError(cli: CAC, error: Error): CommandError {
  const command = cli.matchedCommand;
  const text = error.message.replaceAll('`', '"').replace(/^./, (first) => first.toLowerCase());
  const usage = command === undefined ? '<command>' : `${command.rawName} [options]`;
  return new CommandError(`${text}; expected: riposte ${usage} (see --help)`);
}

/** The parser also takes a flag by other spellings, `--relayOnly` or `--no-record`, which nobody would read. */
function requireKnownFlags({ options }: Command, argv: readonly string[]): void {
  const end = argv.indexOf('--');
  const known = options.map(([flag]) => flag.replace(/ .*/, ''));
  for (const arg of end < 0 ? argv : argv.slice(0, end)) {
    const flag = arg.replace(/=.*/s, '');
    if (!flag.startsWith('--') || known.includes(flag)) continue;
    throw new CommandError(`unknown option "${flag}"; expected ${known.join(', ')} (see --help)`);
  }
}

function nameOf({ usage }: Command): string {
  return usage.replace(/ .*/, '');
}

async function execute(argv: readonly string[], io: Io, commands: readonly Command[]): Promise<ExitCode> {
  const passing = commands.find((command) => command.passesFlags && nameOf(command) === argv[0]);
  if (passing !== undefined) return passing.run({ args: argv.slice(1), options: new Options([]), io });
  let running: Promise<ExitCode> | undefined;
  const cli = parserOf(commands, (command, args) => {
    requireKnownFlags(command, argv);
    running = command.run({ args, options: new Options(argv), io });
  });
  try {
    cli.parse(['node', 'riposte', ...argv]);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'CACError') throw error;
    throw usageError(cli, error);
  }
  if (running !== undefined) return running;
  const { help, version } = cli.options;
  if (help === true || version === true) return ExitCode.ok;
  const names = commands.map(nameOf).join(', ');
  const [name] = cli.args;
  throw new CommandError(
    `${name === undefined ? 'no command is given' : `there is no command "${name}"`}; expected ${names} (see --help)`,
  );
}

/**
 * Runs one command line, without the program's name, and returns the exit code. Never rejects: what goes wrong is one
 * sentence on stderr and exit code 2; with DEBUG set, the stack follows.
 */
export async function run(argv: readonly string[], io: Io, commands: readonly Command[] = COMMANDS): Promise<ExitCode> {
  try {
    return await execute(argv, io, commands);
  } catch (error) {
    const expected = error instanceof CommandError || error instanceof RiposteError || error instanceof LobbyError;
    const text = error instanceof Error ? error.message : String(error);
    io.err(`riposte: ${expected ? text : `this should not have happened: ${text}`}\n`);
    if (process.env['DEBUG'] && error instanceof Error) io.err(`${error.stack}\n`);
    return ExitCode.usage;
  }
}
