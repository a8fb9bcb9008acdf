import { useEffect, useState } from 'preact/hooks';
import type { StoredChoice } from './stored.js';

/** The value of a choice, also when it changes elsewhere on the page. */
export function useChoice<T extends string>(choice: StoredChoice<T>): T {
  const [value, setValue] = useState(choice.value);
  useEffect(() => choice.listen(setValue), [choice]);
  return value;
}
