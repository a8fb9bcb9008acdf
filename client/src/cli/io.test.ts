import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { stopOnSignal } from './io.js';

describe('a signal to stop', () => {
  it('is left to the system until a command asks for it, for one that only computes could not hear it', () => {
    const process = new EventEmitter();
    const stop = stopOnSignal(process);
    expect(process.listenerCount('SIGINT')).toBe(0);
    expect(stop().aborted).toBe(false);
    expect(process.listenerCount('SIGINT')).toBe(1);
  });

  it.each(['SIGINT', 'SIGTERM'])('is %s, and only the first one', (signal) => {
    const process = new EventEmitter();
    const stop = stopOnSignal(process);
    expect(stop()).toBe(stop());
    process.emit(signal);
    expect(stop().aborted).toBe(true);
    expect(process.eventNames()).toEqual([]);
  });
});
