export {
  type CorrectionOptions,
  type CorrectionPlan,
  coordinatesOf,
  describeReconcile,
  type Position,
  planCorrection,
  requireCorrectionOptions,
} from './authority/correction.js';
export { stateDistance } from './authority/distance.js';
export {
  type PredictionOptions,
  type PredictionSnapshot,
  PredictionState,
  type PredictionStatus,
  type ReconcileResult,
} from './authority/prediction-state.js';
export {
  type PredictionWindow,
  type PredictionWindowOptions,
  predictionWindow,
} from './authority/prediction-window.js';
export { type PendingInput, type Reconciled, reconcile } from './authority/reconcile.js';
export type { Apply } from './authority/state-face.js';
export type { Limits } from './authority/values.js';
export { DesyncChecker } from './desync/checker.js';
export { guardDeterminism } from './desync/guard.js';
export type { ConfirmedChain, PeerComparison } from './desync/peer-comparison.js';
export { type ErrorCode, RiposteError, requireInteger } from './errors.js';
export { defineGame } from './game/define-game.js';
export type { EffectData } from './game/effect-data.js';
export {
  type DesyncChoice,
  type Game,
  initialState,
  type MatchSetup,
  PLAYERS_MAX,
  type PlayerStatus,
  type Settings,
  type StepContext,
} from './game/game.js';
export {
  type AxisControl,
  axis,
  type ButtonControl,
  type Buttons,
  button,
  buttons,
  type Controls,
  type ControlsModel,
  type ControlsValue,
  controls,
  quantizeAxis,
} from './input/controls.js';
export type { InputModel } from './input/model.js';
export { type Predictor, repeatLast } from './input/predictor.js';
export { InputTimeline } from './input/timeline.js';
export { FX_ONE, fxAdd, fxCos, fxDiv, fxFrom, fxHypot, fxMul, fxSin, fxSqrt, fxSub, fxTo } from './math/fixed.js';
export { Random } from './math/random.js';
export {
  type FxVector,
  fxAddVector,
  fxDot,
  fxLength,
  fxResize,
  fxRotate,
  fxScale,
  fxSet,
  fxSubVector,
} from './math/vector.js';
export type { AbsenceChange } from './recording/absences.js';
export { ABSENT_INPUT, type Agreement, type Comparison, compareRecordings } from './recording/compare.js';
export type { EventLog } from './recording/event-log.js';
export type { EventBody, RecordedEvent, RecordedPresence } from './recording/events.js';
export type { RecordingHeader, RecordingInfo } from './recording/header.js';
export type { InputTrack } from './recording/input-track.js';
export type { Keyframe } from './recording/keyframes.js';
export type { FieldsFrom, PartedFields } from './recording/parting.js';
export { type Recording, readRecording } from './recording/reader.js';
export { isReport, readReport, writeReport } from './recording/report.js';
export { settingsHash, settingsText } from './recording/settings.js';
export type { SimRecorder } from './recording/sim-recorder.js';
export { applyStateDelta, stateDelta } from './recording/state-delta.js';
export { hashText, inputText } from './recording/text.js';
export {
  type Mismatch,
  type ProgressOptions,
  type RecordedDifference,
  type Verification,
  verify,
} from './recording/verify.js';
export { RecordingWriter } from './recording/writer.js';
export { catchUpSteps } from './rollback/catch-up.js';
export type { EffectEvent, EffectQueue, Fact } from './rollback/effect-ledger.js';
export { type ReplayOptions, replay } from './rollback/replay.js';
export { RollbackSim } from './rollback/sim.js';
export { MAX_PREDICTION_DEFAULT, type Outcome, type SimOptions, type SimStats } from './rollback/sim-options.js';
export {
  SyncFault,
  type SyncMismatch,
  type SyncTestOptions,
  type SyncTestResult,
  syncTest,
} from './rollback/sync-test.js';
export { type BytesModel, type BytesOptions, bytes } from './state/bytes.js';
export { chainHash, hashWords } from './state/hash.js';
export type { FieldDifference, Snapshot, StateModel } from './state/model.js';
export { ABSENT, DifferenceNote } from './state/plain/diff.js';
export type { Copier } from './state/plain/kinds.js';
export { type PlainModel, type PlainOptions, plain } from './state/plain/plain.js';
export { type PlainRandom, plainRandom } from './state/plain/random.js';
export { SnapshotRing } from './state/snapshot-ring.js';
export {
  array,
  bool,
  choice,
  f32,
  f64,
  fixed,
  i8,
  i16,
  i32,
  q16,
  random,
  type ScalarList,
  type StateOf,
  u8,
  u16,
  u32,
} from './state/struct/fields.js';
export { type StructModel, struct } from './state/struct/struct.js';
