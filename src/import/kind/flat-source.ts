import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { nearest } from '../../core/text/nearest.ts';
import { typedAgain } from '../../core/text/typed.ts';
import type { ImportFlags } from '../import-flags.ts';
import { findRun } from '../ledger/runs.ts';
import { givenMap } from '../map/choose-mapping.ts';
import { matchColumns } from '../map/match.ts';
import { normalise } from '../map/normalise.ts';
import { isMark } from '../map/repair/marks.ts';
import { headerOf } from '../map/repair/recognise.ts';
import type { Source } from '../source/record.ts';
import type { ImportRequest } from '../start/import-request.ts';
import { type ImportTarget, shapeOf } from '../targets/import-target.ts';
import type { SourceKind } from './source-kind.ts';

type Grouped = NonNullable<ImportTarget['grouped']>;

/**
 * Flat rows: those with the same value in one column make one body.
 *
 * @param isRepair the mapping is that of an earlier run
 */
export function flatRows(
  column: string,
  source: Source,
  { target, flags }: ImportRequest,
  isRepair: boolean,
  ports: Ports<'io' | 'api' | 'self'>,
): SourceKind {
  const { grouped } = target;
  const isMapped = isRepair || (flags.mapFile ?? flags.mapFrom) !== undefined;
  return {
    name: 'flat',
    shape: shapeOf(target, column),
    groupBy: column,
    repairs: undefined,
    checkColumns() {
      checkGroupBy(column, source);
      if (grouped === undefined || isMapped) return;
      checkTargets(filledBy(flags, source, grouped), grouped, column, source, ports);
    },
    checkMapping(mapping) {
      if (grouped === undefined) return;
      const fields = Object.keys(mapping.fields);
      checkTargets({ fields, said: fields }, grouped, column, source, ports);
    },
  };
}

function checkGroupBy(column: string, { columns, name }: Source): void {
  if (columns.includes(column)) return;
  const near = nearest(column, columns);
  throw new ProcError('invalid_usage', `--group-by ${column}: ${name} has no such column`, {
    hint:
      near === undefined
        ? `Columns: ${columns.slice(0, 20).join(', ')}`
        : `Did you mean ${JSON.stringify(near)}?`,
  });
}

/**
 * Rows that are no payloads need a column that brings them together. Says which it may be, with the
 * command that says everything that is known.
 *
 * @throws ProcError `invalid_usage`
 */
export function refuseFlatRows(
  source: Source,
  target: ImportTarget,
  flags: ImportFlags,
  folder: string,
  ports: Ports<'io' | 'api' | 'self'>,
): void {
  const { grouped, many, one } = target;
  if (grouped === undefined || source.columns.length === 0) return;
  refuseFlatMap(source, target, grouped, flags, folder, ports);
  // A map may make payloads of whatever there is.
  const isMapped = flags.map.some((text) => /^\s*groups\s*=/.test(text));
  if (isMapped || flags.mapFile !== undefined || flags.mapFrom !== undefined) return;
  if (source.columns.includes(grouped.instead)) return;
  const columns = source.columns.filter((column) => !isMark(column));
  const column = bestColumn(source, columns, grouped, flags);
  const given = [...flags.map, ...flags.set].map((text) => text.split('=', 1)[0]!.trim());
  const { words, missing } = proposed(grouped, source, given, column);
  const command = typedAgain(ports.self.typed, [
    '--group-by',
    column,
    ...words,
    ...agreement(ports),
  ]);
  throw new ProcError(
    'invalid_usage',
    `The rows of ${source.name} are no payloads: no column ${grouped.instead}. Flat rows become ${many} with --group-by: those with one value in that column make one ${one}${told(missing)}`,
    { hint: `For instance: ${command}`, details: { columns, missing, command } },
  );
}

/** A map of flat rows says which fields they fill, but not what brings the rows together. */
function refuseFlatMap(
  source: Source,
  target: ImportTarget,
  grouped: Grouped,
  flags: ImportFlags,
  folder: string,
  ports: Ports<'io' | 'api' | 'self'>,
): void {
  const map = givenMap(flags, folder, target, ports.self.cwd) as
    | { readonly fields?: unknown }
    | undefined;
  const rules = (map?.fields ?? {}) as Readonly<Record<string, unknown>>;
  const named = Object.keys(rules);
  const own = new Set(target.fields.fields.map(({ name }) => name));
  const flat = named.filter(
    (name) => !own.has(name) && grouped.fields.fields.some((field) => field.name === name),
  );
  if (flat.length === 0) return;
  const { mapFrom } = flags;
  const earlier =
    mapFrom === undefined ? undefined : headerOf(folder, findRun(folder, mapFrom))?.groupBy;
  const columns = source.columns.filter((column) => !isMark(column));
  const title = rules[grouped.named];
  const ofTitle =
    typeof title === 'string' ? title : (title as { column?: string } | undefined)?.column;
  const column =
    [earlier, ofTitle].find((name) => name !== undefined && columns.includes(name)) ??
    bestColumn(source, columns, grouped, flags);
  const command = typedAgain(ports.self.typed, ['--group-by', column, ...agreement(ports)]);
  const which = mapFrom === undefined ? `--map-file ${flags.mapFile}` : `--map-from ${mapFrom}`;
  throw new ProcError(
    'invalid_usage',
    `${which} is a map of flat rows (${flat.slice(0, 3).join(', ')}${flat.length > 3 ? ', …' : ''}): say which column brings them together, with --group-by`,
    { hint: `For instance: ${command}`, details: { columns, command } },
  );
}

