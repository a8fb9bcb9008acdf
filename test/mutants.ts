/**
 * Faults of the engine, planted on purpose: what a test suite or a simulator that finds nothing would have missed.
 * `RIPOSTE_MUTANT=NAME` runs the tests with one of them in the source.
 */
export interface Mutant {
  /** The source file, from the repository's root. */
  readonly file: string;
  /** What is replaced; it must be there exactly once. */
  readonly from: string;
  readonly to: string;
  /** Only matches of more than two can show it. */
  readonly ofParties?: boolean;
}

export const mutants: { readonly [name: string]: Mutant } = {
  'confirmed-off-by-one': {
    file: 'shared/src/rollback/sim.ts',
    from: 'return this.#knownThrough(this.#head, 0);',
    to: 'return Math.min(this.#head, this.#knownThrough(this.#head, 0) + 1);',
  },
  'correction-dropped-at-the-limit': {
    file: 'shared/src/rollback/sim.ts',
    from: `for (let frame = unknown; frame < first + count; frame++) {
      const wordsAt = at + (frame - first) * timeline.words;
      if (frame < oldest && (overrules || !timeline.isConfirmed(frame))) throw notKept(frame, oldest, newest);
      if (timeline.put(frame, from, wordsAt, overrules) && frame <= this.#head) {`,
    to: `const isAtLimit = this.#head - this.confirmedFrame >= this.#window;
    for (let frame = unknown; frame < first + count; frame++) {
      const wordsAt = at + (frame - first) * timeline.words;
      if (frame < oldest && (overrules || !timeline.isConfirmed(frame))) throw notKept(frame, oldest, newest);
      if (timeline.put(frame, from, wordsAt, overrules) && frame <= this.#head && !isAtLimit) {`,
  },
  'prediction-not-made-again': {
    file: 'shared/src/input/timeline.ts',
    from: 'this.#usedFrame[slot] = frame;',
    to: 'if (this.#usedFrame[slot] === frame) return base;\n    this.#usedFrame[slot] = frame;',
  },
  'snapshot-aliased': {
    file: 'shared/src/state/struct/struct.ts',
    from: 'copyWords(this.#model.wordsOf(state), this.#words);',
    to: 'this.#words = this.#model.wordsOf(state);',
  },
};

/** Faults of the session, which only whole matches can show. */
export const sessionMutants: { readonly [name: string]: Mutant } = {
  // Says that it has the frame after the newest that it stored.
  'acknowledgement-before-storing': {
    file: 'client/src/session/peer-endpoint.ts',
    from: 'head.ack = sim.heldThrough(this.player);',
    to: 'head.ack = sim.heldThrough(this.player) + 1;',
  },
  // Takes the hash of what is shown now for that of a confirmed frame.
  'hash-of-a-predicted-frame': {
    file: 'client/src/session/rollback-driver.ts',
    from: 'const hash = sim.hashAt(frame + 1);',
    to: 'const hash = sim.hashAt(sim.lastFrame() + 1);',
  },
  // Takes packets of an earlier connection.
  'epoch-ignored': {
    file: 'client/src/session/peer-endpoint.ts',
    from: 'head.epoch !== epoch % EPOCHS || ',
    to: '',
    ofParties: true,
  },
  // Each survivor takes the last frame that it holds itself for that of a lost seat.
  'deaths-last-frame-decided-locally': {
    file: 'client/src/session/seats.ts',
    from: "if (hasAll) this.#send('have', seat, round, frame);",
    to: "this.#changes.drop(seat, this.#changes.playedThrough(seat));\n      this.#send('have', seat, round, frame);",
    ofParties: true,
  },
  // After a shorter input delay, the samples that fall on frames already sent are put there.
  'delay-change-rewrites-a-sent-frame': {
    file: 'client/src/session/local-input.ts',
    from: 'if (target <= this.#sim.confirmedThrough(this.#player)) return;',
    to: '',
  },
};

/** Whether it takes a match of more than two to show this fault. */
export function isOfParties(name: string | undefined): boolean {
  return name !== undefined && sessionMutants[name]?.ofParties === true;
}

/** The Vite plugin that plants one. */
export function plant(name: string | undefined) {
  if (name === undefined) return [];
  const all = { ...mutants, ...sessionMutants };
  const mutant = all[name];
  if (mutant === undefined) throw new Error(`no mutant "${name}"; expected one of ${Object.keys(all).join(', ')}`);
  return [
    {
      name: 'riposte-mutant',
      enforce: 'pre' as const,
      transform(code: string, id: string) {
        if (!id.endsWith(mutant.file)) return undefined;
        if (code.split(mutant.from).length !== 2) throw new Error(`mutant "${name}" no longer fits ${mutant.file}`);
        return code.replace(mutant.from, () => mutant.to);
      },
    },
  ];
}
