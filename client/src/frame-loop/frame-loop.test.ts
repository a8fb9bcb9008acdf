import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { frameLoop } from './frame-loop.js';

/** A page of which the test says when it is drawn and what its worker posts. */
class Page {
  readonly document = Object.assign(new EventTarget(), { hidden: false });
  readonly calls: string[] = [];
  /** Questions to the worker that it has not answered. */
  asked = 0;
  workers = 0;
  #onDraw: (() => void) | undefined;
  #wake: (() => void) | undefined;

  constructor() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    vi.stubGlobal('document', this.document);
    vi.stubGlobal('requestAnimationFrame', (callback: () => void) => {
      this.#onDraw = callback;
      return 1;
    });
    vi.stubGlobal('cancelAnimationFrame', () => {
      this.#onDraw = undefined;
    });
    const page = this;
    vi.stubGlobal(
      'Worker',
      class {
        constructor() {
          page.workers++;
          page.asked = 0;
        }
        addEventListener(_type: 'message', listener: () => void): void {
          page.#wake = listener;
        }
        postMessage(): void {
          page.asked++;
        }
        terminate(): void {
          page.workers--;
        }
      },
    );
  }

  get isLooped(): boolean {
    return this.#onDraw !== undefined;
  }

  start(): () => void {
    return frameLoop({ advance: () => this.calls.push('advance'), draw: () => this.calls.push('draw') });
  }

  /** The browser draws the page after this many milliseconds. */
  draw(afterMs = 16): void {
    vi.advanceTimersByTime(afterMs);
    this.#onDraw?.();
  }

  /** The worker answers what it was asked. */
  answer(): void {
    this.asked--;
    this.#wake?.();
  }

  hide(): void {
    this.document.hidden = true;
    this.document.dispatchEvent(new Event('visibilitychange'));
  }

  show(): void {
    this.document.hidden = false;
    this.document.dispatchEvent(new Event('visibilitychange'));
  }
}

describe('the frame loop of a page', () => {
  let page: Page;

  beforeEach(() => {
    page = new Page();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('advances and draws with the screen, and needs no worker for that', () => {
    page.start();
    for (let frame = 0; frame < 30; frame++) page.draw();
    expect(page.calls).toEqual(Array.from({ length: 30 }, () => ['advance', 'draw']).flat());
    expect(page.workers).toBe(0);
  });

  it('advances without drawing by a worker while the page is hidden, until it is shown again', () => {
    page.start();
    page.draw();
    page.hide();
    page.calls.length = 0;
    for (let wake = 0; wake < 10; wake++) page.answer();
    expect(page.calls).toEqual(Array.from({ length: 10 }, () => 'advance'));
    page.show();
    page.draw(1000);
    page.draw();
    page.answer();
    expect(page.calls.slice(10)).toEqual(['advance', 'draw', 'advance', 'draw']);
    expect(page.asked).toBe(0);
  });

  it('does the same for a page that says it is shown and is hardly ever drawn', () => {
    page.start();
    page.draw();
    page.draw(100);
    page.calls.length = 0;
    page.answer();
    page.draw(100);
    page.answer();
    expect(page.calls).toEqual(['advance', 'advance', 'draw', 'advance']);
    expect(page.workers).toBe(1);
  });

  it('goes with a screen of 30 pictures a second as with any other', () => {
    page.start();
    for (let frame = 0; frame < 30; frame++) page.draw(33);
    expect(page.calls).toHaveLength(60);
    expect(page.workers).toBe(0);
  });

  it('never has more than one wake to come, however late the page hears it and whatever it is shown meanwhile', () => {
    page.start();
    page.hide();
    for (let wake = 0; wake < 100; wake++) {
      expect(page.asked).toBe(1);
      vi.advanceTimersByTime(500);
      page.show();
      page.draw();
      page.draw();
      page.hide();
      expect(page.asked).toBe(1);
      page.answer();
    }
    expect(page.workers).toBe(1);
  });

  it('leaves the picture of the end where a match ended unseen, and none for one that was left in sight', async () => {
    const stop = page.start();
    page.draw();
    page.hide();
    page.answer();
    page.calls.length = 0;
    stop();
    await Promise.resolve();
    expect(page.calls).toEqual(['draw']);
    expect(page.isLooped).toBe(false);
    expect(page.workers).toBe(0);
    page.answer();
    expect(page.calls).toEqual(['draw']);

    page.show();
    const stopShown = page.start();
    page.draw();
    page.calls.length = 0;
    stopShown();
    await Promise.resolve();
    expect(page.calls).toEqual([]);
  });
});
