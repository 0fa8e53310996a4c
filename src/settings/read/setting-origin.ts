/** Where a value comes from, in the order of precedence. */
export type OriginKind = 'flag' | 'variable' | 'config' | 'profile' | 'default';

export interface Sourced<T> {
  readonly value: T;
  readonly origin: OriginKind;
  /** The exact place: `--profile`, `PROC_PROFILE`, a path, `acme/production`; empty for defaults. */
  readonly place: string;
}

export function sourced<T>(value: T, origin: OriginKind, place = ''): Sourced<T> {
  return { value, origin, place };
}

/**
 * The first candidate with a value. An empty variable counts as unset. An empty flag counts as set:
 * `-p "$UNSET"` must not select another target.
 */
export function first(
  ...candidates: readonly (readonly [string | undefined, OriginKind, string])[]
): Sourced<string> | undefined {
  for (const [value, origin, place] of candidates) {
    if (value === undefined || (value === '' && origin !== 'flag')) continue;
    return sourced(value, origin, place);
  }
  return undefined;
}
