import { CommandError } from './command.js';

/**
 * The values of a command line's options, as they were typed: the parser that checks the names turns what looks like
 * a number into one, and a room code such as `2E4567` would not survive that.
 */
export class Options {
  readonly #argv: readonly string[];

  constructor(argv: readonly string[]) {
    const end = argv.indexOf('--');
    this.#argv = end < 0 ? argv : argv.slice(0, end);
  }

  /** Whether `--name` was given, with or without a value. */
  has(name: string): boolean {
    return this.#argv.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  }

  /** The value of `--name`, or undefined when it is not given. Throws when it is given twice or without a value. */
  text(name: string): string | undefined {
    const values: string[] = [];
    for (const [at, arg] of this.#argv.entries()) {
      if (arg.startsWith(`--${name}=`)) values.push(arg.slice(name.length + 3));
      else if (arg === `--${name}`) values.push(this.#argv[at + 1] ?? '');
    }
    if (values.length > 1) throw new CommandError(`--${name} is given ${values.length} times; expected once`);
    if (values[0] === '') throw new CommandError(`--${name} is given without a value`);
    return values[0];
  }

  /** The value of `--name` as an integer from `min` to `max`. */
  integer(name: string, min: number, max: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      throw new CommandError(`--${name} is "${text}"; expected an integer from ${min} to ${max}`);
    }
    return value;
  }

  /** The value of `--name` as one of these words. */
  choice<const T extends string>(name: string, choices: readonly T[]): T | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new CommandError(`--${name} is "${text}"; expected ${choices.join(' or ')}`);
    return choice;
  }
}
