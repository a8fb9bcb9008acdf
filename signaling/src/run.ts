import { ConfigError, loadConfig, settingsHelp } from './config.js';
import { drainOnSignals } from './drain.js';
import { type RunningServer, startServer } from './server.js';

/**
 * The server as a process: reads its settings, prints where it is, drains on SIGTERM or SIGINT and exits 0. A setting
 * that cannot be used, or a port that is taken, is told in a sentence and exits 1.
 *
 * @param argv flags, without the program's name.
 */
export async function runServer(
  argv: readonly string[] = process.argv.slice(2),
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<void> {
  if (argv.includes('--help')) {
    process.stdout.write(`${settingsHelp()}\n`);
    return;
  }
  let server: RunningServer;
  try {
    server = await startServer(loadConfig(env, argv));
  } catch (error) {
    process.stderr.write(`Riposte could not start: ${explain(error)}\n`);
    process.exitCode = 1;
    return;
  }
  process.stdout.write(`Riposte is running: ${server.url}\n`);
  drainOnSignals(process, {
    drain: () => server.drain(),
    exit: (code) => process.exit(code),
    onDrain: () => process.stdout.write('Stopping: pairings under way may finish. Press Ctrl-C again to end now.\n'),
    now: () => performance.now(),
  });
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Error && 'code' in error) {
    if (error.code === 'EADDRINUSE') return 'the port is in use: stop what runs there, or choose another with PORT.';
    if (error.code === 'EACCES') return 'this port needs more rights: choose one above 1023 with PORT.';
    if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') return 'HOST is no address of this machine.';
  }
  return error instanceof Error ? error.message : String(error);
}
