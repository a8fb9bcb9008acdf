import { useEffect, useState } from 'preact/hooks';
import { clockText } from './inspect/controls.js';

/** How long somebody waits here. No screen reader is told of each second: it is read when it is looked for. */
export function Waited() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const startMs = performance.now();
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - startMs) / 1000)), 1000);
    return () => clearInterval(timer);
  }, []);
  return <p>Waiting for {clockText(seconds, 1).slice(0, -3)}.</p>;
}
