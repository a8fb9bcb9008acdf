import type { Route } from '../transport/transport.js';
import { type Figure, Figures, SAMPLES, SAMPLES_PER_SECOND } from './figures.js';
import type { WatchedMatch } from './overlay.js';

const WIDTH = 250;
const ROW_HEIGHT = 28;
const HEAD_HEIGHT = 22;
const PLOT_WIDTH = 100;
const PLOT_HEIGHT = 22;
const MARGIN = 8;
/** The way of the packets is asked for so seldom: browsers gather it at some cost. */
const ROUTE_MS = 5000;

/** One canvas with a line and a plot for each figure, drawn ten times a second while it is shown. */
export class StatsPanel {
  readonly #match: WatchedMatch;
  readonly #figures: Figures;
  readonly #canvas = document.createElement('canvas');
  #route: Route | null = null;
  #routeMs = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(match: WatchedMatch, parent: HTMLElement | undefined) {
    this.#match = match;
    this.#figures = new Figures(match.game.tickRate);
    const { style } = this.#canvas;
    Object.assign(style, { display: 'none', width: `${WIDTH}px`, maxWidth: '100%', pointerEvents: 'none' });
    if (parent === undefined) Object.assign(style, { position: 'fixed', top: '0.5rem', right: '0.5rem', zIndex: '9' });
    // The picture of numbers that a page has in words, too.
    this.#canvas.setAttribute('aria-hidden', 'true');
    (parent ?? document.body).append(this.#canvas);
  }

  show(isShown: boolean): void {
    this.#canvas.style.display = isShown ? 'block' : 'none';
    clearInterval(this.#timer);
    if (!isShown) return;
    this.#fit();
    this.#timer = setInterval(() => this.#update(), 1000 / SAMPLES_PER_SECOND);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#canvas.remove();
  }

  #fit(): void {
    const ratio = window.devicePixelRatio || 1;
    this.#canvas.width = WIDTH * ratio;
    this.#canvas.height = (HEAD_HEIGHT + this.#figures.all.length * ROW_HEIGHT + MARGIN / 2) * ratio;
  }

  #askRoute(nowMs: number): void {
    if (nowMs - this.#routeMs < ROUTE_MS) return;
    this.#routeMs = nowMs;
    // A connection that ends meanwhile has no way any more.
    this.#match.route().then(
      (route) => {
        this.#route = route;
      },
      () => undefined,
    );
  }

  #update(): void {
    const status = this.#match.status();
    this.#figures.sample(status);
    this.#askRoute(performance.now());
    const context = this.#canvas.getContext('2d');
    if (context === null) return;
    const ratio = this.#canvas.width / WIDTH;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, WIDTH, this.#canvas.height / ratio);
    context.fillStyle = 'rgb(13 16 24 / 86%)';
    context.fillRect(0, 0, WIDTH, this.#canvas.height / ratio);
    context.font = '11px ui-monospace, monospace';
    context.textBaseline = 'middle';
    context.fillStyle = '#aebbd0';
    const way = this.#route === null ? '' : `, ${this.#route}`;
    context.fillText(`${status.transport ?? 'one machine'}${way}`, MARGIN, HEAD_HEIGHT / 2);
    for (let row = 0; row < this.#figures.all.length; row++) {
      drawFigure(context, this.#figures.all[row]!, HEAD_HEIGHT + row * ROW_HEIGHT);
    }
  }
}

function drawFigure(context: CanvasRenderingContext2D, figure: Figure, top: number): void {
  const { name, unit, digits, history, least } = figure;
  const value = history.at(0);
  const middle = top + ROW_HEIGHT / 2;
  context.fillStyle = '#aebbd0';
  context.fillText(name, MARGIN, middle - 6);
  context.fillStyle = '#f4f0e6';
  context.fillText(Number.isNaN(value) ? '–' : `${value.toFixed(digits)} ${unit}`, MARGIN, middle + 6);
  const left = WIDTH - MARGIN - PLOT_WIDTH;
  const bottom = top + (ROW_HEIGHT + PLOT_HEIGHT) / 2;
  context.fillStyle = '#22304a';
  context.fillRect(left, bottom - PLOT_HEIGHT, PLOT_WIDTH, PLOT_HEIGHT);
  context.fillStyle = '#5db8f7';
  const scale = (PLOT_HEIGHT - 1) / Math.max(least, history.max);
  const width = PLOT_WIDTH / SAMPLES;
  for (let ago = 0; ago < SAMPLES; ago++) {
    const height = 1 + history.at(ago) * scale;
    if (height > 0) context.fillRect(left + PLOT_WIDTH - (ago + 1) * width, bottom - height, width, height);
  }
}
