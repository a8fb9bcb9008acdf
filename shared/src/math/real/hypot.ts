export { default as hypot } from '@stdlib/math-base-special-hypot';
