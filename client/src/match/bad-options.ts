import { RiposteError } from '@riposte/shared';
import { type Hello, parseControl } from '@riposte/shared/protocol';

/** What a hello carries of a page's options, as all can read it. */
const PLAIN = { name: '', inputDelay: 'auto', frames: null, settings: null } as const;

const EXPECTED = {
  name: 'a text of at most 24 characters',
  inputDelay: 'an integer from 0 to 15, or `auto`',
  frames: 'an integer from 0 to 4294967295',
};

const SETTING = 'a finite number, a boolean or a text of at most 256 characters, with a name of at most 64';

const canBeRead = (hello: Hello): boolean => parseControl(JSON.stringify(hello)) !== undefined;

/** What to throw for a hello that nobody can read: `bad-argument` with the option, or `bad-game`. */
export function unreadable(hello: Hello): RiposteError {
  const fine = { ...hello, ...PLAIN };
  for (const name of ['name', 'inputDelay', 'frames'] as const) {
    if (!canBeRead({ ...fine, [name]: hello[name] })) return bad(name, hello[name], EXPECTED[name]);
  }
  const entries = Object.entries(hello.settings ?? {});
  for (const [name, value] of entries) {
    if (!canBeRead({ ...fine, settings: { [name]: value } })) return bad(`settings.${name}`, value, SETTING);
  }
  if (canBeRead(fine)) return bad('settings', `${entries.length} entries`, 'at most 64');
  return new RiposteError('bad-game', `${hello.game} cannot be told to others; expected what \`defineGame\` gives`);
}

function bad(name: string, given: unknown, expected: string): RiposteError {
  return new RiposteError('bad-argument', `${name} is ${String(given).slice(0, 80)}; expected ${expected}`);
}
