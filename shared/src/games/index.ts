export { race } from './race.js';
