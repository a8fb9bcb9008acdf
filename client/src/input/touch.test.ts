import { describe, expect, it } from 'vitest';
import { eitherOf } from './either-of.js';
import { touch } from './touch.js';

const NAMES = ['left', 'light'] as const;

describe('buttons on the screen', () => {
  it('are held for as long as a finger is on them, each finger for itself', () => {
    const pad = touch(NAMES);
    pad.press(1, 'left');
    pad.press(2, 'left');
    pad.press(3, 'light');
    pad.release(1);
    pad.release(3);
    expect({ ...pad() }).toEqual({ left: true, light: true });
    expect({ ...pad() }).toEqual({ left: true, light: false });
    pad.clear();
    expect(pad().left).toBe(false);
  });

  it('follow a finger that slides from one to the other', () => {
    const pad = touch(NAMES);
    pad.press(1, 'left');
    pad();
    pad.press(1, 'light');
    expect({ ...pad() }).toEqual({ left: false, light: true });
  });

  it('work beside another source', () => {
    const pad = touch(NAMES);
    const both = eitherOf(NAMES, pad, () => ({ left: false, light: true }));
    pad.press(1, 'left');
    expect({ ...both() }).toEqual({ left: true, light: true });
    pad.release(1);
    expect({ ...both() }).toEqual({ left: false, light: true });
  });
});
