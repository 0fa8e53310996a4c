import { ProcError } from '../../core/errors.ts';
import type { KnownEnvironment, Selection } from '../read/select-target.ts';

/** Instead of an origin: the public sandbox key may be sent to any loopback address. */
export const ANY_LOOPBACK = Symbol('any loopback port');

/** A key, a command that prints one, or a certificate, with the only origin that may get it. */
export interface Bound<T> {
  readonly value: T;
  readonly origin: string | typeof ANY_LOOPBACK;
}

interface BoundWords {
  /** E.g. `credential`. */
  readonly what: string;
  readonly verb: 'sent to' | 'shown to' | 'used for';
  /** What to do if `PROC_BASE_URL` selects another address. */
  readonly instead: string;
  /** What to do if the address of the environment has changed. */
  readonly again: string;
}

/**
 * The value, if the selected address is the one that it was stored for.
 *
 * @throws ProcError `credential_origin`
 */
export function unbind<T>(
  { value, origin }: Bound<T>,
  { profile, environment }: KnownEnvironment,
  { url }: Pick<Selection, 'url'>,
  { what, verb, instead, again }: BoundWords,
): T {
  const { origin: selected, isLoopback } = url.value;
  if (origin === ANY_LOOPBACK ? isLoopback : origin === selected) return value;
  const message = `the ${what} of ${profile}/${environment} belongs to ${String(origin)} and is not ${verb} ${selected}`;
  throw new ProcError('credential_origin', message, {
    hint: url.origin === 'variable' ? `${instead}, or unset PROC_BASE_URL` : again,
  });
}
