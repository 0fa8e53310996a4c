import type { Scope } from '../../client/scope.ts';
import type { Target } from '../../core/ports.ts';
import type { Entry } from '../../history/entry.ts';

/**
 * Whether an entry may be shown as an example: this organization's, or one of the same profile from
 * before organizations were recorded. Says nothing about whether something was created here.
 */
export function isOurs(entry: Entry, scope: Scope, { profile }: Target): boolean {
  const whose = scope.whose(entry);
  return whose === 'ours' || (whose === 'unrecorded' && entry.profile === profile);
}
