import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Buttons, type Game, RollbackSim, replay, seededBot } from '@riposte/client';
import { WIRE_VERSION } from '@riposte/shared/protocol';
import { build } from 'vite';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { run } from '../../client/src/cli/run.js';
import { FORMAT_VERSION } from '../../shared/src/recording/format.js';
import { settingsHelp } from '../../signaling/src/config.js';
import { allDocuments, brokenLinks, commandsOf, root } from '../docs/markdown.js';

const LINES_MAX = 30;

const documents = allDocuments();
const readme = documents[0]!;
const pages = documents.filter(({ snippets }) => snippets.length > 0);

// Outside the repository, as an author's own folder is; only the packages are found as they are here.
const folder = mkdtempSync(join(tmpdir(), 'riposte-docs-'));
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
const folderOf = (path: string): string => join(folder, path.replace(/\.md$/, '').replaceAll('/', '-'));
for (const { path, snippets } of pages) {
  mkdirSync(folderOf(path));
  const own = new Set(snippets.map(({ file }) => file));
  for (const { file, text } of [...readme.snippets.filter(({ file }) => !own.has(file)), ...snippets]) {
    writeFileSync(join(folderOf(path), file), text);
  }
}
afterAll(() => rmSync(folder, { recursive: true }));

const load = (path: string, file: string): Promise<unknown> => import(/* @vite-ignore */ join(folderOf(path), file));

/** The README's game, or a failure: the compiler cannot know what a file holds that was just written. */
async function loadTag(): Promise<Game<unknown, Buttons<'left' | 'right' | 'up' | 'down'>>> {
  const loaded = await load('README.md', 'game.ts');
  if (typeof loaded !== 'object' || loaded === null || !('default' in loaded)) throw new Error('no default export');
  return loaded.default as Game<unknown, Buttons<'left' | 'right' | 'up' | 'down'>>;
}

describe('the documents', () => {
  it('have snippets that the strict compiler takes', () => {
    const config = join(folder, 'tsconfig.json');
    const compilerOptions = {
      noEmit: true,
      composite: false,
      declaration: false,
      declarationMap: false,
      allowJs: true,
      checkJs: true,
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: ['node'],
      customConditions: ['source'],
    };
    const include = ['*/*.ts', '*/*.js', join(root, 'client/src/**/*.d.ts'), join(root, 'test/docs/*.d.ts')];
    writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, include }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', config], { cwd: folder, encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it.each(pages.filter(({ snippets }) => snippets.some(({ file }) => file === 'index.html')))(
    'have a page that bundles without settings: $path',
    async ({ path }) => {
      const built = await build({
        root: folderOf(path),
        configFile: false,
        logLevel: 'silent',
        resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
        build: { write: false },
      });
      if (!('output' in built)) throw new Error('expected one bundle');
      const names = built.output.map(({ fileName }) => fileName);
      expect(names).toContain('index.html');
      expect(names.some((name) => name.endsWith('.js'))).toBe(true);
    },
  );

  it.each(documents)('have links that lead somewhere: $path', (document) => {
    expect(brokenLinks(document)).toEqual([]);
  });

  it('name commands and flags that the riposte command has', async () => {
    const print = vi.spyOn(console, 'info').mockImplementation(() => undefined);
    const io = {
      out: () => undefined,
      err: () => undefined,
      errIsTerminal: false,
      stop: () => new AbortController().signal,
    };
    const helpOf = async (...args: string[]): Promise<string> => {
      // Its flags are the server's settings.
      if (args[0] === 'serve') return settingsHelp();
      print.mockClear();
      await run([...args, '--help'], io);
      return print.mock.calls.flat().join('\n');
    };
    const general = await helpOf();
    const problems: string[] = [];
    for (const document of documents) {
      for (const { words, flags } of commandsOf(document, 'npx riposte')) {
        const [command = ''] = /^[a-z]*/.exec(words) ?? [];
        if (command === '') continue;
        const help = new RegExp(`^  ${command} `, 'm').test(general) ? await helpOf(command) : '';
        if (help === '') problems.push(`${document.path}: npx riposte ${command}`);
        for (const flag of flags) {
          if (!new RegExp(`${flag}\\b`).test(help)) problems.push(`${document.path}: npx riposte ${command} ${flag}`);
        }
      }
    }
    print.mockRestore();
    expect(general).toContain('peer');
    expect(problems).toEqual([]);
  });

  it('name scripts that the repository has, and settings that the server has', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const settings = `${settingsHelp()} --help`;
    for (const document of documents) {
      for (const { words } of commandsOf(document, 'npm run')) expect(scripts).toHaveProperty(words.split(' ')[0]!);
      for (const { flags } of commandsOf(document, 'npm start')) {
        for (const flag of flags) expect(settings).toContain(flag);
      }
    }
  });

  it('mark the versions of wire and recording in the changelog', () => {
    const { text } = documents[1]!;
    expect(text).toContain(`**Wire** version ${WIRE_VERSION}`);
    expect(text).toContain(`**Format** version ${FORMAT_VERSION}`);
  });

  it('show a picture that is small enough to load at once', () => {
    const file = join(root, 'docs/images/match.png');
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file).length).toBeLessThan(150_000);
  });
});

describe("the README's game", () => {
  it(`has at most ${LINES_MAX} lines, page and all`, () => {
    const code = readme.snippets.map(({ text }) => text.replace('\nexport {};\n', '')).join('');
    expect(code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(LINES_MAX);
    expect(code.match(/joinMatch\(/g)).toHaveLength(1);
  });

  it('equals a replay in every frame when half of the inputs come late, and is a game', async () => {
    const tag = await loadTag();
    const frames = 900;
    const bots = [seededBot(tag.input, 1), seededBot(tag.input, 2)];
    const inputs = Array.from({ length: frames }, () =>
      bots.map((bot) => {
        const { left, right, up, down } = bot();
        return { left: left === true, right: right === true, up: up === true, down: down === true };
      }),
    );

    const sim = new RollbackSim(tag, { seed: 3, history: 1024 });
    const lateBy = (frame: number): number => (frame * 7) % 6;
    for (let frame = 0; frame < frames; frame++) {
      sim.predictStep({ 0: inputs[frame]![0]! });
      for (let sent = Math.max(0, frame - 6); sent <= frame; sent++) {
        if (sent + lateBy(sent) === frame) sim.applyRemote(1, sent, inputs[sent]![1]!);
      }
    }
    for (let sent = frames - 6; sent < frames; sent++) sim.applyRemote(1, sent, inputs[sent]![1]!);
    expect(sim.confirmedFrame).toBe(frames - 1);
    expect(sim.stats.rollbacks).toBeGreaterThan(50);

    const hashes: number[] = [];
    replay(tag, inputs, { seed: 3, onState: (_frame, state) => hashes.push(tag.state.hash(state)) });
    expect(hashes.map((_, frame) => sim.hashAt(frame))).toEqual(hashes);
    expect(new Set(hashes).size).toBeGreaterThan(frames * 0.9);
  });

  it('ends with a winner', async () => {
    const tag = await loadTag();
    const idle = Array.from({ length: 1300 }, () => [{}, {}]);
    expect([0, 1]).toContain(tag.over?.(replay(tag, idle, { seed: 3 })));
  });
});

// Marked `run`: test files bring their own tests, anything else must come to its end.
for (const { path, snippets } of pages) {
  for (const { file, runs } of snippets) {
    if (!runs) continue;
    if (file.endsWith('.test.ts')) describe(`${path}, ${file}`, async () => void (await load(path, file)));
    else it(`${path}, ${file} runs to its end`, async () => void (await load(path, file)));
  }
}
