/** Something that happens at a moment. `order` is the queue's: what was pushed first of one moment comes first. */
export interface Timed {
  atMs: number;
  order: number;
}

/** What is to happen in a virtual world, the earliest first: a binary heap. */
export class EventQueue<E extends Timed> {
  readonly #heap: E[] = [];
  #pushed = 0;

  /** The earliest event, which stays in the queue. */
  get next(): E | undefined {
    return this.#heap[0];
  }

  push(event: E): void {
    event.order = this.#pushed++;
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  /** Takes the earliest event out. */
  pop(): E | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    const size = heap.length;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Timed, b: Timed): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
