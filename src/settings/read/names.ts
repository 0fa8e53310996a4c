import { ProcError } from '../../core/errors.ts';
import { show } from '../../core/validate.ts';
import { SANDBOX_PROFILE } from './built-in.ts';

/**
 * Letters and digits of any script, then also `.`, `_` and `-`. No spaces or quotes: names are
 * typed in shells and at confirmations. Beginning with a letter or digit keeps flags and
 * `__proto__` out.
 */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,63}$/u;

/** The rule in words, for errors and prompts. */
export const NAME_RULE =
  'a name begins with a letter or digit, goes on with letters, digits, ".", "_" or "-", and has at most 64 characters';

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Checks a new name of a profile or environment; composed Unicode, so that equal-looking names are equal. */
export function newName(text: string, what: 'profile' | 'environment'): string {
  const name = text.normalize('NFC');
  if (!isName(name)) {
    throw new ProcError('invalid_usage', `${show(text)} cannot be the name of a ${what}`, {
      hint: `Choose another: ${NAME_RULE}`,
    });
  }
  if (what === 'profile' && name === SANDBOX_PROFILE) {
    throw new ProcError('invalid_usage', `The profile "${SANDBOX_PROFILE}" is built in`, {
      hint: 'Choose another name',
    });
  }
  return name;
}
