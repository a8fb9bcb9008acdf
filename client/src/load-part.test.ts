import { describe, expect, it } from 'vitest';
import { loadPart } from './load-part.js';

describe('a part that is loaded later', () => {
  it('comes as it is', async () => {
    expect(await loadPart(async () => 7)).toBe(7);
  });

  it('says in words what to do when it cannot be loaded', async () => {
    const cause = new TypeError('Failed to fetch dynamically imported module: /assets/party-1a2b.js');
    const loading = loadPart(() => Promise.reject(cause));
    await expect(loading).rejects.toMatchObject({ name: 'RiposteError', code: 'not-loaded', cause });
    await expect(loading).rejects.toThrow('Reload the page.');
  });
});
