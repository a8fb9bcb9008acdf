import { RiposteError } from '../errors.js';
import type { Game } from '../game/game.js';
import { checkedComparator, checkSorted } from './comparator.js';
import { BANS } from './forbidden.js';

/** One run of a game's function under the guard, and the run that it lies within. */
interface GuardedRun {
  readonly where: string;
  readonly outer: GuardedRun | undefined;
  /** The first fault of this run: thrown at its end too, in case that the game caught it. */
  fault: RiposteError | undefined;
}

type AnyFunction = (...args: unknown[]) => unknown;

/** A function that is replaced while the guard is on, as it was found last. */
interface Target {
  readonly path: string;
  readonly name: string;
  readonly make: (original: AnyFunction) => unknown;
  original: unknown;
  standIn: unknown;
  /** Where the original is its owner's own, or undefined where it is inherited or made by a getter of a prototype. */
  descriptor: PropertyDescriptor | undefined;
}

/** The innermost run. What is replaced belongs to the whole realm, and so does this. */
let active: GuardedRun | undefined;
let replaced: { readonly owner: object; readonly target: Target }[] = [];
/** Made when the guard is first used: a page that never does pays nothing for it. */
let targets: readonly Target[] | undefined;

function fault(call: string, instead: string): RiposteError {
  const error = new RiposteError('not-deterministic', `${call} in ${active?.where ?? 'step'}: ${instead}`);
  for (let run = active; run !== undefined; run = run.outer) run.fault ??= error;
  return error;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function';
}

/** The prototype that all typed arrays share: it has no name of its own. */
const TYPED_ARRAY_PROTOTYPE = 'TypedArray.prototype';

function ownerAt(path: string): object | undefined {
  if (path === TYPED_ARRAY_PROTOTYPE) return Object.getPrototypeOf(Int8Array.prototype) ?? undefined;
  let owner: unknown = globalThis;
  if (path !== '') {
    for (const part of path.split('.')) {
      if (!isObject(owner)) return undefined;
      owner = Reflect.get(owner, part);
    }
  }
  return isObject(owner) ? owner : undefined;
}

/** Throws while the guard is on; a game that kept it finds the original in it afterwards. */
function forbiddingStandIn(call: string, original: AnyFunction, instead: string): unknown {
  function standIn(this: unknown, ...args: unknown[]): unknown {
    if (active !== undefined) throw fault(call, instead);
    return new.target === undefined
      ? Reflect.apply(original, this, args)
      : Reflect.construct(original, args, new.target === standIn ? original : new.target);
  }
  // Static functions are found through the original, where they are replaced too, and `instanceof` still answers.
  Object.setPrototypeOf(standIn, original);
  const prototype: unknown = Reflect.get(original, 'prototype');
  if (isObject(prototype)) Object.defineProperty(standIn, 'prototype', { value: prototype });
  return standIn;
}

/** Sorts, and checks the comparator while the guard is on. */
function sortingStandIn(call: string, original: AnyFunction): unknown {
  return function (this: unknown, ...args: unknown[]): unknown {
    const [compare] = args;
    if (active === undefined || !isFunction(compare)) return Reflect.apply(original, this, args);
    const complain = (problem: string): never => {
      throw fault(call, problem);
    };
    const sorted: unknown = Reflect.apply(original, this, [checkedComparator(compare, complain)]);
    // A sort gives an array or a typed array: the call above would have thrown for anything else.
    checkSorted(sorted as ArrayLike<unknown>, compare, complain);
    return sorted;
  };
}

function targetsOf(): Target[] {
  const target = (path: string, name: string, make: (call: string, original: AnyFunction) => unknown): Target => {
    const call = path === '' ? name : `${path}.${name}`;
    const unknownYet = { original: undefined, standIn: undefined, descriptor: undefined };
    return { path, name, make: (original) => make(call, original), ...unknownYet };
  };
  const banned = BANS.flatMap(({ owner, names, instead }) =>
    names.map((name) => {
      const advice = typeof instead === 'string' ? instead : instead(name);
      return target(owner, name, (call, original) => forbiddingStandIn(call, original, advice));
    }),
  );
  const sorts = ['Array.prototype', TYPED_ARRAY_PROTOTYPE].flatMap((path) =>
    ['sort', 'toSorted'].map((name) => target(path, name, sortingStandIn)),
  );
  return [...banned, ...sorts];
}

/** Puts the stand-in where the function lies. What is missing, or locked by its owner, is left alone. */
function replace(owner: object, target: Target): void {
  const original: unknown = Reflect.get(owner, target.name);
  if (!isFunction(original)) return;
  if (target.original !== original) {
    target.original = original;
    target.standIn = target.make(original);
    target.descriptor = Reflect.getOwnPropertyDescriptor(owner, target.name);
  }
  const { name, descriptor, standIn: value } = target;
  // A plain assignment keeps the property as it is, and is several times cheaper than a definition.
  const done =
    descriptor?.writable === true
      ? Reflect.set(owner, name, value)
      : Reflect.defineProperty(owner, name, { value, enumerable: false, writable: true, configurable: true });
  if (done) replaced.push({ owner, target });
}

function install(): void {
  targets ??= targetsOf();
  let path: string | undefined;
  let owner: object | undefined;
  for (const target of targets) {
    if (target.path !== path) {
      path = target.path;
      owner = ownerAt(path);
    }
    if (owner !== undefined) replace(owner, target);
  }
}

function restore(): void {
  const undo = replaced;
  replaced = [];
  for (const { owner, target } of undo.reverse()) {
    const { name, descriptor, original } = target;
    if (descriptor === undefined) Reflect.deleteProperty(owner, name);
    else if (descriptor.writable === true) Reflect.set(owner, name, original);
    else Reflect.defineProperty(owner, name, descriptor);
  }
}

/** Calls `run` with everything that a step may not call replaced. Always puts it all back. */
function guarded<T>(where: string, run: () => T): T {
  const self: GuardedRun = { where, outer: active, fault: undefined };
  try {
    if (active === undefined) install();
    active = self;
    const result = run();
    if (isObject(result) && isFunction(Reflect.get(result, 'then'))) {
      throw fault('a promise', 'it must end before it returns: write it without async');
    }
    if (self.fault !== undefined) throw self.fault;
    return result;
  } catch (error) {
    throw self.fault ?? error;
  } finally {
    active = self.outer;
    if (active === undefined) restore();
  }
}

/**
 * The same game, whose `init`, `step` and `over` throw `not-deterministic` when they call what differs between machines,
 * engines or runs: clocks, random numbers, engine-dependent functions of `Math`, `Intl` and `localeCompare`, timers, promises,
 * `crypto`. The message names the call and what to use instead. A `sort` whose comparator contradicts itself throws
 * too. The operator `**` cannot be caught here: ban it by the lint rules in `@riposte/shared/lint`.
 *
 * The global functions are replaced while the game's code runs and put back right after it, whatever it throws. That
 * costs some microseconds a call: for tests and `synctest`, not for a match.
 */
export function guardDeterminism<S, I>(game: Game<S, I>): Game<S, I> {
  const guardedGame: Game<S, I> = {
    ...game,
    step: (state, inputs, ctx) => guarded('step', () => game.step(state, inputs, ctx)),
  };
  if (game.init !== undefined) guardedGame.init = (state, setup) => guarded('init', () => game.init?.(state, setup));
  if (game.over !== undefined) guardedGame.over = (state) => guarded('over', () => game.over?.(state));
  return guardedGame;
}
