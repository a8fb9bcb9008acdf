import { describe, expect, it } from 'vitest';
import { parseControl } from './control.js';

describe('a message between peers', () => {
  const bye = (frame: number) => parseControl(JSON.stringify({ type: 'bye', reason: 'left', frame, chain: 0 }));

  it('names no frame that a simulation cannot have', () => {
    for (const frame of [-1, 0, 2 ** 30 - 2]) expect(bye(frame)).toMatchObject({ frame });
    for (const frame of [-2, 0.5, 2 ** 30 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER]) expect(bye(frame)).toBeUndefined();
  });
});
