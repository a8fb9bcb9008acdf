import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { launchFirefox } from '../real/firefox.js';
import { launchChromium } from '../real/stage.js';
import { PROGRAM } from './bundle.js';
import type { Results } from './program.js';

const run = promisify(execFile);

/** How long an engine may take for the program: all take less than two seconds on an idle machine. */
const RUN_MS_MAX = 60_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** What one engine answered. */
export interface Answer {
  /** Its own word for what it is, as far as it has one. */
  readonly version: string;
  readonly text: string;
}

/** A JavaScript engine that can run the program. */
export interface Engine {
  readonly name: string;
  readonly family: 'V8' | 'SpiderMonkey' | 'JavaScriptCore';
  /** False only where `npm test` has found that it is not there. */
  readonly isHere: boolean;
  run(script: string): Promise<Answer>;
}

function isHere(variable: string): boolean {
  return process.env[`RIPOSTE_HAS_${variable}`] !== 'false';
}

/** Runs the script as a file, with a last line that prints its result. */
async function runAsFile(program: string, script: string, print: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'riposte-engine-'));
  try {
    const file = join(folder, 'program.js');
    await writeFile(file, `${script}\n${print}(${PROGRAM}.text);\n`);
    const { stdout } = await run(program, [file], { timeout: RUN_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function versionOf(program: string): Promise<string> {
  const { stdout } = await run(program, ['--version'], { timeout: RUN_MS_MAX });
  return stdout.trim();
}

const gjs = process.env['GJS'] ?? 'gjs';
const jsc = process.env['JSC'] ?? 'jsc';

/** Other releases of Node, as a list of programs. */
const otherNodes = (process.env['NODES'] ?? '').split(delimiter).filter((path) => path !== '');

function nodeAt(path: string, name: string): Engine {
  return {
    name,
    family: 'V8',
    isHere: true,
    run: async (script) => ({ version: await versionOf(path), text: await runAsFile(path, script, 'console.log') }),
  };
}

export const engines: readonly Engine[] = [
  nodeAt(process.execPath, 'Node'),
  ...otherNodes.map((path) => nodeAt(path, `Node at ${path}`)),
  {
    name: 'Chromium',
    family: 'V8',
    isHere: isHere('CHROMIUM'),
    run: async (script) => {
      const browser = await launchChromium();
      try {
        const page = await browser.newPage();
        return { version: browser.version(), text: await page.evaluate<string>(`${script}\n${PROGRAM}.text`) };
      } finally {
        await browser.close();
      }
    },
  },
  {
    name: 'Firefox',
    family: 'SpiderMonkey',
    isHere: isHere('FIREFOX'),
    run: async (script) => {
      const browser = await launchFirefox();
      try {
        const page = await browser.newPage();
        // A script's last value: the driver cannot know its type.
        const text = (await page.evaluate(`${script}\n${PROGRAM}.text`)) as string;
        return { version: await browser.version(), text };
      } finally {
        await browser.close();
      }
    },
  },
  {
    name: 'gjs',
    family: 'SpiderMonkey',
    isHere: isHere('GJS'),
    run: async (script) => ({ version: await versionOf(gjs), text: await runAsFile(gjs, script, 'print') }),
  },
  {
    name: 'jsc',
    family: 'JavaScriptCore',
    isHere: isHere('JSC'),
    run: async (script) => ({ version: 'its own shell', text: await runAsFile(jsc, script, 'print') }),
  },
];

/** Reads what the program printed. */
export function resultsOf(answer: Answer): Results {
  return JSON.parse(answer.text);
}
