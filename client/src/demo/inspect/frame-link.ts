/** The frame that an address's fragment names, as in `#frame=600`; null for any other. */
export function frameInHash(hash: string): number | null {
  const digits = /^#frame=(\d{1,10})$/.exec(hash)?.[1];
  return digits === undefined ? null : Number(digits);
}

export function hashOfFrame(frame: number): string {
  return `#frame=${frame}`;
}
