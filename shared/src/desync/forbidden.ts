/** What a step may not call, by name, with what to use in its place. Nothing here is called: the guard looks it up. */

export interface Ban {
  /** Where the functions lie, as a path from the global object; empty for the global object itself. */
  readonly owner: string;
  readonly names: readonly string[];
  /** What the author should do, as the end of a sentence: `use sin from @riposte/shared/math`. */
  readonly instead: string | ((name: string) => string);
}

const COUNT_FRAMES = 'a step has no clock: count frames in the state, or read ctx.frame';
const DRAW_FROM_STATE = 'use a random() field of the state, which a rollback rewinds';
const FORMAT_OUTSIDE = 'its result depends on the machine: put numbers in the state and format them where you draw';
const STAY_SYNCHRONOUS = 'a step ends before it returns: do this outside it, and let the result come in as an input';

const SAME_NAME = new Set(['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2', 'exp', 'log', 'pow', 'cbrt', 'hypot']);

function deterministicMath(name: string): string {
  if (SAME_NAME.has(name)) return `engines differ in its last bits: use ${name} from @riposte/shared/math`;
  const base = name.startsWith('log') ? 'log' : 'exp';
  return `engines differ in its last bits: work it out with ${base} from @riposte/shared/math`;
}

/** `Math` functions whose results the language leaves to the engine. */
const ENGINE_MATH = [
  ...['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'],
  ...['exp', 'expm1', 'log', 'log2', 'log10', 'log1p', 'pow', 'cbrt', 'hypot'],
] as const;

export const BANS: readonly Ban[] = [
  { owner: 'Math', names: ENGINE_MATH, instead: deterministicMath },
  { owner: 'Math', names: ['random'], instead: DRAW_FROM_STATE },
  // The statics before the class: its stand-in must find them replaced.
  { owner: 'Date', names: ['now', 'parse'], instead: COUNT_FRAMES },
  { owner: '', names: ['Date'], instead: COUNT_FRAMES },
  { owner: 'performance', names: ['now'], instead: COUNT_FRAMES },
  {
    owner: 'Temporal.Now',
    names: ['instant', 'plainDateISO', 'plainDateTimeISO', 'plainTimeISO', 'zonedDateTimeISO', 'timeZoneId'],
    instead: COUNT_FRAMES,
  },
  { owner: 'crypto', names: ['getRandomValues', 'randomUUID'], instead: DRAW_FROM_STATE },
  {
    owner: 'Intl',
    names: [
      ...['Collator', 'DateTimeFormat', 'DisplayNames', 'DurationFormat', 'ListFormat', 'Locale', 'NumberFormat'],
      ...['PluralRules', 'RelativeTimeFormat', 'Segmenter', 'getCanonicalLocales', 'supportedValuesOf'],
    ],
    instead: FORMAT_OUTSIDE,
  },
  {
    owner: 'String.prototype',
    names: ['localeCompare'],
    instead: 'its order depends on the machine: compare with < and >',
  },
  { owner: 'String.prototype', names: ['toLocaleLowerCase'], instead: 'it depends on the machine: use toLowerCase' },
  { owner: 'String.prototype', names: ['toLocaleUpperCase'], instead: 'it depends on the machine: use toUpperCase' },
  { owner: 'Number.prototype', names: ['toLocaleString'], instead: FORMAT_OUTSIDE },
  { owner: 'BigInt.prototype', names: ['toLocaleString'], instead: FORMAT_OUTSIDE },
  { owner: 'Array.prototype', names: ['toLocaleString'], instead: FORMAT_OUTSIDE },
  {
    owner: 'Date.prototype',
    names: ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'],
    instead: FORMAT_OUTSIDE,
  },
  {
    owner: '',
    names: ['setTimeout', 'setInterval', 'setImmediate', 'requestAnimationFrame', 'requestIdleCallback'],
    instead: 'a step has no timers: keep a countdown of frames in the state',
  },
  { owner: '', names: ['queueMicrotask', 'fetch', 'XMLHttpRequest'], instead: STAY_SYNCHRONOUS },
  {
    owner: 'Promise',
    names: ['resolve', 'reject', 'all', 'allSettled', 'any', 'race', 'withResolvers', 'try'],
    instead: STAY_SYNCHRONOUS,
  },
  { owner: 'Promise.prototype', names: ['then', 'catch', 'finally'], instead: STAY_SYNCHRONOUS },
  { owner: '', names: ['Promise'], instead: STAY_SYNCHRONOUS },
  {
    owner: '',
    names: ['WeakRef', 'FinalizationRegistry'],
    instead: 'what it sees depends on garbage collection: hold a plain reference',
  },
];
