export { default as cos } from '@stdlib/math-base-special-cos';
