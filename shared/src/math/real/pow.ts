export { default as pow } from '@stdlib/math-base-special-pow';
