/** The recording's header holds this many bytes of it. */
const LENGTH_MAX = 255;

/** What this code runs on, as people read it. */
export function engineName(): string {
  const isNode = typeof process === 'object' && typeof process.versions?.node === 'string';
  if (isNode) return `Node ${process.versions.node} (V8 ${process.versions.v8})`;
  // Header bytes are counted, and a browser's own name for itself is plain ASCII.
  return navigator.userAgent.replace(/[^\x20-\x7e]/g, '?').slice(0, LENGTH_MAX);
}
