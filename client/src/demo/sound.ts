import type { EffectEvent } from '@riposte/shared';
import { playerOf } from './effect-player.js';
import { soundChoice } from './stored.js';

/** One layer of a sound: a wave or noise that glides from one pitch to another and dies away. */
export interface Layer {
  readonly wave: 'sine' | 'triangle' | 'square' | 'noise';
  /** In Hz: of noise, the middle of what passes. */
  readonly from: number;
  readonly to: number;
  /** In seconds, from the sound's start. */
  readonly at?: number;
  readonly lasts: number;
  /** Of the loudest moment, 0 to 1. */
  readonly gain: number;
  /** How long it swells, in seconds; a click is avoided at least. */
  readonly swell?: number;
}

/** Sounds by the kind of effect or fact. */
export type Sounds = Readonly<Partial<Record<string, readonly Layer[]>>>;

/** Where no wave is too loud for a headphone; all sounds together are pressed below the loudest. */
const VOLUME = 0.35;
/** More at once is noise, and costs. */
const VOICES_MAX = 20;
const SWELL_S = 0.004;
/** How fast a sound is faded that a rollback made un-happen. */
const FADE_S = 0.03;
/** How far to the side a fighter is heard, 0 to 1. */
const SIDE = 0.4;

export const hasSound = typeof AudioContext !== 'undefined';

/**
 * The page's loudspeaker. It is silent until the visitor has pressed something, which is when browsers let a page sound,
 * while sound is switched off, and where the browser cannot.
 */
class Loudspeaker {
  #context: AudioContext | null = null;
  #out: AudioNode | null = null;
  #noise: AudioBuffer | null = null;
  readonly #voices = new Map<number, GainNode>();
  #unnamed = 0;

  constructor() {
    if (!hasSound) return;
    for (const gesture of ['pointerdown', 'keydown']) {
      window.addEventListener(gesture, () => this.#wake(), { capture: true, passive: true });
    }
    soundChoice.listen((value) => (value === 'on' ? this.#wake() : this.#sleep()));
  }

  /** Plays an effect from its start, and fades it when it is cancelled. */
  hear(effect: EffectEvent, sounds: Sounds): void {
    const { id, kind, phase } = effect;
    if (phase === 'cancel') this.#fade(id);
    if (phase !== 'start') return;
    const player = playerOf(effect);
    this.#play(id, sounds[kind], player === undefined ? 0 : player === 0 ? -SIDE : SIDE);
  }

  /** Plays what nothing takes back: a fact. */
  play(kind: string, sounds: Sounds): void {
    this.#play(--this.#unnamed, sounds[kind], 0);
  }

  #wake(): void {
    if (soundChoice.value === 'off') return;
    try {
      this.#context ??= new AudioContext({ latencyHint: 'interactive' });
      if (this.#context.state !== 'running') this.#context.resume().catch(() => undefined);
    } catch {
      // No device to play on: the page stays silent, and the next gesture tries again.
    }
  }

  #sleep(): void {
    this.#context?.suspend().catch(() => undefined);
  }

  #play(id: number, layers: readonly Layer[] | undefined, pan: number): void {
    const context = this.#context;
    if (layers === undefined || context?.state !== 'running' || soundChoice.value === 'off') return;
    if (this.#voices.size >= VOICES_MAX) return;
    const voice = context.createGain();
    const side = context.createStereoPanner();
    side.pan.value = pan;
    voice.connect(side).connect(this.#outOf(context));
    this.#voices.set(id, voice);
    let playing = layers.length;
    for (const layer of layers) {
      const source = this.#sourceOf(context, layer, voice);
      source.onended = () => {
        playing--;
        if (playing > 0) return;
        this.#voices.delete(id);
        side.disconnect();
      };
    }
  }

  #sourceOf(context: AudioContext, layer: Layer, voice: AudioNode): AudioScheduledSourceNode {
    const begin = context.currentTime + (layer.at ?? 0);
    const end = begin + layer.lasts;
    const loudness = context.createGain();
    loudness.gain.setValueAtTime(0, begin);
    loudness.gain.linearRampToValueAtTime(layer.gain, begin + (layer.swell ?? SWELL_S));
    loudness.gain.exponentialRampToValueAtTime(0.0005, end);
    loudness.connect(voice);
    const { wave } = layer;
    const { source, pitch } = wave === 'noise' ? this.#noiseInto(loudness) : waveInto(loudness, wave);
    pitch.setValueAtTime(layer.from, begin);
    pitch.exponentialRampToValueAtTime(layer.to, end);
    source.start(begin);
    source.stop(end);
    return source;
  }

  #noiseInto(out: AudioNode): { source: AudioScheduledSourceNode; pitch: AudioParam } {
    const { context } = out;
    if (this.#noise === null) {
      this.#noise = context.createBuffer(1, context.sampleRate, context.sampleRate);
      const samples = this.#noise.getChannelData(0);
      for (let at = 0; at < samples.length; at++) samples[at] = Math.random() * 2 - 1;
    }
    const source = context.createBufferSource();
    source.buffer = this.#noise;
    source.loop = true;
    const filter = context.createBiquadFilter();
    filter.type = 'bandpass';
    filter.Q.value = 1.2;
    source.connect(filter).connect(out);
    return { source, pitch: filter.frequency };
  }

  #outOf(context: AudioContext): AudioNode {
    if (this.#out !== null) return this.#out;
    const volume = context.createGain();
    volume.gain.value = VOLUME;
    const press = context.createDynamicsCompressor();
    volume.connect(press).connect(context.destination);
    this.#out = volume;
    return volume;
  }

  #fade(id: number): void {
    const voice = this.#voices.get(id);
    if (voice === undefined || this.#context === null) return;
    voice.gain.setTargetAtTime(0, this.#context.currentTime, FADE_S);
  }
}

function waveInto(out: AudioNode, wave: OscillatorType): { source: AudioScheduledSourceNode; pitch: AudioParam } {
  const source = out.context.createOscillator();
  source.type = wave;
  source.connect(out);
  return { source, pitch: source.frequency };
}

/** There is one a page. */
export const loudspeaker = new Loudspeaker();
