import type { LinkConditions } from '../../transport/conditions.js';

/** A link with all that it does spelled out. */
export type FullConditions = Required<LinkConditions>;

export interface Preset {
  readonly id: string;
  readonly title: string;
  readonly link: FullConditions;
  /** What it stands for. */
  readonly what: string;
}

const link = (delayMs: number, jitterMs = 0, lossRate = 0, duplicateRate = 0, reorderRate = 0): FullConditions => ({
  delayMs,
  jitterMs,
  lossRate,
  duplicateRate,
  reorderRate,
});

/** Links as one meets them, the good ones first; delays are one way. */
export const presets: readonly Preset[] = [
  { id: 'lan', title: 'LAN', link: link(1), what: 'One cable: nothing to predict.' },
  { id: 'dsl', title: 'Good DSL', link: link(20, 2, 0.002), what: 'Two homes in one country.' },
  { id: 'wifi', title: 'Wi-Fi', link: link(30, 12, 0.02, 0, 0.01), what: 'A busy wireless home network.' },
  { id: '4g', title: '4G', link: link(50, 20, 0.02, 0.01, 0.03), what: 'A phone on the road.' },
  { id: 'satellite', title: 'Satellite', link: link(290, 15, 0.01), what: 'By way of an orbit 36,000 km up.' },
  { id: 'terrible', title: 'Terrible', link: link(120, 60, 0.25, 0.05, 0.15), what: 'Everything at once.' },
];

/** The preset whose link this is. */
export function presetOf(conditions: FullConditions): Preset | undefined {
  return presets.find(
    ({ link }) =>
      link.delayMs === conditions.delayMs &&
      link.jitterMs === conditions.jitterMs &&
      link.lossRate === conditions.lossRate &&
      link.duplicateRate === conditions.duplicateRate &&
      link.reorderRate === conditions.reorderRate,
  );
}
