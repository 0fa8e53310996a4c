import { type ErrorCode, ProcError } from '../../core/errors.ts';
import { looksLikeKey } from './key-like.ts';

const OF_UNKNOWN_WORDS: ReadonlySet<ErrorCode> = new Set([
  'unknown_command',
  'unknown_flag',
  'profile_not_found',
  'environment_not_found',
]);

/** Masks typed words that may be a key, because logs keep stderr. */
export function withoutStrayKeys(thrown: unknown, argv: readonly string[]): unknown {
  if (!(thrown instanceof ProcError) || !OF_UNKNOWN_WORDS.has(thrown.code)) return thrown;
  // A word similar to a known name is a typing mistake, not a key.
  if (thrown.hint?.startsWith('Did you mean')) return thrown;
  const secrets = argv.flatMap(valuesIn).filter(looksLikeKey);
  // `looksLikeKey` matches no character that JSON escapes, so a key can be replaced in JSON text.
  const hide = (text: string) => secrets.reduce((left, one) => left.replaceAll(one, '***'), text);
  const { code, message, hint, details, cause } = thrown;
  return new ProcError(code, hide(message), {
    hint: hint && hide(hint),
    details: details && JSON.parse(hide(JSON.stringify(details))),
    cause,
  });
}

/** Returns the word, or for `-kVALUE` and `--flag=VALUE` the value. */
function valuesIn(word: string): readonly string[] {
  if (!word.startsWith('-')) return [word];
  return [word.startsWith('--') ? word.replace(/^[^=]*=?/, '') : word.slice(2)];
}
