/**
 * `@riposte/shared/lint`: what a game's files may not contain, for ESLint's flat configuration, by ESLint's own rules
 * alone. It sees what the determinism guard cannot: the operator `**`, constants that are worked out while a module
 * loads, and variables beside the state. For Biome the same stands in `@riposte/shared/lint/determinism.grit`.
 */
import { BANS } from '../desync/forbidden.js';

interface Restriction {
  readonly message: string;
}

/** A configuration object of ESLint 9 or newer, without files: say which are a game's. */
export interface DeterminismConfig {
  readonly name: string;
  readonly rules: {
    readonly 'no-restricted-syntax': ['error', ...(Restriction & { readonly selector: string })[]];
    readonly 'no-restricted-properties': [
      'error',
      ...(Restriction & { readonly object: string; readonly property: string })[],
    ];
    readonly 'no-restricted-globals': ['error', ...(Restriction & { readonly name: string })[]];
  };
}

const POWER = 'engines differ in its last bits: use pow from @riposte/shared/math, or multiply';
const OUTSIDE =
  'a variable outside the state, which a rollback does not rewind: make it a field of the state, or const';
const SYNCHRONOUS = 'a step ends before it returns: write it without async';

const SYNTAX = [
  { selector: "BinaryExpression[operator='**']", message: POWER },
  { selector: "AssignmentExpression[operator='**=']", message: POWER },
  { selector: "Program > VariableDeclaration[kind!='const']", message: OUTSIDE },
  { selector: "Program > ExportNamedDeclaration > VariableDeclaration[kind!='const']", message: OUTSIDE },
  { selector: ':function[async=true]', message: SYNCHRONOUS },
  { selector: 'AwaitExpression', message: SYNCHRONOUS },
];

function messageOf({ instead }: (typeof BANS)[number], name: string): string {
  return typeof instead === 'string' ? instead : instead(name);
}

const methods = BANS.filter(({ owner }) => owner.endsWith('.prototype') && owner !== 'Promise.prototype');
/** A method by its name, on whatever it is called; the first table row that has it gives the advice. */
const methodNames = new Map(
  methods.flatMap((ban) => ban.names.map((name) => [name, messageOf(ban, name)] as const)).reverse(),
);
const properties = BANS.filter(({ owner }) => owner === 'Math');
/** Objects that have nothing for a step: their name alone is enough. */
const objects = BANS.filter(({ owner }) => ['performance', 'Temporal.Now', 'crypto', 'Intl'].includes(owner));
const globals = BANS.filter(({ owner }) => owner === '');

/**
 * Bans, by name, what a step may not use. In `eslint.config.js`:
 * `export default [{ files: ['src/game/**'], ...determinism }]`.
 */
export const determinism: DeterminismConfig = {
  name: 'riposte/determinism',
  rules: {
    'no-restricted-syntax': [
      'error',
      ...SYNTAX,
      ...[...methodNames].map(([name, message]) => ({
        selector: `CallExpression[callee.property.name='${name}']`,
        message,
      })),
    ],
    'no-restricted-properties': [
      'error',
      ...properties.flatMap((ban) =>
        ban.names.map((name) => ({ object: ban.owner, property: name, message: messageOf(ban, name) })),
      ),
    ],
    'no-restricted-globals': [
      'error',
      ...objects.map((ban) => ({ name: ban.owner.replace(/\..*/, ''), message: messageOf(ban, '') })),
      ...globals.flatMap((ban) => ban.names.map((name) => ({ name, message: messageOf(ban, name) }))),
    ],
  },
};
