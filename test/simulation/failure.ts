/** Something that must not happen did, in a simulated run. The message says what, where and against which rule. */
export class SimulationFailure extends Error {
  override readonly name = 'SimulationFailure';
}

/** Throws the failure unless `holds`. The reason is made only then. */
export function require(holds: boolean, reason: () => string): void {
  if (!holds) throw new SimulationFailure(reason());
}
