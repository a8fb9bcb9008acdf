/** Tells whether the page is hidden, now and whenever that changes; nothing where there is no page. Gives what ends it. */
export function watchVisibility(tell: (hidden: boolean) => void): () => void {
  if (typeof document === 'undefined') return () => undefined;
  const listener = (): void => tell(document.visibilityState === 'hidden');
  listener();
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
