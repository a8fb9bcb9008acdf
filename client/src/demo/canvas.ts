import type { EffectEvent } from '@riposte/shared';
import type { StateAfter } from '../display/state-after.js';
import type { DrawInfo } from '../match/match.js';

/** Device pixels a CSS pixel beyond this cost time that no eye notices. */
const PIXEL_RATIO_MAX = 2;

/** A canvas whose pixels follow its size on the page; draw in CSS pixels. */
export interface Surface {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  /** Changes whenever the size does: what is drawn ahead of time is stale then. */
  readonly version: number;
}

/** Keeps `canvas` crisp at any size and pixel density. Throws when the browser gives no 2D context. */
function surfaceOf(canvas: HTMLCanvasElement, resized: () => void): Surface {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('This browser cannot draw on a canvas. Try a current browser.');
  const surface = { context, width: 0, height: 0, pixelRatio: 1, version: 0 };
  const fit = (): void => {
    surface.width = canvas.clientWidth || 640;
    surface.height = canvas.clientHeight || 360;
    surface.pixelRatio = Math.min(window.devicePixelRatio || 1, PIXEL_RATIO_MAX);
    surface.version++;
    canvas.width = Math.round(surface.width * surface.pixelRatio);
    canvas.height = Math.round(surface.height * surface.pixelRatio);
    resized();
  };
  fit();
  new ResizeObserver(fit).observe(canvas);
  return surface;
}

/** Draws a game on a canvas; `stateAfter` lets it tell corrections from movement, where there is a past. */
export interface View<S> {
  (state: S, info: DrawInfo, stateAfter?: StateAfter<S>): void;
  /** Takes what the game's steps emit, where the picture shows that too. */
  hear?(effect: EffectEvent): void;
}

/**
 * A view that paints with `painterFor(surface)`, and paints again whenever the canvas changes its size: that empties
 * it, and after a match nobody draws any more.
 */
export function viewOn<S>(canvas: HTMLCanvasElement, painterFor: (surface: Surface) => View<S>): View<S> {
  let last: Parameters<View<S>> | null = null;
  let paint: View<S> | null = null;
  const repaint = (): void => {
    if (last !== null) paint?.(...last);
  };
  const painter = painterFor(surfaceOf(canvas, repaint));
  paint = painter;
  const view: View<S> = (state, info, stateAfter) => {
    last = [state, info, stateAfter];
    repaint();
  };
  if (painter.hear !== undefined) view.hear = (effect) => painter.hear?.(effect);
  return view;
}

/** Whether the visitor asked for less motion; follows the setting while the page is open. */
export function motionPreference(): { readonly reduced: boolean } {
  const query = window.matchMedia('(prefers-reduced-motion: reduce)');
  return {
    get reduced() {
      return query.matches;
    },
  };
}
