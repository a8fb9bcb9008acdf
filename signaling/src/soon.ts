/** What is there at once, or in a while: who waits for it either way costs the first kind a turn of its own. */
export type Soon<T> = T | Promise<T>;

/** Goes on with it as soon as it is there. */
export function soon<T, R>(value: Soon<T>, goOn: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
