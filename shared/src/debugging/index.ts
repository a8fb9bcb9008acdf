/**
 * `@riposte/shared/debugging`: what tools need that look into a recording frame by frame, and no game or match does.
 */
export { goneIn } from '../recording/absences.js';
export { alteredState } from '../recording/altered.js';
export { keyframeUpTo } from '../recording/keyframes.js';
export { hashBefore } from '../recording/parting.js';
export { keyframeState, Resimulation, requireGame } from '../recording/resimulation.js';
export { SeenRun } from '../recording/seen.js';
export { callPath, indexPath, keyPath, keyText } from '../state/plain/path.js';
