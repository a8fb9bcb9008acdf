import { array, f64, plain, random, struct, u8 } from '@riposte/shared';
import { describe, expect, it } from 'vitest';
import { CHILDREN_MAX, childrenOf, differencesIn, type StateNode } from './state-tree.js';

/** Every part of a value that has no parts itself, by its path. */
function leaves(value: unknown, path = ''): [string, unknown][] {
  return (childrenOf(value, path)?.nodes ?? []).flatMap((node: StateNode) =>
    childrenOf(node.value, node.path) === null ? [[node.path, node.value]] : leaves(node.value, node.path),
  );
}

describe('the tree of a state', () => {
  it('names the parts of a struct as its differences do', () => {
    const model = struct({ cars: array(2, { x: f64, gears: array(3, u8) }), dice: random() });
    const [a, b] = [model.create(), model.create()];
    b.cars[1]!.x = -0;
    b.cars[0]!.gears[2] = 4;
    model.seed(b, 5);
    const paths = leaves(a).map(([path]) => path);
    expect(paths).toContain('cars[1].gears[0]');
    for (const { path } of model.diff(a, b)) expect(paths).toContain(path);
    expect(new Map(leaves(b)).get('cars[1].x')).toBe(-0);
  });

  it('names the parts of an ordinary object as its differences do', () => {
    const model = plain(() => ({
      'odd name': 1,
      scores: new Map([['ann', { points: 1 }]]),
      list: [1, { deep: null as null | number }],
    }));
    const [a, b] = [model.create(), model.create()];
    b['odd name'] = 2;
    b.scores.get('ann')!.points = 9;
    b.list[0] = 7;
    const paths = leaves(a).map(([path]) => path);
    const differing = model.diff(a, b).map(({ path }) => path);
    expect(differing).toHaveLength(3);
    for (const path of differing) expect(paths).toContain(path);
  });

  it('lists a bounded number of parts and counts the rest', () => {
    const children = childrenOf({ memory: new Uint8Array(5000) }, '');
    const memory = childrenOf(children?.nodes[0]?.value, 'memory');
    expect(memory).toMatchObject({ count: 5000 });
    expect(memory?.nodes).toHaveLength(CHILDREN_MAX);
  });

  it('counts the differences below a part, and none of a part whose name only begins alike', () => {
    const differences = ['car.x', 'cars[1].x', 'cars[1].y'].map((path) => ({ path, a: 0, b: 1 }));
    expect(differencesIn('car', differences)).toEqual({ own: undefined, count: 1 });
    expect(differencesIn('cars', differences).count).toBe(2);
    expect(differencesIn('cars[1].x', differences)).toEqual({ own: differences[1], count: 1 });
  });
});
