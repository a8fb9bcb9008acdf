import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type RunningServer, type ServerConfig, startServer } from '@riposte/signaling';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type {} from '../../client/src/demo/automation.js';
import type { MatchStatus, PlayerInfo } from '../../client/src/match/match.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A missing browser skips its tests, except where `npm test` has made sure that there is one. */
export const hasChromium = process.env['RIPOSTE_HAS_CHROMIUM'] !== 'false';

/**
 * A plain run plays one real match per transport and browser; with CI=true, or `THOROUGH=true`, all of them are played.
 */
export const isThorough = process.env['CI'] === 'true' || process.env['THOROUGH'] === 'true';

/** The longest trials, for which there is no time where every change is tried: only with `THOROUGH=true`. */
export const isExhaustive = process.env['THOROUGH'] === 'true';

/** A hidden machine's browser, without the services that would look for a network. */
const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How long a page may take for anything that is not the match itself. */
export const STEP_MS = 20_000;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: CHROMIUM_ARGS });
}

/** What is done to a page's context before the page is opened. */
type Preparation = (context: BrowserContext) => Promise<unknown>;

/** A server with the built pages, and a real browser in which each player has a context of their own. */
export class Stage {
  readonly server: RunningServer;
  readonly #browser: Browser;
  /** What pages complained of: an error that no test expects. */
  readonly problems: string[] = [];

  private constructor(server: RunningServer, browser: Browser) {
    this.server = server;
    this.#browser = browser;
  }

  static async open(settings: Partial<ServerConfig> = {}): Promise<Stage> {
    const local = { port: 0, host: '127.0.0.1', logLevel: 'silent', stunUrls: [] } as const;
    const server = await startServer({ ...local, ...settings });
    return new Stage(server, await launchChromium());
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.server.close();
  }

  /**
   * An empty page in a context of its own, for as long as the test that opens it: a match that goes on behind the next
   * test would slow that down.
   */
  async #newPage(width: number, height: number, prepare?: Preparation): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width, height } });
    onTestFinished(() => context.close());
    await prepare?.(context);
    const page = await context.newPage();
    page.on('pageerror', (error) => this.problems.push(String(error)));
    return page;
  }

  /** Any page of the server, such as `lab`. */
  async page(path: string, prepare?: Preparation): Promise<Page> {
    const page = await this.#newPage(900, 700, prepare);
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(message.text());
    });
    await page.goto(`${this.server.url}/${path}`);
    return page;
  }

  /** A player's page at an address such as `?create=1&bot=5`. */
  async player(search: string, prepare?: Preparation): Promise<Player> {
    const page = await this.page(search, prepare);
    await page.waitForFunction(() => 'riposte' in globalThis, undefined, { timeout: STEP_MS });
    return new Player(page);
  }

  /** A page at an address or path of the server in a window this wide, which may not even warn of anything. */
  async view(address: string, width = 1280): Promise<Page> {
    const page = await this.#newPage(width, 900);
    page.setDefaultTimeout(STEP_MS);
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.problems.push(message.text());
    });
    await page.goto(new URL(address, this.server.url).href);
    return page;
  }

  /** The page that looks into recordings. */
  async inspector(): Promise<Page> {
    const page = await this.#newPage(1280, 900);
    await page.goto(`${this.server.url}/inspect`);
    return page;
  }

  /** Two pages in one match: the first creates, the second joins by the code. */
  async pair(first: string, second: string, prepare?: Preparation): Promise<[Player, Player]> {
    const creator = await this.player(`?create=1&${first}`, prepare);
    const room = await creator.room();
    return [creator, await this.player(`?room=${room}&${second}`, prepare)];
  }
}

/** One player's page in any browser, seen through its automation hooks. */
export abstract class MatchPage {
  /** Runs a function in the page. */
  protected abstract evaluate<A, R>(read: (argument: A) => R | Promise<R>, argument: A): Promise<R>;

  /** Waits until a condition holds in the page; throws when it does not in time. */
  protected abstract until<A>(holds: (argument: A) => boolean, argument: A, timeoutMs: number): Promise<void>;

  status(): Promise<MatchStatus> {
    return this.evaluate(() => globalThis.riposte.status(), undefined);
  }

  async room(): Promise<string> {
    await this.until(() => globalThis.riposte.status().room !== null, undefined, STEP_MS);
    const { room } = await this.status();
    if (room === null) throw new Error('the page has no room');
    return room;
  }

  async reach(phase: MatchStatus['phase'], timeoutMs = STEP_MS): Promise<MatchStatus> {
    await this.#wait(phase, (wanted) => globalThis.riposte.status().phase === wanted, phase, timeoutMs);
    return this.status();
  }

