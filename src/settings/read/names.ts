import { ProcError } from '../../core/errors.ts';
import { show } from '../../core/validate.ts';

/**
 * No spaces or quotes, because names are typed in shells. The first character excludes flags and
 * `__proto__`.
 */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,63}$/u;

export const NAME_RULE =
  'a name starts with a letter or digit, contains only letters, digits, ".", "_" and "-", and has at most 64 characters';

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Checks a new name. Normalizes Unicode, so that names that look equal are equal. */
export function newName(text: string, what: 'profile' | 'environment'): string {
  const name = text.normalize('NFC');
  if (!isName(name)) {
    throw new ProcError('invalid_usage', `${show(text)} is not a valid ${what} name`, {
      hint: `Choose another: ${NAME_RULE}`,
    });
  }
  return name;
}
