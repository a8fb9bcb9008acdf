export { default as sin } from '@stdlib/math-base-special-sin';
