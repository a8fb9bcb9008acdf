import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { onTestFinished } from 'vitest';
import { MatchPage, STEP_MS } from './stage.js';

/** A missing browser skips its tests, except where `npm test` has made sure that there is one. */
export const hasFirefox = process.env['RIPOSTE_HAS_FIREFOX'] !== 'false';

/** A cold start on a loaded machine takes a quarter of this. */
const LAUNCH_MS_MAX = 60_000;

/** A headless Firefox with its own new profile, driven by WebDriver BiDi. */
export function launchFirefox(): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env['FIREFOX'] ?? '/usr/bin/firefox-esr',
    headless: true,
    timeout: LAUNCH_MS_MAX,
  });
}

/** A real Firefox in which each player has a context of their own. */
export class Firefox {
  readonly #browser: Browser;
  /** What pages complained of: an error that no test expects. */
  readonly problems: string[] = [];

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async open(): Promise<Firefox> {
    return new Firefox(await launchFirefox());
  }

  close(): Promise<void> {
    return this.#browser.close();
  }

  /** A page at a whole address, in a context of its own, for as long as the test that opens it. */
  async page(url: string): Promise<Page> {
    const context = await this.#browser.createBrowserContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.on('pageerror', (error) => this.problems.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(message.text());
    });
    await page.setViewport({ width: 900, height: 700 });
    await page.goto(url);
    return page;
  }

  /** A player's page at a whole address. */
  async player(url: string): Promise<FirefoxPlayer> {
    const page = await this.page(url);
    await page.waitForFunction(() => 'riposte' in globalThis, { timeout: STEP_MS });
    return new FirefoxPlayer(page);
  }
}

/** One player's page in Firefox. */
export class FirefoxPlayer extends MatchPage {
  readonly page: Page;

  constructor(page: Page) {
    super();
    this.page = page;
  }

  protected evaluate<A, R>(read: (argument: A) => R | Promise<R>, argument: A): Promise<R> {
    // The page gets a copy of the very argument: the driver's own types cannot say so for any A.
    return this.page.evaluate(read as (argument: unknown) => R | Promise<R>, argument);
  }

  protected async until<A>(holds: (argument: A) => boolean, argument: A, timeoutMs: number): Promise<void> {
    // As above.
    await this.page.waitForFunction(holds as (argument: unknown) => boolean, { timeout: timeoutMs }, argument);
  }
}