/** Fields that have a rule. */
interface Filled {
  readonly fields: readonly string[];
  /** Those of them that need no further word. */
  readonly said: readonly string[];
}

/**
 * Without a rule for what each of them needs, every lot of rows would be rejected.
 *
 * @throws ProcError `invalid_usage`, naming what is missing
 */
function checkTargets(
  { fields, said }: Filled,
  grouped: Grouped,
  column: string,
  source: Source,
  ports: Ports<'io' | 'api' | 'self'>,
): void {
  const needed = grouped.needs.filter((names) => !names.some((name) => fields.includes(name)));
  if (source.columns.length === 0 || needed.length === 0) return;
  const { words, missing } = proposed(grouped, source, said, column);
  const command = typedAgain(ports.self.typed, [...words, ...agreement(ports)]);
  throw new ProcError(
    'invalid_usage',
    `Nothing fills ${needed.map((names) => names.join(' or ')).join(', ')}${told(missing)}`,
    {
      hint: `For instance: ${command}`,
      details: { needed, missing, columns: source.columns, command },
    },
  );
}

/** Fields that flags fill, or columns by their names where no flag says which is which. */
function filledBy(flags: ImportFlags, { columns, head }: Source, { fields }: Grouped): Filled {
  const typed = [...flags.map, ...flags.set].map((text) => text.split('=', 1)[0]!.trim());
  const exact = fields.fields.map(({ name }) => name).filter((name) => columns.includes(name));
  const said = [...typed, ...exact];
  // A flag says which is which: then nothing is taken by its likeness.
  const alike = flags.map.length > 0 ? [] : matchColumns(columns, fields, head).matched.keys();
  return { fields: [...said, ...alike], said };
}

/** Flags for what the columns' names and values tell, and what they do not. */
function proposed(
  grouped: Grouped,
  source: Source,
  given: readonly string[],
  column: string,
): { readonly words: string[]; readonly missing: (readonly string[])[] } {
  const columns = source.columns.filter((name) => !isMark(name));
  const { matched } = matchColumns(columns, grouped.fields, source.head);
  const words: string[] = [];
  const filled = new Set(given);
  const put = (field: string, name: string) => {
    words.push('--map', `${field}=${name}`);
    filled.add(field);
  };
  for (const [field, name] of matched) if (!filled.has(field)) put(field, name);
  const free = columns.filter((name) => name !== column && ![...matched.values()].includes(name));
  const missing: (readonly string[])[] = [];
  for (const names of grouped.needs) {
    if (names.some((name) => filled.has(name))) continue;
    const [first] = names;
    const constant = grouped.usual[first];
    const kind = grouped.fields.fields.find(({ name }) => name === first)?.kind;
    const fitting = free.findIndex((name) => (kind === 'integer') === isCounting(source, name));
    if (first === grouped.named) put(first, column);
    else if (constant !== undefined) words.push('--set', `${first}=${constant}`);
    else if (fitting >= 0) put(first, free.splice(fitting, 1)[0]!);
    else missing.push(names);
  }
  return { words, missing };
}

/** A column of whole numbers, as far as its first rows tell. */
function isCounting({ head }: Source, column: string): boolean {
  const values = head.map(({ fields }) => String(fields?.[column] ?? '').trim());
  const filled = values.filter((value) => value !== '');
  return filled.length > 0 && filled.every((value) => /^\d+$/.test(value));
}

/** The column that most likely names the lots: by its name, else by values that come again. */
function bestColumn(
  source: Source,
  columns: readonly string[],
  grouped: Grouped,
  flags: ImportFlags,
): string {
  const title = flags.map
    .map((text) => text.split('='))
    .find(([field]) => field?.trim() === grouped.named)?.[1]
    ?.trim();
  if (title !== undefined && columns.includes(title)) return title;
  const names = new Set(grouped.by.map(normalise));
  const byName = columns.find((column) => names.has(normalise(column)));
  const { matched } = matchColumns(columns, grouped.fields, source.head);
  const matching = matched.get(grouped.named) ?? byName;
  if (matching !== undefined) return matching;
  const taken = new Set(matched.values());
  const free = columns.filter((column) => !taken.has(column));
  return free.find((column) => comesAgain(source, column)) ?? free[0] ?? columns[0]!;
}

function comesAgain({ head }: Source, column: string): boolean {
  const values = head.map(({ fields }) => fields?.[column]).filter((one) => one !== '');
  const distinct = new Set(values).size;
  return distinct > 0 && distinct < values.length;
}

/** Nobody can be asked, so nothing may be left to ask. */
function agreement({
  io: { terminal },
  api: { isPreview: previewing },
  self: { flags: globals },
}: Ports<'io' | 'api' | 'self'>): string[] {
  return globals.yes || previewing || terminal.interactive ? [] : ['--yes'];
}

function told(missing: readonly (readonly string[])[]): string {
  if (missing.length === 0) return '';
  const shown = missing.map((names) => names.join(' or ')).join(', ');
  return `. No column is named like ${shown}: say which it is with --map`;
}
