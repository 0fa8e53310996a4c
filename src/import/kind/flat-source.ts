import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { listed } from '../../core/text/listed.ts';
import { nearest } from '../../core/text/nearest.ts';
import { inShell, typedAgain } from '../../core/text/typed.ts';
import type { ImportFlags } from '../import-flags.ts';
import { yesFlag } from '../map/choose-mapping.ts';
import { matchColumns, normalise } from '../map/match.ts';
import { isAddedColumn } from '../map/repair/marks.ts';
import { type MergedRows, mergedRows } from '../source/merged-rows.ts';
import type { Source } from '../source/record.ts';
import type { ImportRequest } from '../start/import-request.ts';
import { type ImportTarget, shapeOf } from '../targets/import-target.ts';
import type { SourceKind } from './source-kind.ts';

type Grouped = NonNullable<ImportTarget['grouped']>;

/**
 * Flat rows: rows with the same value in `column` make one body.
 *
 * @param isRepair whether the source contains rejected rows of an earlier run
 */
export function flatRows(
  column: string,
  source: Source,
  { target, flags }: ImportRequest,
  isRepair: boolean,
  ports: Ports<'io' | 'api' | 'self'>,
): SourceKind {
  const { grouped } = target;
  const isMapped = isRepair || flags.mapFile !== undefined;
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
      checkTargets({ fields, needNoFlag: fields }, grouped, column, source, ports);
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
 * Refuses flat rows without `--group-by`. The hint has a complete command, unless its grouping
 * would merge rows that differ.
 *
 * @throws ProcError `invalid_usage`
 */
export async function refuseFlatRows(
  source: Source,
  request: ImportRequest,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<void> {
  const { target, flags } = request;
  const { grouped, one } = target;
  if (grouped === undefined || source.columns.length === 0) return;
  refuseFlatMap(source, grouped, request, ports);
  // A mapping may build `groups` from any column.
  const isMapped = flags.map.some((text) => /^\s*groups\s*=/.test(text));
  if (isMapped || flags.mapFile !== undefined) return;
  if (source.columns.includes(grouped.payloadField)) return;
  const columns = source.columns.filter((column) => !isAddedColumn(column));
  const column = bestColumn(source, columns, grouped, flags);
  const given = [...flags.map, ...flags.set].map((text) => text.split('=', 1)[0]!.trim());
  const { words, missing } = suggestFlags(grouped, source, given, column);
  const text = `the rows of ${source.name} are not payloads: there is no column "${grouped.payloadField}"`;
  const how = `Flat rows need --group-by COLUMN: rows with the same value in COLUMN form one ${one}`;
  const isNamed = namedColumn(source, columns, grouped, flags) !== undefined;
  const merged = await mergedByGroup(source, columns, column, words, isNamed);
  if (merged !== undefined) {
    const [first, second] = merged.rows;
    throw new ProcError(
      'invalid_usage',
      `${text}. --group-by ${inShell(column)} would merge rows that differ in ${merged.column}: rows ${first} and ${second} (${merged.key})`,
      {
        hint: `${how}. Columns: ${columns.slice(0, 20).join(', ')}`,
        details: { columns, missing, merged },
      },
    );
  }
  const command = typedAgain(ports.self.typed, ['--group-by', column, ...words, ...yesFlag(ports)]);
  throw new ProcError('invalid_usage', `${text}${missingText(missing)}`, {
    hint: `${how}. Try: ${command}`,
    details: { columns, missing, command },
  });
}

/**
 * Finds rows that a suggested grouping would merge, although they differ in a field that the body
 * has once, e.g. `sector`.
 *
 * @param words the suggested `--map` flags
 * @param isNamed whether the column was chosen by its name. If not, differences in unmapped columns
 * count too
 */
async function mergedByGroup(
  source: Source,
  columns: readonly string[],
  column: string,
  words: readonly string[],
  isNamed: boolean,
): Promise<MergedRows | undefined> {
  const mapped = words
    .filter((_, at) => words[at - 1] === '--map')
    .map((word) => ({ field: word.split('=', 1)[0]!, name: word.slice(word.indexOf('=') + 1) }));
  const others = mapped.filter(({ name }) => name !== column);
  const ofBody = others.filter(({ field }) => !/^(item|group)\.|^quantity$/.test(field));
  const merged = await mergedRows(
    source,
    column,
    ofBody.map(({ name }) => name),
    true,
  );
  if (merged !== undefined || isNamed) return merged;
  const used = new Set([column, ...others.map(({ name }) => name)]);
  return mergedRows(
    source,
    column,
    columns.filter((name) => !used.has(name)),
  );
}

/** Refuses a map file that names fields of flat rows, if there is no `--group-by`. */
function refuseFlatMap(
  source: Source,
  grouped: Grouped,
  { target, flags, saved }: ImportRequest,
  ports: Ports<'io' | 'api' | 'self'>,
): void {
  const map = saved?.content as { readonly fields?: unknown } | undefined;
  const rules = (map?.fields ?? {}) as Readonly<Record<string, unknown>>;
  const named = Object.keys(rules);
  const own = new Set(target.fields.fields.map(({ name }) => name));
  const flat = named.filter(
    (name) => !own.has(name) && grouped.fields.fields.some((field) => field.name === name),
  );
  if (flat.length === 0) return;
  const columns = source.columns.filter((column) => !isAddedColumn(column));
  const title = rules[grouped.titleField];
  const ofTitle =
    typeof title === 'string' ? title : (title as { column?: string } | undefined)?.column;
  const column =
    ofTitle !== undefined && columns.includes(ofTitle)
      ? ofTitle
      : bestColumn(source, columns, grouped, flags);
  const command = typedAgain(ports.self.typed, ['--group-by', column, ...yesFlag(ports)]);
  throw new ProcError(
    'invalid_usage',
    `--map-file ${flags.mapFile} maps fields of flat rows, so --group-by COLUMN is needed: ${listed(flat, 3)}`,
    { hint: `Try: ${command}`, details: { columns, command } },
  );
}

interface Filled {
  readonly fields: readonly string[];
  readonly needNoFlag: readonly string[];
}

/**
 * Stops if nothing fills a field that each body needs: every body would be rejected.
 *
 * @throws ProcError `invalid_usage`
 */
function checkTargets(
  { fields, needNoFlag }: Filled,
  grouped: Grouped,
  column: string,
  source: Source,
  ports: Ports<'io' | 'api' | 'self'>,
): void {
  const needed = grouped.requiredFields.filter(
    (names) => !names.some((name) => fields.includes(name)),
  );
  if (source.columns.length === 0 || needed.length === 0) return;
  const { words, missing } = suggestFlags(grouped, source, needNoFlag, column);
  const command = typedAgain(ports.self.typed, [...words, ...yesFlag(ports)]);
  throw new ProcError(
    'invalid_usage',
    `no column or flag fills ${needed.map((names) => names.join(' or ')).join(', ')}${missingText(missing)}`,
    {
      hint: `Try: ${command}`,
      details: { needed, missing, columns: source.columns, command },
    },
  );
}

function filledBy(flags: ImportFlags, source: Source, { fields }: Grouped): Filled {
  const typed = [...flags.map, ...flags.set].map((text) => text.split('=', 1)[0]!.trim());
  const exact = fields.fields
    .map(({ name }) => name)
    .filter((name) => source.columns.includes(name));
  const needNoFlag = [...typed, ...exact];
  // With --map, columns are not matched by similar names.
  const alike = flags.map.length > 0 ? [] : matchColumns(source, fields).matched.keys();
  return { fields: [...needNoFlag, ...alike], needNoFlag };
}

/** @returns `missing`: required fields for which proc can suggest no flag */
function suggestFlags(
  grouped: Grouped,
  source: Source,
  given: readonly string[],
  column: string,
): { readonly words: string[]; readonly missing: (readonly string[])[] } {
  const columns = source.columns.filter((name) => !isAddedColumn(name));
  const { matched } = matchColumns({ ...source, columns }, grouped.fields);
  const words: string[] = [];
  const filled = new Set(given);
  const put = (field: string, name: string) => {
    words.push('--map', `${field}=${name}`);
    filled.add(field);
  };
  for (const [field, name] of matched) if (!filled.has(field)) put(field, name);
  const free = columns.filter((name) => name !== column && ![...matched.values()].includes(name));
  const missing: (readonly string[])[] = [];
  for (const names of grouped.requiredFields) {
    if (names.some((name) => filled.has(name))) continue;
    const [first] = names;
    const constant = grouped.defaults[first];
    const kind = grouped.fields.fields.find(({ name }) => name === first)?.kind;
    const fitting = free.findIndex((name) => (kind === 'integer') === isCounting(source, name));
    if (first === grouped.titleField) put(first, column);
    else if (constant !== undefined) words.push('--set', `${first}=${constant}`);
    else if (fitting >= 0) put(first, free.splice(fitting, 1)[0]!);
    else missing.push(names);
  }
  return { words, missing };
}

function isCounting({ head }: Source, column: string): boolean {
  const values = head.map(({ fields }) => String(fields?.[column] ?? '').trim());
  const filled = values.filter((value) => value !== '');
  return filled.length > 0 && filled.every((value) => /^\d+$/.test(value));
}

function bestColumn(
  source: Source,
  columns: readonly string[],
  grouped: Grouped,
  flags: ImportFlags,
): string {
  const named = namedColumn(source, columns, grouped, flags);
  if (named !== undefined) return named;
  const taken = new Set(matchColumns({ ...source, columns }, grouped.fields).matched.values());
  const free = columns.filter((column) => !taken.has(column));
  return free.find((column) => hasRepeats(source, column)) ?? free[0] ?? columns[0]!;
}

/** The column of the title, or else a column with a header such as `Request No.` */
function namedColumn(
  source: Source,
  columns: readonly string[],
  grouped: Grouped,
  flags: ImportFlags,
): string | undefined {
  for (const wanted of [grouped.keyField, grouped.titleField]) {
    const column = flags.map
      .map((text) => text.split('='))
      .find(([field]) => field?.trim() === wanted)?.[1]
      ?.trim();
    if (column !== undefined && columns.includes(column)) return column;
  }
  // An identifier comes before a title: two requisitions may have the same title.
  const names = grouped.headers.map(normalise);
  const byName = names.flatMap(
    (name) => columns.find((column) => normalise(column) === name) ?? [],
  );
  const { matched } = matchColumns({ ...source, columns }, grouped.fields);
  return matched.get(grouped.keyField) ?? byName[0] ?? matched.get(grouped.titleField);
}

function hasRepeats({ head }: Source, column: string): boolean {
  const values = head.map(({ fields }) => fields?.[column]).filter((one) => one !== '');
  const distinct = new Set(values).size;
  return distinct > 0 && distinct < values.length;
}

function missingText(missing: readonly (readonly string[])[]): string {
  if (missing.length === 0) return '';
  const shown = missing.map((names) => names.join(' or ')).join(', ');
  return `. No column name matches ${shown}: choose one with --map`;
}
