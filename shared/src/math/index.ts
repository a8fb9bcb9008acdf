/**
 * `@riposte/shared/math`: the functions of `Math` that engines compute differently, with the same bits everywhere.
 * They are those of the stdlib project (FreeBSD's msun and Cephes in plain JavaScript: only `+ - * /`, `Math.sqrt`,
 * `abs`, `floor`, `ceil`, `round`, and the bits of a double). Angles are in radians; what is outside a function's
 * domain gives NaN, as in `Math`. Each has a file of its own, so that a bundle carries only those that a game imports.
 */
export { acos } from './real/acos.js';
export { asin } from './real/asin.js';
export { atan } from './real/atan.js';
/** `atan2(y, x)`. */
export { atan2 } from './real/atan2.js';
export { cbrt } from './real/cbrt.js';
export { cos } from './real/cos.js';
export { exp } from './real/exp.js';
/** `hypot(x, y)`: of two numbers only. */
export { hypot } from './real/hypot.js';
/** The natural logarithm. */
export { log } from './real/log.js';
/** `pow(base, exponent)`: what `base ** exponent` should have been. */
export { pow } from './real/pow.js';
export { sin } from './real/sin.js';
export { tan } from './real/tan.js';
