import { loadPart } from '../load-part.js';
import type { Match, MatchStatus } from '../match/match.js';
import type { StatsPanel } from './stats-panel.js';

export interface OverlayOptions {
  /** Where it is put; by default at the upper right of the page, over all else. */
  readonly parent?: HTMLElement;
  /** The key that shows and hides it, as a `KeyboardEvent.code`; `F2` by default, null for none. */
  readonly key?: string | null;
}

export type WatchedStatus = MatchStatus & { readonly authority?: { readonly lostUpdates: number } | null };

/** The figures of a match and their last ten seconds; hidden at first. */
export interface Overlay {
  readonly isShown: boolean;
  toggle(): void;
  /** Takes it and its key away. */
  close(): void;
}

/** What is watched: beside an authority the status also has how many of its updates were lost. */
export type WatchedMatch = Pick<Match<unknown, unknown>, 'route'> & {
  status(): WatchedStatus;
  readonly game: { readonly tickRate: number };
};

/** Shows how a match fares: ping, jitter, rollbacks, delay, pace, stalls, packets, loss, direct or relayed. Loaded when it is first shown. */
export function overlay(match: WatchedMatch, { parent, key = 'F2' }: OverlayOptions = {}): Overlay {
  let isShown = false;
  let panel: Promise<StatsPanel | undefined> | undefined;
  const load = async (): Promise<StatsPanel | undefined> => {
    try {
      const { StatsPanel } = await loadPart(() => import('./stats-panel.js'));
      return new StatsPanel(match, parent);
    } catch (error) {
      // It may come when it is asked for again.
      panel = undefined;
      isShown = false;
      console.error(error);
      return undefined;
    }
  };
  const show = async (): Promise<void> => {
    panel ??= load();
    (await panel)?.show(isShown);
  };
  const toggle = (): void => {
    isShown = !isShown;
    void show();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.code !== key || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    toggle();
  };
  if (key !== null) addEventListener('keydown', press);
  return {
    get isShown() {
      return isShown;
    },
    toggle,
    close() {
      removeEventListener('keydown', press);
      isShown = false;
      void panel?.then((shown) => shown?.close());
    },
  };
}
