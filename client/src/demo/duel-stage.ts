import { duelRules } from '@riposte/shared/games';
import type { Surface } from './canvas.js';

/** How many units the whole hall is wide: the stage, and room at both ends for who falls there. */
const HALL_WIDTH = duelRules.stageHalf * 2 + 2000;
/** The closest the picture gets, and the room it leaves beside the fighters before it draws back. */
const CLOSE_WIDTH = 6400;
const MARGIN = 3900;
/** The ground's height in the picture, as a share from the top. */
const GROUND = 0.84;

/** From the game's units to the picture. */
export interface Camera {
  /** CSS pixels a unit. */
  readonly scale: number;
  /** Where the middle of the stage is. */
  readonly centreX: number;
  readonly groundY: number;
}

/** Where the two fighters are drawn, in units from the middle of the stage. */
export type Places = readonly [number, number];

/** The camera that shows the whole hall. */
function wholeHall(width: number, height: number): Camera {
  return { scale: width / HALL_WIDTH, centreX: width / 2, groundY: height * GROUND };
}

/**
 * The camera for two fighters: follows them and draws back when they part. It depends on where they are shown and on
 * nothing before, so that a rollback cannot leave it behind. `still` shows the whole hall.
 */
export function cameraFor(surface: Surface, [left, right]: Places, still: boolean): Camera {
  const { width, height } = surface;
  if (still) return wholeHall(width, height);
  // A squarer picture is as high as a wide one that shows more: it comes closer.
  const narrowing = Math.min(1, width / height / (16 / 9));
  const shown = Math.min(HALL_WIDTH, Math.max(CLOSE_WIDTH * narrowing, right - left + MARGIN * narrowing));
  const reach = (HALL_WIDTH - shown) / 2;
  const middle = Math.max(-reach, Math.min(reach, (left + right) / 2));
  const scale = width / shown;
  return { scale, centreX: width / 2 - middle * scale, groundY: height * GROUND };
}

/** The hall, drawn once a size and copied from then on. */
export class Backdrop {
  readonly #surface: Surface;
  readonly #picture = document.createElement('canvas');
  #version = -1;

  constructor(surface: Surface) {
    this.#surface = surface;
  }

  draw(camera: Camera): void {
    const { context, width, height, pixelRatio, version } = this.#surface;
    if (version !== this.#version) {
      this.#version = version;
      this.#picture.width = Math.round(width * pixelRatio);
      this.#picture.height = Math.round(height * pixelRatio);
      const ahead = this.#picture.getContext('2d', { alpha: false });
      if (ahead !== null) {
        ahead.scale(pixelRatio, pixelRatio);
        paint(ahead, width, height, wholeHall(width, height));
      }
    }
    const zoom = (camera.scale * HALL_WIDTH) / width;
    context.drawImage(
      this.#picture,
      camera.centreX - (width / 2) * zoom,
      camera.groundY - height * GROUND * zoom,
      width * zoom,
      height * zoom,
    );
  }
}

function paint(context: CanvasRenderingContext2D, width: number, height: number, camera: Camera): void {
  const { groundY, centreX, scale } = camera;
  const sky = context.createLinearGradient(0, 0, 0, groundY);
  sky.addColorStop(0, '#171c2e');
  sky.addColorStop(0.55, '#39395a');
  sky.addColorStop(1, '#7a5f6d');
  context.fillStyle = sky;
  context.fillRect(0, 0, width, height);

  context.fillStyle = 'rgb(246 222 186 / 0.3)';
  context.beginPath();
  context.arc(centreX, groundY - 900 * scale, 1500 * scale, 0, Math.PI * 2);
  context.fill();
  hills(context, width, camera, 900, 620, '#4b4560');
  hills(context, width, camera, 430, 900, '#352f47');
  colonnade(context, width, camera);

  const floor = context.createLinearGradient(0, groundY, 0, height);
  floor.addColorStop(0, '#3a3242');
  floor.addColorStop(1, '#17141d');
  context.fillStyle = floor;
  context.fillRect(0, groundY - 40 * scale, width, height);
  piste(context, camera, height);
}

/** A ridge of `height` units at its top, with waves `period` units long. */
function hills(
  context: CanvasRenderingContext2D,
  width: number,
  camera: Camera,
  height: number,
  period: number,
  colour: string,
): void {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(0, camera.groundY);
  // One step past the edge, where that lies between two.
  for (let x = 0; x < width + 4; x += 4) {
    const at = (x - camera.centreX) / camera.scale / period;
    const ridge = 0.62 + 0.24 * Math.sin(at * 0.9 + period) + 0.14 * Math.sin(at * 2.3);
    context.lineTo(x, camera.groundY - height * ridge * camera.scale);
  }
  context.lineTo(width + 4, camera.groundY);
  context.fill();
}

function colonnade(context: CanvasRenderingContext2D, width: number, camera: Camera): void {
  const { scale, groundY, centreX } = camera;
  const top = groundY - 3300 * scale;
  context.fillStyle = '#221f30';
  for (const side of [-1, 1]) {
    for (const place of [2900, 4350]) {
      const x = centreX + side * place * scale;
      context.fillRect(x - 130 * scale, top, 260 * scale, groundY - top);
      context.fillRect(x - 210 * scale, top - 10 * scale, 420 * scale, 120 * scale);
      context.fillRect(x - 210 * scale, groundY - 160 * scale, 420 * scale, 160 * scale);
    }
  }
  context.fillRect(0, top - 260 * scale, width, 250 * scale);
}

/** The strip that they fence on, marked every metre, with the two starting lines and the ends. */
function piste(context: CanvasRenderingContext2D, camera: Camera, height: number): void {
  const { scale, groundY, centreX } = camera;
  const half = (duelRules.stageHalf + 330) * scale;
  const depth = Math.min(230 * scale, height - groundY);
  const slant = 190 * scale;
  context.fillStyle = '#8f8596';
  context.beginPath();
  context.moveTo(centreX - half, groundY - 30 * scale);
  context.lineTo(centreX + half, groundY - 30 * scale);
  context.lineTo(centreX + half + slant, groundY + depth);
  context.lineTo(centreX - half - slant, groundY + depth);
  context.fill();
  context.lineWidth = Math.max(1, 18 * scale);
  for (let at = -4000; at <= 4000; at += 1000) {
    const x = centreX + at * scale;
    const away = (at / (duelRules.stageHalf + 330)) * slant;
    context.strokeStyle = Math.abs(at) === 4000 ? '#f4efe6' : 'rgb(30 26 38 / 0.45)';
    context.beginPath();
    context.moveTo(x, groundY - 30 * scale);
    context.lineTo(x + away, groundY + depth);
    context.stroke();
  }
}
