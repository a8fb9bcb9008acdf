import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A fenced block. Behind its language the fence may name the file that it is, and say `run`: ` ```ts game.test.ts run`.
 * Blocks of one document lie in one folder, where the README's named files are too unless the document has its own.
 */
export interface Snippet {
  readonly file: string;
  readonly text: string;
  readonly runs: boolean;
}

export interface Document {
  /** From the repository's root: `docs/quick-start.md`. */
  readonly path: string;
  readonly text: string;
  readonly snippets: readonly Snippet[];
}

const LANGUAGES = ['ts', 'js', 'html'];
const FENCE = /^```([a-z]*)([^\n]*)\n([\s\S]*?)^```$/gm;

function snippetsOf(text: string): Snippet[] {
  const snippets: Snippet[] = [];
  for (const [, language = '', rest = '', code = ''] of text.matchAll(FENCE)) {
    if (!LANGUAGES.includes(language)) continue;
    const words = rest.split(' ').filter((word) => word !== '');
    const named = words.find((word) => word !== 'run');
    const file = named ?? `snippet-${snippets.length + 1}.${language}`;
    if (snippets.some((other) => other.file === file))
      throw new Error(`${file} is there twice; expected once a document`);
    // A block without imports is a module too.
    snippets.push({ file, text: language === 'html' ? code : `${code}\nexport {};\n`, runs: words.includes('run') });
  }
  return snippets;
}

function documentAt(path: string): Document {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, text, snippets: snippetsOf(text) };
}

/** The README, the changelog and every page of `docs/`. */
export function allDocuments(): Document[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'))
    .sort();
  return ['README.md', 'CHANGELOG.md', ...docs].map(documentAt);
}

/** A heading's anchor, as the usual viewers make it. */
function anchorOf(heading: string): string {
  const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return plain.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
}

function anchorsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8').replaceAll(FENCE, '');
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading.trim()));
}

/** The relative links of a document that lead nowhere. */
export function brokenLinks({ path, text }: Document): string[] {
  const prose = text.replaceAll(FENCE, '').replaceAll(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [file = '', anchor] = target.split('#');
    const full = file === '' ? join(root, path) : join(root, dirname(path), file);
    if (!existsSync(full)) return true;
    return anchor !== undefined && !anchorsOf(full).includes(anchor);
  });
}

/** What a document tells its reader to type after `program`: each with the flags that follow it. */
export function commandsOf(
  { text }: Document,
  program: string,
): { readonly words: string; readonly flags: string[] }[] {
  const calls = text.matchAll(new RegExp(`${program}\\b([^\`\\n|<]*)`, 'g'));
  return [...calls].map(([, rest = '']) => ({
    words: rest.trim(),
    flags: rest.match(/(?<= )--[a-z][a-z-]*/g) ?? [],
  }));
}
