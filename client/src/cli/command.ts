import type { Io } from './io.js';
import type { Options } from './options.js';

/** What the shell gets: done or equal; a difference, a desync or a lost peer; not usable. */
export const ExitCode = { ok: 0, different: 1, usage: 2 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** One call of a command. */
export interface Call {
  /** As many as the usage names, the optional ones perhaps not; all that was typed where the flags are passed on. */
  readonly args: readonly string[];
  readonly options: Options;
  readonly io: Io;
}

/** One command of `riposte`. */
export interface Command {
  /** Its name and arguments, as the help shows them: `diff <a> <b>`. */
  readonly usage: string;
  readonly description: string;
  /** Each with its value, if it takes one, and what it is for. */
  readonly options: readonly (readonly [flag: string, description: string])[];
  /** Its flags, `--help` too, are another program's to read. */
  readonly passesFlags?: true;
  run(call: Call): Promise<ExitCode>;
}

/** A call that cannot be carried out. The message is a sentence that says what was given and what was expected. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
