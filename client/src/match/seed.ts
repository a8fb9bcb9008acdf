/** A seed that nobody can foresee, 32-bit unsigned. Also in an insecure context. */
export function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]!;
}
