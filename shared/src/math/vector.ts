import { fxAdd, fxCos, fxDiv, fxHypot, fxMul, fxSin, fxSub } from './fixed.js';

/**
 * Two raw Q16.16 integers: any object with these fields, such as a part of a `struct` state with `fixed` fields. Every
 * function writes into the first vector, which may be one of the others, and allocates nothing.
 */
export interface FxVector {
  x: number;
  y: number;
}

/** `into = (x, y)`. */
export function fxSet(into: FxVector, x: number, y: number): void {
  into.x = x;
  into.y = y;
}

/** `into = a + b`; wraps. */
export function fxAddVector(into: FxVector, a: Readonly<FxVector>, b: Readonly<FxVector>): void {
  fxSet(into, fxAdd(a.x, b.x), fxAdd(a.y, b.y));
}

/** `into = a - b`; wraps. */
export function fxSubVector(into: FxVector, a: Readonly<FxVector>, b: Readonly<FxVector>): void {
  fxSet(into, fxSub(a.x, b.x), fxSub(a.y, b.y));
}

/** `into = a * factor`, each part as `fxMul`. */
export function fxScale(into: FxVector, a: Readonly<FxVector>, factor: number): void {
  fxSet(into, fxMul(a.x, factor), fxMul(a.y, factor));
}

/** `a.x * b.x + a.y * b.y`, each product as `fxMul`; wraps. */
export function fxDot(a: Readonly<FxVector>, b: Readonly<FxVector>): number {
  return fxAdd(fxMul(a.x, b.x), fxMul(a.y, b.y));
}

/** The exact length, floored. */
export function fxLength(a: Readonly<FxVector>): number {
  return fxHypot(a.x, a.y);
}

/** `into` gets `a`'s direction and the length `length`, a little less by flooring; a zero vector stays zero. */
export function fxResize(into: FxVector, a: Readonly<FxVector>, length: number): void {
  const now = fxLength(a);
  if (now === 0) fxSet(into, 0, 0);
  else fxSet(into, fxMul(fxDiv(a.x, now), length), fxMul(fxDiv(a.y, now), length));
}

/** `into` gets `a` turned by `angle` raw Q16.16 radians, from x toward y. */
export function fxRotate(into: FxVector, a: Readonly<FxVector>, angle: number): void {
  const cos = fxCos(angle);
  const sin = fxSin(angle);
  fxSet(into, fxSub(fxMul(a.x, cos), fxMul(a.y, sin)), fxAdd(fxMul(a.x, sin), fxMul(a.y, cos)));
}
