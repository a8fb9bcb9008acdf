export { default as asin } from '@stdlib/math-base-special-asin';
