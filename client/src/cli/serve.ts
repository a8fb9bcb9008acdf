import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { type Command, CommandError, ExitCode } from './command.js';

/** The server's process; the package is another one, for most games need no server of their own. */
const SERVER = '@riposte/signaling/main';

/** Runs a program of Node with these flags on this terminal; gives its exit code. */
export type Launch = (file: string, flags: readonly string[]) => Promise<number>;

/**
 * The `serve` command: the signaling server in a process of its own, with the flags as they were typed.
 *
 * @param from the file or address beside which the server is installed.
 */
export function serveCommand(launch: Launch, from: string = import.meta.url): Command {
  return {
    usage: 'serve',
    description: "Run the server: --port N, --pages DIR for a game's own pages; serve --help shows every setting",
    options: [],
    passesFlags: true,
    async run({ args }) {
      const code = await launch(locate(from), args);
      // The server says 1 for a setting that it cannot use, or a port that is taken.
      return code === 0 ? ExitCode.ok : ExitCode.usage;
    },
  };
}

/** @throws CommandError when it is not installed beside this package. */
function locate(from: string): string {
  try {
    return createRequire(from).resolve(SERVER);
  } catch {
    throw new CommandError(
      'the server is not installed; expected the package @riposte/signaling: npm install it first',
    );
  }
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** A child process on this terminal. It gets the signals that ask this one to stop, and ends by itself. */
export const launchNode: Launch = (file, flags) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...flags], { stdio: ['ignore', 'inherit', 'inherit'] });
    // A terminal tells both of Ctrl-C, a process manager only this one; the server takes the two for one.
    const pass = (signal: NodeJS.Signals) => void child.kill(signal);
    for (const signal of SIGNALS) process.on(signal, pass);
    const settle = () => {
      for (const signal of SIGNALS) process.off(signal, pass);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('exit', (code) => {
      settle();
      resolve(code ?? 1);
    });
  });
