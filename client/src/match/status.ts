import type { MatchStatus } from './match.js';

/** The status of a match that has not begun. */
export const blankStatus: MatchStatus = {
  phase: 'lobby',
  room: null,
  frame: -1,
  confirmedFrame: -1,
  inputDelay: 0,
  rttMs: null,
  rollbacks: 0,
  maxRollbackFrames: 0,
  resimulatedFrames: 0,
  stalledFrames: 0,
  droppedPackets: 0,
  comparedFrames: 0,
  remoteInputChanges: 0,
  desync: null,
  transport: null,
  players: [],
  cause: null,
  reason: null,
  peerInputDelay: 0,
  slowMachine: null,
  resumeLeftMs: null,
  measures: null,
  rematch: null,
  pausedBy: null,
};
