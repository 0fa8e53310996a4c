import { type ErrorCode, ProcError } from '../../core/errors.ts';
import { looksLikeKey } from './key-like.ts';

/** The errors that repeat a word because nothing knows it. */
const OF_UNKNOWN_WORDS: ReadonlySet<ErrorCode> = new Set([
  'unknown_command',
  'unknown_flag',
  'profile_not_found',
  'environment_not_found',
]);

/** The same error, without those of the typed words that may be a key: logs keep what stderr said. */
export function withoutStrayKeys(thrown: unknown, argv: readonly string[]): unknown {
  if (!(thrown instanceof ProcError) || !OF_UNKNOWN_WORDS.has(thrown.code)) return thrown;
  // What is near a name that is known is a typing mistake of it.
  if (thrown.hint?.startsWith('Did you mean')) return thrown;
  const secrets = argv.flatMap(valuesIn).filter(looksLikeKey);
  // None of their characters is escaped in JSON.
  const hide = (text: string) => secrets.reduce((left, one) => left.replaceAll(one, '***'), text);
  const { code, message, hint, details, cause } = thrown;
  return new ProcError(code, hide(message), {
    hint: hint && hide(hint),
    details: details && JSON.parse(hide(JSON.stringify(details))),
    cause,
  });
}

/** A word, or what stands behind a flag in the same word: `-kVALUE`, `--flag=VALUE`. */
function valuesIn(word: string): readonly string[] {
  if (!word.startsWith('-')) return [word];
  return [word.startsWith('--') ? word.replace(/^[^=]*=?/, '') : word.slice(2)];
}
