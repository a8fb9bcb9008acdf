export { default as tan } from '@stdlib/math-base-special-tan';
