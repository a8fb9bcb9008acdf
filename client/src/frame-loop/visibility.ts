/** Tells whenever the page is hidden or seen again; nothing where there is no page. Gives what ends it. */
export function watchVisibility(tell: (hidden: boolean) => void): () => void {
  if (typeof document === 'undefined') return () => undefined;
  const listener = (): void => tell(document.visibilityState === 'hidden');
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
