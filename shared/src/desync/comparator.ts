/**
 * Whether a comparator orders its elements one way only. An inconsistent one still sorts, but each engine's algorithm
 * asks about other pairs and so arrives at another order.
 */

/** Tells what is wrong with a comparator; does not return. */
type Complain = (problem: string) => never;
type Compare = (a: unknown, b: unknown) => unknown;

function shown(value: unknown): string {
  return typeof value === 'object' || typeof value === 'function' ? 'an object' : String(value);
}

/** The sign of what a comparator returned: -1, 0 or 1. */
function signOf(result: unknown, a: unknown, b: unknown, complain: Complain): number {
  const sign = Math.sign(Number(result));
  if (Number.isNaN(sign)) {
    return complain(`its comparator gives ${shown(result)} for ${shown(a)} and ${shown(b)}; expected a number`);
  }
  return sign;
}

/** The same comparator, asked about every pair in both orders. */
export function checkedComparator(compare: Compare, complain: Complain): (a: unknown, b: unknown) => number {
  return (a, b) => {
    const there = signOf(compare(a, b), a, b, complain);
    const back = signOf(compare(b, a), b, a, complain);
    if (there !== -back) {
      complain(
        `its comparator is not consistent: it gives ${there} for (a, b) and ${back} for (b, a), ` +
          `where a is ${shown(a)} and b is ${shown(b)}; expected opposite signs`,
      );
    }
    return there;
  };
}

/**
 * Checks what a comparator says about a list that was sorted by it: elements at growing distances must stand in the
 * order, and in the classes of equals, that their neighbours make. Finds circles, and "equal within a tolerance".
 * Asks about n log n pairs.
 */
export function checkSorted(sorted: ArrayLike<unknown>, compare: Compare, complain: Complain): void {
  const values: unknown[] = [];
  // Holes and undefined go to the end without the comparator being asked.
  for (let index = 0; index < sorted.length; index++) if (sorted[index] !== undefined) values.push(sorted[index]);
  const classes: number[] = [0];
  for (let index = 1; index < values.length; index++) {
    const a = values[index - 1];
    const b = values[index];
    classes.push(classes[index - 1]! + (signOf(compare(a, b), a, b, complain) === 0 ? 0 : 1));
  }
  for (let apart = 1; apart < values.length; apart *= 2) {
    for (let index = apart; index < values.length; index++) {
      const a = values[index - apart];
      const b = values[index];
      const expected = classes[index - apart] === classes[index] ? 0 : -1;
      const given = signOf(compare(a, b), a, b, complain);
      if (given !== expected) {
        complain(
          `its comparator is not consistent: it gives ${given} for ${shown(a)} and ${shown(b)}, ` +
            `where the elements between them make it ${expected}`,
        );
      }
    }
  }
}