  /** Waits until this page sees another player so. */
  reachPresence(player: number, presence: PlayerInfo['presence'], timeoutMs = STEP_MS): Promise<void> {
    const holds = (wanted: { player: number; presence: string }) =>
      globalThis.riposte.status().players[wanted.player]?.presence === wanted.presence;
    return this.#wait(`player ${player} ${presence}`, holds, { player, presence }, timeoutMs);
  }

  reachFrame(frame: number, timeoutMs = STEP_MS): Promise<void> {
    const holds = (wanted: number) => globalThis.riposte.status().confirmedFrame >= wanted;
    return this.#wait(`frame ${frame}`, holds, frame, timeoutMs);
  }

  /** `until`, with where the page stood in the error. */
  async #wait<A>(goal: string, holds: (argument: A) => boolean, argument: A, timeoutMs: number): Promise<void> {
    try {
      await this.until(holds, argument, timeoutMs);
    } catch (error) {
      throw new Error(`the page did not reach ${goal}: ${JSON.stringify(await this.status())}`, { cause: error });
    }
  }

  hashes(frames: readonly number[]): Promise<number[]> {
    return this.evaluate((asked) => asked.map((frame) => globalThis.riposte.hashAt(frame)), frames);
  }

  async recording(): Promise<Uint8Array> {
    return Uint8Array.from(await this.evaluate(async () => [...(await globalThis.riposte.recording())], undefined));
  }

  async report(): Promise<Uint8Array> {
    return Uint8Array.from(await this.evaluate(async () => [...(await globalThis.riposte.report())], undefined));
  }
}

/** One player's page in Chromium. */
export class Player extends MatchPage {
  readonly page: Page;

  constructor(page: Page) {
    super();
    this.page = page;
  }

  /** Ends the page as a crash does: without a goodbye of anything. */
  async kill(): Promise<void> {
    const session = await this.page.context().newCDPSession(this.page);
    // There is nobody left to answer.
    session.send('Page.crash').catch(() => undefined);
    await new Promise((resolve) => this.page.once('crash', resolve));
  }

  protected evaluate<A, R>(read: (argument: A) => R | Promise<R>, argument: A): Promise<R> {
    // The page gets a copy of the very argument: the driver's own types cannot say so for any A.
    return this.page.evaluate(read as (argument: unknown) => R | Promise<R>, argument as unknown);
  }

  protected async until<A>(holds: (argument: A) => boolean, argument: A, timeoutMs: number): Promise<void> {
    // As above.
    await this.page.waitForFunction(holds as (argument: unknown) => boolean, argument as unknown, {
      timeout: timeoutMs,
    });
  }
}

/** What a run of the `riposte` command came to. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program of Node that runs, line by line. */
class Program {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #waiting: ((line: string) => void)[] = [];
  #stderr = '';
  readonly ended: Promise<CommandResult>;

  constructor(cwd: string, file: string, args: readonly string[]) {
    this.#child = spawn(process.execPath, [file, ...args], { cwd });
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error('the command has no output');
    createInterface({ input: stdout }).on('line', (line) => {
      this.#lines.push(line);
      this.#waiting.shift()?.(line);
    });
    stderr.on('data', (data: Buffer) => {
      this.#stderr += data.toString();
    });
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code) => resolve({ code, stdout: this.#lines.join('\n'), stderr: this.#stderr }));
    });
  }

  /** Asks it to stop, as a process manager does. */
  stop(): void {
    this.#child.kill('SIGTERM');
  }

  /** The next line that it prints; fails when it ends without one. */
  line(): Promise<string> {
    return Promise.race([
      new Promise<string>((resolve) => this.#waiting.push(resolve)),
      this.ended.then(({ code, stderr }) => Promise.reject(new Error(`the command ended with ${code}: ${stderr}`))),
    ]);
  }

  /** As Ctrl-C does. */
  interrupt(): void {
    this.#child.kill('SIGINT');
  }
}

/** The command's file, in the repository or where the packages are installed. */
const RIPOSTE = 'client/bin/riposte.js';

/** Runs the built `riposte` command. */
export class Command extends Program {
  constructor(...args: string[]) {
    super(root, join(root, RIPOSTE), args);
  }
}

/** Runs the command that is installed in a folder, there. */
export class InstalledCommand extends Program {
  constructor(folder: string, ...args: string[]) {
    super(folder, join(folder, 'node_modules/@riposte', RIPOSTE), args);
  }
}
