import type { EffectEvent, Fact } from '@riposte/shared';
import type { StateAfter } from '../display/state-after.js';
import type { DrawInfo, MatchStatus } from '../match/match.js';
import { blankStatus } from '../match/status.js';
import type { View } from './canvas.js';
import { loudspeaker, type Sounds } from './sound.js';

/** How a game is shown, sounds, and is told in words. */
export interface PresentationParts<S> {
  readonly view: (canvas: HTMLCanvasElement) => View<S>;
  readonly sounds: Sounds;
  /** A fact in words, for who cannot see the picture. */
  readonly news: (fact: Fact, status: MatchStatus) => string | undefined;
}

/** What one match shows, sounds and tells: the listeners that a match takes. */
export class Presentation<S> {
  readonly #parts: PresentationParts<S>;
  readonly #view: View<S>;
  readonly #listeners = new Set<(news: string) => void>();
  #status: MatchStatus = blankStatus;

  constructor(parts: PresentationParts<S>, canvas: HTMLCanvasElement) {
    this.#parts = parts;
    this.#view = parts.view(canvas);
  }

  readonly draw = (state: S, info: DrawInfo, stateAfter: StateAfter<S>): void => {
    this.#status = info.status;
    this.#view(state, info, stateAfter);
  };

  readonly onEffect = (effect: EffectEvent): void => {
    this.#view.hear?.(effect);
    loudspeaker.hear(effect, this.#parts.sounds);
  };

  readonly onFact = (fact: Fact): void => {
    loudspeaker.play(fact.kind, this.#parts.sounds);
    const news = this.#parts.news(fact, this.#status);
    if (news !== undefined) for (const listener of this.#listeners) listener(news);
  };

  /** Calls `listener` with whatever counts from now on, in words; returns a function that stops that. */
  readonly onNews = (listener: (news: string) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}
