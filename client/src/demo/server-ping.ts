import { useEffect, useState } from 'preact/hooks';
import { Samples, type Spread } from '../session/samples.js';

/** So many round trips are measured, for all that wait: enough to see how even they are, and no load to speak of. */
const PINGS = 12;
const GAP_MS = 250;

/** Round trips to the server, in milliseconds, measured while this is shown; undefined before the first. */
export function useServerPing(): Spread | undefined {
  const [spread, setSpread] = useState<Spread>();
  useEffect(() => {
    const abort = new AbortController();
    // A server that does not answer is told of by whoever needs more of it.
    measure(abort.signal, setSpread).catch(() => undefined);
    return () => abort.abort();
  }, []);
  return spread;
}

async function measure(signal: AbortSignal, tell: (spread: Spread) => void): Promise<void> {
  const samples = new Samples(PINGS);
  const ping = async (): Promise<number> => {
    const sentMs = performance.now();
    await fetch('/healthz', { signal, cache: 'no-store' });
    return performance.now() - sentMs;
  };
  // The first one may have had to connect.
  await ping();
  while (samples.count < PINGS && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, GAP_MS));
    samples.add(performance.now(), await ping());
    tell(samples.spread(performance.now()));
  }
}
