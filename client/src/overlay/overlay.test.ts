import { afterEach, describe, expect, it, vi } from 'vitest';
import { blankStatus } from '../match/status.js';
import { overlay } from './overlay.js';

const match = { game: { tickRate: 60 }, status: () => blankStatus, route: async () => null };

describe('the overlay', () => {
  afterEach(() => {
    vi.doUnmock('./stats-panel.js');
    vi.restoreAllMocks();
  });

  it('says what to do when its panel cannot be loaded, and loads it again when it is asked for again', async () => {
    const told = vi.spyOn(console, 'error').mockReturnValue(undefined);
    vi.doMock('./stats-panel.js', () => Promise.reject(new TypeError('Failed to fetch dynamically imported module')));
    const figures = overlay(match, { key: null });
    figures.toggle();
    await vi.waitFor(() => expect(told).toHaveBeenCalled());
    expect(told.mock.lastCall).toMatchObject([{ code: 'not-loaded' }]);
    expect(figures.isShown).toBe(false);

    const show = vi.fn();
    vi.doMock('./stats-panel.js', () => ({
      StatsPanel: class {
        readonly show = show;
      },
    }));
    figures.toggle();
    await vi.waitFor(() => expect(show).toHaveBeenCalledWith(true));
    expect(told).toHaveBeenCalledOnce();
  });
});
