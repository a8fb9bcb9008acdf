import { attackFrames, attackOf, type DuelState, duelAttacks, type Fighter } from '@riposte/shared/games';
import type { Surface } from './canvas.js';
import { ink, paper, playerColours } from './palette.js';

const FONT = '"Avenir Next", Avenir, "Segoe UI", system-ui, sans-serif';

type AttackName = keyof typeof duelAttacks;
const titles: Readonly<Record<AttackName, string>> = { light: 'Light', heavy: 'Heavy', throw: 'Throw' };

/** A fighter's attack, and how far it has come. */
interface Shown {
  readonly name: AttackName;
  readonly frame: number;
}

/**
 * For training: the frames of each fighter's last attack, one cell a frame. Hatched cells are the wind-up, bright ones can
 * hit, dim ones can only be hit.
 */
export class FrameBars {
  readonly #shown: (Shown | undefined)[] = [];

  draw(surface: Surface, state: DuelState): void {
    for (const player of [0, 1] as const) {
      const fighter = state.fighters[player]!;
      const name = attackNameOf(fighter);
      const before = this.#shown[player];
      if (name !== undefined) this.#shown[player] = { name, frame: fighter.actionFrame };
      // An attack that is over leaves its whole bar to be read.
      else if (before !== undefined) this.#shown[player] = { ...before, frame: Number.POSITIVE_INFINITY };
      const shown = this.#shown[player];
      if (shown !== undefined) drawBar(surface, player, shown);
    }
  }
}

function attackNameOf(fighter: Fighter): AttackName | undefined {
  const { action } = fighter;
  return attackOf(fighter) !== undefined && (action === 'light' || action === 'heavy' || action === 'throw')
    ? action
    : undefined;
}

function drawBar({ context, width, height }: Surface, player: 0 | 1, { name, frame }: Shown): void {
  const attack = duelAttacks[name];
  const frames = attackFrames(attack);
  const unit = Math.max(0.62, Math.min(1.25, width / 1000));
  const cell = Math.min(10 * unit, (width / 2 - 24 * unit) / frames);
  const left = player === 0 ? 16 * unit : width - 16 * unit - cell * frames;
  const top = height - 26 * unit;
  const tall = 16 * unit;
  context.fillStyle = ink;
  context.fillRect(left - 3, top - 3, cell * frames + 6, tall + 6);
  for (let at = 0; at < frames; at++) {
    const isPast = at <= frame;
    const isWindup = at < attack.windup;
    const isActive = !isWindup && at < attack.windup + attack.active;
    context.globalAlpha = isPast ? 1 : 0.35;
    context.fillStyle = isActive ? '#ffffff' : isWindup ? playerColours[player].main : playerColours[player].dark;
    context.fillRect(left + at * cell, top, cell - 1, tall);
    if (!isWindup) continue;
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(left + at * cell, top + tall);
    context.lineTo(left + (at + 1) * cell - 1, top);
    context.stroke();
  }
  context.globalAlpha = 1;
  context.font = `700 ${14 * unit}px ${FONT}`;
  context.textAlign = player === 0 ? 'left' : 'right';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 4 * unit;
  context.strokeStyle = ink;
  context.fillStyle = paper;
  const words =
    width < 560
      ? `${titles[name]} ${attack.windup} · ${attack.active} · ${attack.recovery}`
      : `${titles[name]}: ${attack.windup} wind-up, ${attack.active} active, ${attack.recovery} recovery`;
  const x = player === 0 ? 16 * unit : width - 16 * unit;
  context.strokeText(words, x, top - 14 * unit);
  context.fillText(words, x, top - 14 * unit);
}
