import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { BANS } from '../desync/forbidden.js';
import { determinism } from './index.js';

const PLUGIN = fileURLToPath(new URL('../../lint/determinism.grit', import.meta.url));
const BIOME = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

interface Report {
  readonly diagnostics: readonly {
    readonly message: string;
    readonly location: { readonly start: { readonly line: number } };
  }[];
}

/** What Biome says about each line of a game's source, with the plugin and no other rule. */
function biomeOn(lines: readonly string[]): string[][] {
  const folder = mkdtempSync(join(tmpdir(), 'riposte-lint-'));
  try {
    writeFileSync(join(folder, 'game.ts'), lines.join('\n'));
    writeFileSync(
      join(folder, 'biome.json'),
      JSON.stringify({ root: true, plugins: [PLUGIN], linter: { rules: { preset: 'none' } } }),
    );
    const args = [BIOME, 'lint', '--reporter=json', '--max-diagnostics=none', '.'];
    let out = '';
    try {
      out = execFileSync(execPath, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    } catch (error) {
      // Findings make it exit with 1; what it found is on stdout as ever.
      if (!(error instanceof Error && 'stdout' in error)) throw error;
      out = String(error.stdout);
    }
    const report: Report = JSON.parse(out.slice(out.indexOf('{')));
    const found = lines.map((): string[] => []);
    for (const { message, location } of report.diagnostics) found[location.start.line - 1]?.push(message);
    return found;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A line of a game, and a word of what must be said about it. */
const BAD: readonly (readonly [line: string, word: string])[] = [
  ['let counter = 0;', 'a variable outside the state'],
  ['export let phase: number;', 'a variable outside the state'],
  ['export const power = (x: number) => x ** 2;', 'pow'],
  ['export function grow(x: number): number { x **= 3; return x; }', 'pow'],
  ['export const wave = (x: number) => Math.sin(x);', 'same name'],
  ['const table = [1, 2, 3].map((x) => Math.atan2(x, 1));', 'same name'],
  ['export const bits = (x: number) => Math.log2(x);', 'exp or log'],
  ['export const chance = () => Math.random();', 'random() field'],
  ["export const hidden = (x: number) => Math['cos'](x);", 'by their names'],
  ['const { tan } = Math;', 'by their names'],
  ['export const now = () => Date.now();', 'clock'],
  ['export const later = () => new Date();', 'clock'],
  ['export const time = () => performance.now();', 'clock'],
  ['export const wait = () => setTimeout(() => {}, 5);', 'timers'],
  ["export const load = () => fetch('/level');", 'ends before it returns'],
  ['export const soon = () => Promise.resolve();', 'ends before it returns'],
  ['export const id = () => crypto.randomUUID();', 'random() field'],
  ['export const order = (a: string, b: string) => a.localeCompare(b);', 'depends on the machine'],
  ["export const text = (score: number) => score.toLocaleString('de');", 'depends on the machine'],
  ["export const format = () => new Intl.NumberFormat('de');", 'depends on the machine'],
];

const GOOD: readonly string[] = [
  'const SPEED = 3 * 4;',
  'export function step(x: number): number {',
  '  let y = Math.sqrt(x) + Math.floor(x) + Math.imul(x, 3);',
  '  for (let i = 0; i < 3; i++) y *= i;',
  "  const sign = '**='; y -= sign.length; y = y == 3 ? SPEED : 2;",
  '  const state = { since: 1, Date: 2, log: Math.PI }; return y + state.since + state.Date + state.log;',
  '}',
  'export const double = (x: number) => { let y = x; y += x; return y; };',
];

describe("the lint rules for a game's files", () => {
  it('for Biome: each thing that differs is found where it stands', () => {
    const found = biomeOn(BAD.map(([line]) => line));
    for (const [index, [line, word]] of BAD.entries()) {
      expect(found[index], line).toHaveLength(1);
      expect(found[index]![0], line).toContain(word);
    }
  });

  it('for Biome: what every engine computes alike is left alone', () => {
    expect(biomeOn(GOOD).flat()).toEqual([]);
  });

  it('for ESLint and for Biome name everything that the guard refuses', () => {
    const forEslint = JSON.stringify(determinism);
    const forBiome = readFileSync(PLUGIN, 'utf8');
    for (const { owner, names } of BANS) {
      // Objects and classes that are banned as a whole, and methods of promises, which need one to begin with.
      const whole = /^(Date|Promise|performance|Temporal|crypto|Intl)\b/.exec(owner)?.[0];
      for (const name of whole === undefined ? names : [whole]) {
        expect(forEslint, `${owner}.${name}`).toContain(`${name}`);
        expect(forBiome, `${owner}.${name}`).toMatch(new RegExp(`\\b${name}\\b`));
      }
    }
  });

  it('for ESLint: the operator ** is banned in both its forms', () => {
    const selectors = determinism.rules['no-restricted-syntax'].slice(1).map((rule) => JSON.stringify(rule));
    expect(selectors.filter((rule) => rule.includes('**'))).toHaveLength(2);
  });
});
