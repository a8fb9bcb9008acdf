/** Numbers before the newest of which it is known whether they came. */
const KEPT = 32;

/** Counts, of packets that are numbered modulo 256, those that did not come. */
export class LossCount {
  /** Missing beside those that came: one that comes late after all is none. */
  lost = 0;
  #newest = -1;
  /** One bit each for the newest number, the lowest, and those before it: set where nothing is missing. */
  #came = -1;

  /** A packet came; `isNews` when it tells of a later time than any before it. */
  take(number: number, isNews: boolean): void {
    if (this.#newest < 0) this.#newest = number;
    let ahead = ((number - this.#newest) << 24) >> 24;
    // So many were missing that the number came round.
    if (isNews && ahead < 0) ahead += 256;
    if (ahead > 0) {
      this.#newest = number;
      this.#came = ahead < KEPT ? (this.#came << ahead) | 1 : 1;
      this.lost += ahead - 1;
      return;
    }
    const bit = ahead > -KEPT ? 1 << -ahead : 0;
    if ((this.#came & bit) !== bit) this.lost--;
    this.#came |= bit;
  }
}
