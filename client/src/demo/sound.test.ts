import type { EffectEvent } from '@riposte/shared';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Sounds } from './sound.js';

const SOUNDS: Sounds = {
  hit: [
    { wave: 'sine', from: 200, to: 80, lasts: 0.1, gain: 0.5 },
    { wave: 'noise', from: 900, to: 300, lasts: 0.1, gain: 0.5 },
  ],
};

function effect(id: number, phase: EffectEvent['phase'], kind = 'hit'): EffectEvent {
  return { id, phase, kind, data: { player: 0 }, frame: 5, key: 0 };
}

/** What the page's audio was asked for. */
const asked = { contexts: 0, sources: 0, fades: 0, suspends: 0 };

class FakeParam {
  value = 0;
  setValueAtTime(): void {}
  linearRampToValueAtTime(): void {}
  exponentialRampToValueAtTime(): void {}
  setTargetAtTime(): void {
    asked.fades++;
  }
}

function node(more: object = {}): object {
  return { connect: (to: object) => to, disconnect: () => {}, ...more };
}

class FakeAudioContext {
  readonly sampleRate = 100;
  readonly currentTime = 0;
  readonly destination = node();
  state = 'suspended';
  constructor() {
    asked.contexts++;
  }
  async resume(): Promise<void> {
    this.state = 'running';
  }
  async suspend(): Promise<void> {
    asked.suspends++;
    this.state = 'suspended';
  }
  createGain = (): object => node({ context: this, gain: new FakeParam() });
  createStereoPanner = (): object => node({ pan: new FakeParam() });
  createDynamicsCompressor = (): object => node();
  createBiquadFilter = (): object => node({ Q: new FakeParam(), frequency: new FakeParam() });
  createBuffer = (): object => ({ getChannelData: () => new Float32Array(100) });
  createOscillator = (): object => this.#source({ frequency: new FakeParam() });
  createBufferSource = (): object => this.#source({});
  #source(more: object): object {
    asked.sources++;
    return node({ start: () => {}, stop: () => {}, ...more });
  }
}

/** A page of its own: what is there when it opens decides. */
async function openPage(audio: typeof FakeAudioContext | undefined) {
  vi.resetModules();
  const gestures = new EventTarget();
  vi.stubGlobal('window', gestures);
  vi.stubGlobal('AudioContext', audio);
  const { loudspeaker, hasSound } = await import('./sound.js');
  const { soundChoice } = await import('./stored.js');
  return { loudspeaker, hasSound, soundChoice, touch: () => gestures.dispatchEvent(new Event('pointerdown')) };
}

describe('the loudspeaker', () => {
  beforeEach(() => Object.assign(asked, { contexts: 0, sources: 0, fades: 0, suspends: 0 }));
  afterEach(() => vi.unstubAllGlobals());

  it('is silent until something was pressed, and plays each effect once from then on', async () => {
    const { loudspeaker, touch } = await openPage(FakeAudioContext);
    loudspeaker.hear(effect(1, 'start'), SOUNDS);
    expect(asked).toMatchObject({ contexts: 0, sources: 0 });
    touch();
    touch();
    expect(asked.contexts).toBe(1);
    loudspeaker.hear(effect(2, 'start'), SOUNDS);
    loudspeaker.hear(effect(2, 'final'), SOUNDS);
    expect(asked.sources).toBe(2);
    loudspeaker.hear(effect(3, 'start', 'unheard-of'), SOUNDS);
    expect(asked.sources).toBe(2);
  });

  it('fades what is cancelled', async () => {
    const { loudspeaker, touch } = await openPage(FakeAudioContext);
    touch();
    loudspeaker.hear(effect(1, 'start'), SOUNDS);
    loudspeaker.hear(effect(1, 'cancel'), SOUNDS);
    loudspeaker.hear(effect(9, 'cancel'), SOUNDS);
    expect(asked.fades).toBe(1);
  });

  it('plays only so many sounds at once', async () => {
    const { loudspeaker, touch } = await openPage(FakeAudioContext);
    touch();
    for (let id = 0; id < 500; id++) loudspeaker.hear(effect(id, 'start'), SOUNDS);
    expect(asked.sources).toBeLessThanOrEqual(40);
  });

  it('is switched off and on again', async () => {
    const { loudspeaker, soundChoice, touch } = await openPage(FakeAudioContext);
    touch();
    soundChoice.choose('off');
    expect(asked.suspends).toBe(1);
    touch();
    loudspeaker.play('hit', SOUNDS);
    expect(asked.sources).toBe(0);
    soundChoice.choose('on');
    loudspeaker.play('hit', SOUNDS);
    expect(asked.sources).toBe(2);
  });

  it('is silent, and throws nothing, where the browser has no audio', async () => {
    const { loudspeaker, hasSound, touch } = await openPage(undefined);
    expect(hasSound).toBe(false);
    touch();
    loudspeaker.hear(effect(1, 'start'), SOUNDS);
    loudspeaker.hear(effect(1, 'cancel'), SOUNDS);
    loudspeaker.play('hit', SOUNDS);
    expect(asked.contexts).toBe(0);
  });
});
