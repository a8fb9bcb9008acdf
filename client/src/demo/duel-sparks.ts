import type { EffectEvent } from '@riposte/shared';
import type { FighterEffect } from '@riposte/shared/games';
import { playerOf } from './effect-player.js';
import { ink, paper } from './palette.js';

/** How one kind of effect looks. */
interface Look {
  /** For how long, in milliseconds. */
  readonly shownMs: number;
  /** At the feet, else at the middle of the body. */
  readonly atFeet?: true;
  /** `age` from 0 to 1; `id` tells one spark of the kind from the next. */
  draw(context: CanvasRenderingContext2D, age: number, id: number): void;
}

/** A shape of its own for each kind: they are told apart without their colours. What is not here is only heard. */
const looks: Readonly<Partial<Record<string, Look>>> = {
  hit: {
    shownMs: 240,
    draw: (context, age, id) => burst(context, 300 + age * 260, 7, turnOf(id), '#fff3c4', '#e4572e'),
  },
  'heavy-hit': {
    shownMs: 380,
    draw(context, age, id) {
      ring(context, 340 + age * 700, 60 * (1 - age));
      burst(context, 430 + age * 420, 9 + (id % 3), turnOf(id), '#fff3c4', '#e4572e');
    },
  },
  throw: { shownMs: 420, draw: chevrons },
  block: { shownMs: 240, draw: (context, age) => arcs(context, 260 + age * 160, '#d9e6f2', 1) },
  parry: {
    shownMs: 460,
    draw(context, age, id) {
      arcs(context, 330 + age * 420, '#ffffff', 3);
      burst(context, 260 + age * 200, 4, turnOf(id), '#ffffff', '#8fd3c8');
    },
  },
  clash: { shownMs: 300, draw: (context, age) => crossed(context, 240 + age * 240) },
  'knock-out': {
    shownMs: 800,
    draw(context, age, id) {
      ring(context, 300 + age * 1900, 130 * (1 - age));
      ring(context, 150 + age * 1200, 70 * (1 - age));
      burst(context, 620 + age * 480, 12, turnOf(id), '#ffffff', '#f4c430');
    },
  },
  whiff: { shownMs: 260, draw: gust },
  dash: { shownMs: 320, atFeet: true, draw: dust },
} satisfies Partial<Record<FighterEffect, Look>>;

/** More than two fighters can cause in the time that one is seen. */
const SPARKS_MAX = 16;

/** The age that a still picture shows all sparks at, of 0 to 1. */
const STILL_AGE = 0.4;

interface Spark {
  readonly id: number;
  readonly kind: string;
  readonly player: 0 | 1;
  readonly startMs: number;
  readonly look: Look;
}

/** Where a fighter is drawn: its place on the ground, and the middle of its body from there. In the game's units. */
export interface SparkPlace {
  readonly chestX: number;
  readonly chestY: number;
}

/** The sparks of a duel, from its effects: each seen once, and gone when a rollback made it un-happen. */
export class Sparks {
  #sparks: Spark[] = [];

  hear(effect: EffectEvent, nowMs: number): void {
    const { id, kind, phase } = effect;
    if (phase === 'final') return;
    if (phase === 'cancel') {
      this.#sparks = this.#sparks.filter((spark) => spark.id !== id);
      return;
    }
    const look = looks[kind];
    const player = playerOf(effect);
    if (look === undefined || player === undefined) return;
    this.#sparks.push({ id, kind, player, startMs: nowMs, look });
    if (this.#sparks.length > SPARKS_MAX) this.#sparks.shift();
  }

  /** Draws the sparks of one fighter at the origin, its opponent to the right, y up, in the game's units. */
  draw(context: CanvasRenderingContext2D, player: 0 | 1, place: SparkPlace, nowMs: number, isStill: boolean): void {
    for (const spark of this.#sparks) {
      const { look } = spark;
      const age = (nowMs - spark.startMs) / look.shownMs;
      if (spark.player !== player || age < 0 || age >= 1) continue;
      context.save();
      context.globalAlpha = 1 - age * age;
      if (look.atFeet === undefined) context.translate(place.chestX + 190, place.chestY);
      look.draw(context, isStill ? STILL_AGE : age, spark.id);
      context.restore();
    }
  }

  /** Whether a parry of this fighter is being shown. */
  parries(player: 0 | 1, nowMs: number): boolean {
    return this.#sparks.some((spark) => {
      return spark.kind === 'parry' && spark.player === player && nowMs - spark.startMs < spark.look.shownMs;
    });
  }
}

