import { useEffect, useState } from 'preact/hooks';
import { Samples, type Spread } from '../session/samples.js';

/** So many round trips are measured: enough that one slow answer does not count as uneven, and no load to speak of. */
export const SERVER_PINGS = 20;
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
  const samples = new Samples(SERVER_PINGS);
  const ping = async (): Promise<number> => {
    const answer = await fetch('/healthz', { signal, cache: 'no-store' });
    await answer.text();
    // By the browser's own clock: a page that is busy reads an answer late.
    const timing = performance.getEntriesByName(answer.url).at(-1);
    return timing instanceof PerformanceResourceTiming ? timing.responseStart - timing.requestStart : Number.NaN;
  };
  // The first one may have had to connect.
  await ping();
  while (samples.count < SERVER_PINGS && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, GAP_MS));
    const tookMs = await ping();
    if (Number.isNaN(tookMs)) return;
    samples.add(performance.now(), tookMs);
    tell(samples.spread(performance.now()));
  }
}
