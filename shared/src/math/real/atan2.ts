export { default as atan2 } from '@stdlib/math-base-special-atan2';
