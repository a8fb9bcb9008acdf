/** A source in which a button is held while any of `sources` holds it: keys, a gamepad, fingers. */
export function eitherOf<N extends string>(
  names: readonly N[],
  ...sources: readonly (() => Readonly<Record<N, boolean>>)[]
): () => Readonly<Record<N, boolean>> {
  // Complete at once: every name gets its entry.
  const input = Object.fromEntries(names.map((name) => [name, false])) as Record<N, boolean>;
  return () => {
    for (const name of names) input[name] = false;
    for (const source of sources) {
      const held = source();
      for (const name of names) if (held[name]) input[name] = true;
    }
    return input;
  };
}
