import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Shows its parts one after the other, one more in each drawn frame: all at once would hold the page up. */
export function InTurn({ parts }: { parts: readonly ComponentChild[] }) {
  const [shown, setShown] = useState(0);
  const isDone = shown >= parts.length;
  useEffect(() => {
    if (isDone) return;
    const request = requestAnimationFrame(() => setShown((before) => before + 1));
    return () => cancelAnimationFrame(request);
  }, [shown, isDone]);
  return <>{parts.slice(0, shown)}</>;
}
