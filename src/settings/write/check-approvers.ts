import { messageOf, systemCode } from '../../core/errors.ts';
import { type Persons, personsIn } from '../credential/approvers.ts';
import type { EnvironmentSettings } from '../read/config-schema.ts';

/**
 * Warns of mistakes that would otherwise show only at the first import.
 *
 * @param set the start of the command that changes the settings
 */
export function approvalWarnings(
  { approvals = 0, approvers, signer }: EnvironmentSettings,
  set: string,
): string[] {
  if (approvals === 0) return [];
  const missing = [
    ...(approvers === undefined ? ['approvers=FILE'] : []),
    ...(signer === undefined ? ['signer=PERSON'] : []),
  ];
  const incomplete = `No import can be sent until these are set: ${set} ${missing.join(' ')}`;
  const first = missing.length > 0 ? [incomplete] : [];
  if (approvers === undefined) return first;
  let persons: Persons;
  try {
    persons = personsIn(approvers);
  } catch (thrown) {
    const why = systemCode(thrown) === 'ENOENT' ? 'it does not exist' : messageOf(thrown);
    return [...first, `cannot read the approvers in ${approvers}: ${why}. Check the path`];
  }
  const bad = persons.badLines.map(
    (line) => `${approvers}, line ${line}: expected a name and an SSH public key`,
  );
  const importer = signer === undefined ? undefined : persons.named(signer);
  if (signer !== undefined && importer === undefined) {
    const text = `${approvers} has no key of the signer ${signer}, so no approval counts. Add a line: ${signer} ssh-ed25519 AAAA…`;
    return [...first, ...bad, text];
  }
  const others = persons.count - (importer === undefined ? 0 : 1);
  if (others >= approvals) return [...first, ...bad];
  const who = others === 1 ? '1 approver' : `${others} approvers`;
  const text = `${approvers} has keys of ${who}, but ${approvals} must approve${importer === undefined ? '' : `. The signer ${signer} does not count`}. Add a line for each missing approver: NAME ssh-ed25519 AAAA…`;
  return [...first, ...bad, text];
}
