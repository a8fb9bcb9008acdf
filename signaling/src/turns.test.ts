import { expect, it } from 'vitest';
import { Turns } from './turns.js';

it('jobs run one after the other, the first at once, and each ends before the next begins', async () => {
  const told: string[] = [];
  const turns = new Turns(() => undefined);
  const job = (name: string, pauses: number) => async () => {
    told.push(`${name} begins`);
    for (let pause = 0; pause < pauses; pause++) await Promise.resolve();
    told.push(`${name} ends`);
  };
  const jobs = [turns.take(job('one', 5)), turns.take(job('two', 0)), turns.take(job('three', 2))];
  expect([told, turns.waiting]).toEqual([['one begins'], 3]);
  await Promise.all(jobs);
  expect(told).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends']);
  await turns.take(job('four', 0));
  expect([told.at(-1), turns.waiting]).toEqual(['four ends', 0]);
});

it('a job that fails is told of, resolves, and keeps nobody from their turn', async () => {
  const errors: unknown[] = [];
  const turns = new Turns((error) => errors.push(error));
  const failing = turns.take(() => Promise.reject(new Error('no')));
  const thrown = turns.take(() => {
    throw new Error('at once');
  });
  let ran = false;
  await turns.take(async () => {
    ran = true;
  });
  await Promise.all([failing, thrown]);
  expect([errors.map(String), ran]).toEqual([['Error: no', 'Error: at once'], true]);
});

it('a job that is done at once leaves nothing to wait for, but whatever it adds has its turn', async () => {
  const told: string[] = [];
  const turns = new Turns(() => undefined);
  const say = (word: string) => () => {
    told.push(word);
    return undefined;
  };
  expect([turns.take(say('one')), told]).toEqual([undefined, ['one']]);
  let added: Promise<void> | undefined;
  turns.take(() => {
    added = turns.take(say('three'));
    return say('two')();
  });
  expect(told).toEqual(['one', 'two']);
  await added;
  expect(told).toEqual(['one', 'two', 'three']);
  await expect.poll(() => turns.waiting).toBe(0);
});

it('jobs that are done at once count as waiting until the round of the event loop is over', async () => {
  const turns = new Turns(() => undefined);
  for (let count = 1; count <= 3; count++) {
    turns.take(() => undefined);
    expect(turns.waiting).toBe(count);
  }
  await Promise.resolve();
  expect(turns.waiting).toBe(3);
  await new Promise((resolve) => setImmediate(resolve));
  expect(turns.waiting).toBe(0);
});
