/**
 * `@riposte/shared/math`: the functions of `Math` that engines compute differently, with the same bits everywhere.
 * They are those of the stdlib project (FreeBSD's msun and Cephes in plain JavaScript: only `+ - * /`, `Math.sqrt`,
 * `abs`, `floor`, `ceil`, `round`, and the bits of a double), so that only games which import one carry it.
 * Angles are in radians; what is outside a function's domain gives NaN, as in `Math`.
 */
export { default as acos } from '@stdlib/math-base-special-acos';
export { default as asin } from '@stdlib/math-base-special-asin';
export { default as atan } from '@stdlib/math-base-special-atan';
/** `atan2(y, x)`. */
export { default as atan2 } from '@stdlib/math-base-special-atan2';
export { default as cbrt } from '@stdlib/math-base-special-cbrt';
export { default as cos } from '@stdlib/math-base-special-cos';
export { default as exp } from '@stdlib/math-base-special-exp';
/** `hypot(x, y)`: two arguments, unlike `Math.hypot`. */
export { default as hypot } from '@stdlib/math-base-special-hypot';
/** The natural logarithm. */
export { default as log } from '@stdlib/math-base-special-ln';
/** `pow(base, exponent)`: what `base ** exponent` should have been. */
export { default as pow } from '@stdlib/math-base-special-pow';
export { default as sin } from '@stdlib/math-base-special-sin';
export { default as tan } from '@stdlib/math-base-special-tan';
