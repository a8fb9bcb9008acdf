import type { Sounds } from './sound.js';

const steel = (at: number, gain: number) =>
  [
    { wave: 'square', from: 2350, to: 2210, at, lasts: 0.16, gain: gain * 0.28 },
    { wave: 'triangle', from: 3710, to: 3560, at, lasts: 0.24, gain: gain * 0.5 },
    { wave: 'sine', from: 5230, to: 5150, at, lasts: 0.32, gain: gain * 0.3 },
  ] as const;

const thud = (from: number, lasts: number, gain: number) =>
  [
    { wave: 'sine', from, to: from * 0.4, lasts, gain },
    { wave: 'noise', from: 900, to: 260, lasts: lasts * 0.6, gain: gain * 0.9 },
  ] as const;

/** How a duel sounds: steel on steel for what is warded off, thuds for what is not, air for what misses. */
export const duelSounds: Sounds = {
  step: [{ wave: 'noise', from: 320, to: 200, lasts: 0.05, gain: 0.18 }],
  dash: [{ wave: 'noise', from: 500, to: 1500, lasts: 0.16, gain: 0.35, swell: 0.05 }],
  swing: [{ wave: 'noise', from: 700, to: 2400, lasts: 0.14, gain: 0.22, swell: 0.08 }],
  whiff: [{ wave: 'noise', from: 2600, to: 600, lasts: 0.2, gain: 0.4, swell: 0.02 }],
  hit: [...thud(190, 0.16, 0.7), ...steel(0, 0.25)],
  'heavy-hit': [...thud(130, 0.34, 1), ...thud(70, 0.4, 0.6), ...steel(0.01, 0.4)],
  throw: [...thud(110, 0.3, 0.8), { wave: 'noise', from: 300, to: 1300, lasts: 0.3, gain: 0.35, swell: 0.12 }],
  block: [...steel(0, 0.6), { wave: 'noise', from: 1800, to: 900, lasts: 0.06, gain: 0.4 }],
  parry: [
    ...steel(0, 1),
    { wave: 'sine', from: 1760, to: 1755, lasts: 0.5, gain: 0.35 },
    { wave: 'sine', from: 2640, to: 2635, at: 0.05, lasts: 0.5, gain: 0.25 },
  ],
  clash: [...steel(0, 0.7), ...steel(0.06, 0.5)],
  'knock-out': [
    ...thud(95, 0.7, 1),
    { wave: 'triangle', from: 440, to: 110, lasts: 0.7, gain: 0.4 },
    { wave: 'noise', from: 3000, to: 200, lasts: 0.5, gain: 0.4 },
  ],
  round: [
    { wave: 'triangle', from: 392, to: 392, lasts: 0.22, gain: 0.35 },
    { wave: 'triangle', from: 523, to: 523, at: 0.18, lasts: 0.3, gain: 0.35 },
  ],
  fence: [
    { wave: 'triangle', from: 784, to: 784, lasts: 0.35, gain: 0.5 },
    { wave: 'sine', from: 1568, to: 1568, lasts: 0.3, gain: 0.2 },
  ],
  'round-won': [
    { wave: 'triangle', from: 523, to: 523, at: 0.3, lasts: 0.18, gain: 0.35 },
    { wave: 'triangle', from: 659, to: 659, at: 0.42, lasts: 0.18, gain: 0.35 },
    { wave: 'triangle', from: 784, to: 784, at: 0.54, lasts: 0.4, gain: 0.4 },
  ],
  'match-won': [
    { wave: 'triangle', from: 523, to: 523, lasts: 0.2, gain: 0.35 },
    { wave: 'triangle', from: 784, to: 784, at: 0.14, lasts: 0.2, gain: 0.35 },
    { wave: 'triangle', from: 1046, to: 1046, at: 0.28, lasts: 0.7, gain: 0.45 },
    { wave: 'sine', from: 1318, to: 1318, at: 0.28, lasts: 0.7, gain: 0.25 },
  ],
};
