import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Command, CommandError, ExitCode } from './command.js';
import { fileProblem } from './files.js';

/** This package: what the game is written from. */
const packageDir = fileURLToPath(new URL('../..', import.meta.url));

/** What the template calls the game; it stands in for the real name. */
const PLACEHOLDER = 'my-game';

/** Where the library is: what the shared files import, and what stands in for it where there is no bundler. */
const LIBRARY = { bundled: "'@riposte/client'", plain: "'./riposte.js'" } as const;

/** What a package's name may be, and what is shown and typed without trouble. */
const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Brings the packages that a game in `folder` needs, if need be, and gives the version or place of each. */
export type Supply = (folder: string) => Promise<Readonly<Record<string, string>>>;

/** The `new` command: a small game with its page and tests, ready to be changed. */
export function newCommand(supply: Supply): Command {
  return {
    usage: 'new <folder>',
    description: 'Write a small playable game with tests into a new folder',
    options: [['--plain', 'JavaScript without a bundler, the library as one file']],
    async run({ args, options, io }) {
      const typed = args[0] ?? '';
      const folder = resolve(typed);
      const name = basename(folder);
      if (!NAME.test(name)) {
        throw new CommandError(
          `"${name}" cannot name a game; expected up to 64 lower-case letters, digits and dashes, such as ${PLACEHOLDER}`,
        );
      }
      await requireEmpty(typed, folder);
      const isPlain = options.has('plain');
      await cp(join(packageDir, 'template', isPlain ? 'plain' : 'vite'), folder, { recursive: true });
      await copyCommon(folder, isPlain);
      // Under its own name npm would leave it out of the package.
      await rename(join(folder, 'gitignore'), join(folder, '.gitignore'));
      await nameFiles(folder, name);
      if (isPlain) await cp(join(packageDir, 'dist', 'riposte.js'), join(folder, 'public', 'riposte.js'));
      await depend(folder, await supply(folder));
      const where = relative('', folder);
      io.out(`${name} is written. Next:\n`);
      for (const step of [...(where === '' ? [] : [`cd ${where}`]), 'npm install', 'npm test', 'npm run dev']) {
        io.out(`  ${step}\n`);
      }
      return ExitCode.ok;
    },
  };
}

/** @throws CommandError when something is there already. */
async function requireEmpty(typed: string, folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    throw new CommandError(`${typed} cannot become a folder: ${fileProblem(error)}`);
  }
  throw new CommandError(`${typed} is not empty; expected a folder that is new or empty`);
}

/** The game and its page, the same for both kinds: TypeScript without a word that JavaScript lacks. */
async function copyCommon(folder: string, isPlain: boolean): Promise<void> {
  const from = join(packageDir, 'template', 'common');
  const to = join(folder, isPlain ? 'public' : 'src');
  for (const file of await readdir(from)) {
    const text = await readFile(join(from, file), 'utf8');
    if (!isPlain) await writeFile(join(to, file), text);
    else await writeFile(join(to, file.replace(/\.ts$/, '.js')), text.replaceAll(LIBRARY.bundled, LIBRARY.plain));
  }
}

async function nameFiles(folder: string, name: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll(PLACEHOLDER, name));
  }
}

async function depend(folder: string, dependencies: Readonly<Record<string, string>>): Promise<void> {
  const file = join(folder, 'package.json');
  const manifest: object = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, `${JSON.stringify({ ...manifest, dependencies }, undefined, 2)}\n`);
}

/**
 * The packages of this very version: from the registry when this one is installed; out of a clone of the repository they
 * are packed into the game's `vendor` folder, so that it can be moved anywhere.
 */
export const supplyOwn: Supply = async (folder) => {
  const version = await ownVersion();
  if (packageDir.includes(`${sep}node_modules${sep}`)) {
    return { '@riposte/client': `^${version}`, '@riposte/signaling': `^${version}` };
  }
  const vendor = join(folder, 'vendor');
  await mkdir(vendor);
  try {
    const pack = ['pack', '--workspaces', '--pack-destination', vendor];
    // On Windows npm is a script, which only a shell runs.
    await promisify(execFile)('npm', pack, { cwd: join(packageDir, '..'), shell: process.platform === 'win32' });
  } catch (error) {
    throw new CommandError(`the packages cannot be packed by npm: ${fileProblem(error)}`);
  }
  const place = (part: string): string => `file:vendor/riposte-${part}-${version}.tgz`;
  return Object.fromEntries(['client', 'shared', 'signaling'].map((part) => [`@riposte/${part}`, place(part)]));
};

async function ownVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}
