import { ProcError } from '../errors.ts';
import type { Target } from '../service-target.ts';
import { inShell } from '../text/typed.ts';

/**
 * @param what the refused action, for the error: `proc items create`, `POST /api/v1/items/`
 * @throws ProcError `read_only`, before anything is sent
 */
export function requireWritable(
  {
    readOnly,
    profile = '',
    environment = '',
  }: Pick<Target, 'readOnly'> & Partial<Pick<Target, 'profile' | 'environment'>>,
  what: string,
): void {
  if (readOnly === undefined) return;
  const isVariable = readOnly === 'PROC_READ_ONLY';
  const why = isVariable ? 'PROC_READ_ONLY is set' : `${profile}/${environment} is read-only`;
  const lift = isVariable
    ? 'unset PROC_READ_ONLY'
    : `proc profile set ${inShell(profile)} -e ${inShell(environment)} readOnly=false`;
  throw new ProcError('read_only', `${what} is not allowed: ${why}; nothing was sent`, {
    hint: `To see what would be sent, add --dry-run. To allow it: ${lift}`,
    details: { place: isVariable ? readOnly : `${profile}/${environment}` },
  });
}
