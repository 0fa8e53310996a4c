import type { ImportFlags } from '../import-flags.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import type { Matches } from './match.ts';

export type MappingFlags = Pick<
  ImportFlags,
  'map' | 'set' | 'null' | 'decimal' | 'groupBy' | 'noCode' | 'allowNameless'
>;

export type MappingTarget = Pick<ImportTarget, 'noun' | 'one' | 'keyField' | 'fields'> & {
  readonly references?: ImportTarget['references'];
  readonly listing?: ImportTarget['listing'];
};

export function isKeyMissing(
  { keyField, listing }: MappingTarget,
  { matched }: Matches,
  { noCode, set }: MappingFlags,
): boolean {
  const isKept = noCode === 'name' || noCode === 'send';
  return (
    listing !== undefined && !matched.has(keyField) && !setFields(set).includes(keyField) && !isKept
  );
}

/** The fields that `--set` fills, and the name if rows may lack it. */
export function filledOf(
  { listing }: MappingTarget,
  { set, allowNameless }: MappingFlags,
): string[] {
  const isOptional = allowNameless === true && listing !== undefined;
  return [...setFields(set), ...(isOptional ? [listing.nameField] : [])];
}

export function setFields(set: readonly string[]): string[] {
  return set.map((text) => text.split('=', 1)[0]!.trim());
}

/** Without a name, proc would reject every row. */
export function isNameMissing(
  target: MappingTarget,
  { matched }: Matches,
  flags: MappingFlags,
): boolean {
  const name = target.listing?.nameField;
  return name !== undefined && !matched.has(name) && !filledOf(target, flags).includes(name);
}
