import { type Io, stopOnSignal } from './io.js';
import { run } from './run.js';

// `riposte export ... | head` closes the pipe early: nobody is left to write to, and that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));

const io: Io = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  errIsTerminal: process.stderr.isTTY === true,
  stop: stopOnSignal(process),
};

const exitCode = await run(process.argv.slice(2), io);
// Open peer connections keep the process alive: it is ended once everything has been written.
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)));
