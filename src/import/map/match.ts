import type { ImportFlags } from '../import-flags.ts';
import type { Source, SourceRecord } from '../source/record.ts';
import type { ImportField, ImportTarget, TargetFields } from '../targets/import-target.ts';
import { textOf } from './convert.ts';

export interface Matches {
  /** Column by field, in the order of the noun's fields. */
  readonly matched: ReadonlyMap<string, string>;
  /** Every matched column has exactly the name of its field. Such a match needs no confirmation. */
  readonly exact: boolean;
  /** Fields with several equally good columns. These fields stay unmapped. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
}

/**
 * Tries exact names first, then other spellings, then synonyms. If a header may mean a code or a
 * name, the values of the first records decide.
 *
 * @param filled fields that need no column
 */
export function matchColumns(
  { columns, table, head = [] }: Partial<Pick<Source, 'head'>> & Pick<Source, 'columns' | 'table'>,
  target: TargetFields,
  filled: readonly string[] = [],
): Matches {
  const headers = new Map<string, string>();
  for (const [header, same] of table?.repeated ?? []) {
    for (const column of same) headers.set(column, header);
  }
  const matched = new Map<string, string>();
  const ambiguous = new Map<string, readonly string[]>();
  let exact = true;
  for (const field of target.fields) {
    const spelled = normalise(field.name);
    const synonyms = new Set(field.synonyms.map(normalise));
    const tiers = [
      (column: string) => column === field.name || folded(column) === folded(field.name),
      (column: string) => normalise(column) === spelled,
      (column: string) => synonyms.has(normalise(column)),
    ];
    for (const [tier, fits] of tiers.entries()) {
      const found = columns.filter((column) => fits(headers.get(column) ?? column));
      if (found.length === 0) continue;
      if (found.length === 1) matched.set(field.name, found[0]!);
      else ambiguous.set(field.name, found);
      if (tier > 0) exact = false;
      break;
    }
  }
  for (const { name, orCode } of target.fields) {
    const column = matched.get(name);
    if (orCode === undefined || column === undefined) continue;
    const isOpen = !matched.has(orCode.field) && !ambiguous.has(orCode.field);
    const isEither = orCode.headers.some((header) => normalise(header) === normalise(column));
    if (!isOpen || !isEither || column === name || !holdsCodes(head, column)) continue;
    matched.delete(name);
    matched.set(orCode.field, column);
  }
  for (const { name, besides } of target.fields) {
    const column = matched.get(name);
    if (besides === undefined || column === undefined || column === name) continue;
    const isOpen = !matched.has(besides.code) && !ambiguous.has(besides.code);
    const texts = new Set(besides.headers.map(normalise));
    if (!isOpen || !columns.some((one) => texts.has(normalise(headers.get(one) ?? one)))) continue;
    matched.delete(name);
    matched.set(besides.code, column);
    exact = false;
  }
  for (const { name, instead = '' } of target.fields) {
    const column = matched.get(instead);
    const isOpen = !matched.has(name) && !ambiguous.has(name) && !filled.includes(name);
    // A column with exactly the name of a field fills only that field.
    if (column === undefined || column === instead || !isOpen) continue;
    matched.delete(instead);
    matched.set(name, column);
    exact = false;
  }
  return { matched, exact: exact && matched.size > 0, ambiguous };
}

/** One word that contains a digit: `CH-77`. */
const CODE = /^(?=.*\d)[\p{L}\d._/-]{1,40}$/u;

function holdsCodes(head: readonly SourceRecord[], column: string): boolean {
  const values = head
    .map(({ fields }) => textOf(fields?.[column])?.trim() ?? '')
    .filter((value) => value !== '');
  return values.length > 0 && values.every((value) => CODE.test(value));
}

export type MappingFlags = Pick<
  ImportFlags,
  'map' | 'mapValue' | 'set' | 'null' | 'decimal' | 'groupBy' | 'noCode' | 'allow'
>;

export type MappingTarget = Pick<
  ImportTarget,
  'noun' | 'one' | 'keyField' | 'fields' | 'needed' | 'references' | 'listing'
> & { readonly grouped?: Pick<NonNullable<ImportTarget['grouped']>, 'requiredFields'> };

export function isKeyMissing(
  { keyField, listing }: MappingTarget,
  { matched }: Matches,
  { noCode, set, allow }: MappingFlags,
): boolean {
  const isKept = noCode === 'name' || allow.includes('missing');
  return (
    listing !== undefined && !matched.has(keyField) && !setFields(set).includes(keyField) && !isKept
  );
}

/** Fields that need no column: the fields of `--set`, and the name if rows may lack it. */
export function filledOf({ listing }: MappingTarget, { set, allow }: MappingFlags): string[] {
  const isOptional = allow.includes('missing') && listing !== undefined;
  return [...setFields(set), ...(isOptional ? [listing.nameField] : [])];
}

export function setFields(set: readonly string[]): string[] {
  return set.map((text) => text.split('=', 1)[0]!.trim());
}

/** The fields of which none is filled, although proc would reject every row without one of them. */
export function fieldsMissing(
  target: MappingTarget,
  filled: readonly string[],
  flags: MappingFlags,
): readonly string[] | undefined {
  if (flags.allow.includes('missing')) return undefined;
  const all = [...filled, ...filledOf(target, flags)];
  return target.needed?.find(({ fields }) => !fields.some((field) => all.includes(field)))?.fields;
}

/** The same for headers that differ only in case, or in spaces and line breaks: `Unit of\nMeasure`. */
export function folded(name: string): string {
  return name.replace(/\s+/g, '').toLowerCase();
}

/**
 * How well a header fits a field, for questions: 4 for its name, 3 for a synonym, 2 if the header contains one of
 * them, 1 if one of them contains the header, else 0.
 */
export function fitOf(column: string, { name, synonyms }: ImportField): number {
  const header = normalise(column);
  if (header === normalise(name)) return 4;
  const words = [normalise(name), ...synonyms.map(normalise)];
  if (words.includes(header)) return 3;
  if (words.some((word) => word.length > 2 && header.includes(word))) return 2;
  return header.length > 2 && words.some((word) => word.includes(header)) ? 1 : 0;
}

/** Makes equivalent names equal: `Código`, `CODIGO` and `codigo.` all become `codigo`. */
export function normalise(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
