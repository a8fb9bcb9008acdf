import { RiposteError } from '../errors.js';
import type { Settings } from '../game/game.js';
import { viewOf } from './bytes.js';
import { crc32 } from './crc32.js';
import { encodeUtf8 } from './utf8.js';

/** One setting's value as JSON. Throws `bad-argument`, naming the setting. */
export function valueText(name: string, value: unknown): string {
  // JSON.stringify would lose the sign, and a game can tell the zeros apart.
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  throw new RiposteError(
    'bad-argument',
    `setting "${name}" is ${String(value)}; expected a string, a finite number or a boolean`,
  );
}

/**
 * Settings as JSON with the names in order: equal settings give equal text on every engine.
 * Throws `bad-argument` for a value that is no string, finite number or boolean.
 */
export function settingsText(settings: Settings): string {
  const names = Object.keys(settings).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${valueText(name, settings[name])}`).join(',')}}`;
}

/** CRC-32 of the UTF-8 bytes of `settingsText`; unsigned. */
export function settingsHash(settings: Settings): number {
  const bytes = encodeUtf8(settingsText(settings));
  return crc32(viewOf(bytes), 0, bytes.length);
}

/** Reads what `settingsText` wrote. Throws `bad-recording` for any other text. */
export function parseSettings(text: string): Settings {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new RiposteError('bad-recording', 'the settings are not JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new RiposteError('bad-recording', 'the settings are not an object of names and values');
  }
  const entries: [string, string | number | boolean][] = [];
  for (const [name, value] of Object.entries(parsed)) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new RiposteError('bad-recording', `setting "${name}" is not a string, a number or a boolean`);
    }
    entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}
