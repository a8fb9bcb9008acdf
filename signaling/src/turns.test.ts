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
