import { ProcError } from '../errors.ts';
import { show } from '../validate.ts';
import { nearest } from './nearest.ts';

/**
 * Reads pairs separated by commas: `name="Bolt, hex",quantity=4`. The whole pair may be quoted too: `"name=Bolt, hex"`.
 *
 * @param flag the place named in errors, e.g. `--item`
 * @throws ProcError `invalid_usage`
 */
export function parsePairs(
  text: string,
  flag: string,
  keys: readonly string[],
): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const field of splitFields(text, flag)) {
    if (field.trim() === '') continue;
    const equals = field.indexOf('=');
    const key = field.slice(0, Math.max(0, equals)).trim();
    if (equals < 1) {
      throw new ProcError(
        'invalid_usage',
        `${flag} ${show(text)}: ${show(field)} is not of the form key=value`,
        {
          hint: `Known keys: ${keys.join(', ')}. Quote a value that contains a comma: name="Bolt, hex"`,
        },
      );
    }
    if (!keys.includes(key)) {
      const near = nearest(key, keys);
      throw new ProcError('invalid_usage', `${flag} ${show(text)}: unknown key "${key}"`, {
        hint: near === undefined ? `Known keys: ${keys.join(', ')}` : `Did you mean ${near}=?`,
      });
    }
    if (pairs.has(key)) {
      throw new ProcError('invalid_usage', `${flag} ${show(text)}: ${key}= is given twice`);
    }
    pairs.set(key, field.slice(equals + 1));
  }
  return pairs;
}

/** A quote is special only at the start of a field or right after its first `=`. Elsewhere it means inches. */
const FIELD = /([^,"=]*=)?"((?:[^"]|"")*)"(?!")([^,]*)(?:,|$)|([^,]*)(?:,|$)/y;

function splitFields(text: string, flag: string): string[] {
  const fields: string[] = [];
  FIELD.lastIndex = 0;
  do {
    const [all = '', name = '', quoted, rest = '', plain = ''] = FIELD.exec(text) ?? [];
    if (quoted === undefined && /^(?:[^=]*=)?"/.test(plain))
      throw new ProcError('invalid_usage', `${flag} ${show(text)}: a quote is not closed`);
    fields.push(quoted === undefined ? plain : name + quoted.replaceAll('""', '"') + rest);
    if (!all.endsWith(',')) return fields;
  } while (FIELD.lastIndex <= text.length);
  return fields;
}