/** No two bursts after each other point the same way. */
function turnOf(id: number): number {
  return ((id % 8) * Math.PI) / 8;
}

function burst(
  context: CanvasRenderingContext2D,
  radius: number,
  points: number,
  turn: number,
  inner: string,
  outer: string,
): void {
  for (const [colour, size] of [
    [outer, radius],
    [inner, radius * 0.62],
  ] as const) {
    context.beginPath();
    starPath(context, 0, 0, size, size * 0.36, points, turn);
    context.fillStyle = colour;
    context.fill();
  }
}

/** Curved strokes on the guard's side that spread outward. */
function arcs(context: CanvasRenderingContext2D, radius: number, colour: string, count: number): void {
  context.strokeStyle = colour;
  context.lineCap = 'round';
  for (let arc = 0; arc < count; arc++) {
    context.lineWidth = 70 - arc * 18;
    context.beginPath();
    context.arc(-80, 0, radius + arc * 120, -1, 1);
    context.stroke();
  }
}

function ring(context: CanvasRenderingContext2D, radius: number, width: number): void {
  context.strokeStyle = paper;
  context.lineWidth = Math.max(1, width);
  context.beginPath();
  context.arc(0, 0, radius, 0, Math.PI * 2);
  context.stroke();
}

/** Three arrow heads up and back: the way that a thrown fighter goes. */
function chevrons(context: CanvasRenderingContext2D, age: number): void {
  context.lineCap = 'round';
  context.lineJoin = 'round';
  for (const [colour, width] of [
    [ink, 130],
    ['#e9c5ff', 76],
  ] as const) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    for (let at = 0; at < 3; at++) {
      const [x, y] = [-200 - at * 230 - age * 260, 60 + at * 190 + age * 220];
      context.beginPath();
      context.moveTo(x + 190, y + 30);
      context.lineTo(x, y + 40);
      context.lineTo(x + 20, y - 150);
      context.stroke();
    }
  }
}

function crossed(context: CanvasRenderingContext2D, size: number): void {
  context.strokeStyle = '#fff3c4';
  context.lineCap = 'round';
  context.lineWidth = 60;
  context.beginPath();
  context.moveTo(-size, -size);
  context.lineTo(size, size);
  context.moveTo(-size, size);
  context.lineTo(size, -size);
  context.stroke();
}

/** Thin lines where a blow went through air. */
function gust(context: CanvasRenderingContext2D, age: number): void {
  context.strokeStyle = 'rgb(244 239 230 / 0.75)';
  context.lineCap = 'round';
  context.lineWidth = 26;
  for (let line = -1; line <= 1; line++) {
    context.beginPath();
    context.moveTo(480 + age * 260, line * 130);
    context.lineTo(760 + age * 420 - Math.abs(line) * 90, line * 130);
    context.stroke();
  }
}

/** Puffs at the feet of who dashes. */
function dust(context: CanvasRenderingContext2D, age: number): void {
  context.fillStyle = 'rgb(226 214 220 / 0.7)';
  for (let puff = 0; puff < 4; puff++) {
    context.beginPath();
    context.arc(-420 + puff * 280, 50 + age * (90 + (puff % 2) * 70), 60 + age * 110, 0, Math.PI * 2);
    context.fill();
  }
}

/** Adds a star to the current path. */
export function starPath(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  outer: number,
  inner: number,
  points: number,
  turn: number,
): void {
  for (let corner = 0; corner < points * 2; corner++) {
    const radius = corner % 2 === 0 ? outer : inner;
    const angle = turn + (corner * Math.PI) / points;
    const [cornerX, cornerY] = [x + Math.cos(angle) * radius, y + Math.sin(angle) * radius];
    if (corner === 0) context.moveTo(cornerX, cornerY);
    else context.lineTo(cornerX, cornerY);
  }
  context.closePath();
}
