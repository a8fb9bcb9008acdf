/** What is there at once, or in a while: who waits for it either way costs the first kind a turn of its own. */
export type Soon<T> = T | Promise<T>;

/** Goes on with it as soon as it is there. */
export function soon<T, R>(value: Soon<T>, goOn: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** Does it; whether it fails at once or in a while, `onError` is told why. Gives what to wait for where it takes time. */
export function attempt(job: () => Soon<void>, onError: (error: unknown) => void): Promise<void> | undefined {
  try {
    const ending = job();
    return ending instanceof Promise ? ending.catch(onError) : undefined;
  } catch (error) {
    onError(error);
    return undefined;
  }
}
