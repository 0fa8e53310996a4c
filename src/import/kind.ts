import { ProcError } from '../core/errors.ts';
import { isObject } from '../core/is-object.ts';
import type { Ports } from '../core/ports.ts';
import { listed } from '../core/text/listed.ts';
import { typedAgain } from '../core/text/typed.ts';
import { yesFlag } from './map/choose-mapping.ts';
import { columnNamed, noSuchColumn } from './map/column-named.ts';
import type { Mapping } from './map/mapping.ts';
import { matchColumns, normalise } from './map/match.ts';
import { isAddedColumn } from './map/repair/marks.ts';
import { recogniseRun } from './map/repair/recognise.ts';
import type { Source } from './source/record.ts';
import type { ImportRequest } from './start/import-request.ts';
import type { RunHeader } from './store/facts.ts';
import { type ImportTarget, shapeOf } from './targets/import-target.ts';

export interface SourceKind {
  /** The target. For flat rows, it has the fields and references of flat rows. */
  readonly shape: ImportTarget;
  /** Rows with the same value in this column make one body. */
  readonly groupBy: string | undefined;
  /**
   * The run whose rejected rows the file contains. Its mapping, `--group-by`, `--no-code` and
   * `--on-duplicate` are the defaults.
   */
  readonly repairs: RunHeader | undefined;
  /** @throws ProcError `invalid_usage` if the columns do not fit the kind */
  checkColumns(): void;
  /** @throws ProcError `invalid_usage` if the mapping omits a field that each body needs */
  checkMapping(mapping: Mapping): void;
}

/**
 * Detects whether the source contains rejected rows of an earlier run, flat rows, or one body per
 * row.
 *
 * @throws ProcError `invalid_input` if rejected rows lack `_run` or `_row`, or belong to another noun,
 * service or organization
 */
export async function chooseKind(
  source: Source,
  request: ImportRequest,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<SourceKind> {
  const { flags } = request;
  const earlier = await recogniseRun(source, request, ports);
  if (earlier === undefined && flags.restoreCodes) {
    throw new ProcError(
      'invalid_usage',
      `--restore-codes: ${source.name} contains no rejected rows of a run on this machine`,
      {
        hint: 'Remove --restore-codes, or import the file of rejected rows',
      },
    );
  }
  const groupBy =
    flags.groupBy === undefined
      ? earlier?.groupBy
      : (columnNamed(flags.groupBy, source, '--group-by ')?.column ?? flags.groupBy);
  const kind =
    groupBy === undefined
      ? plainRows(source, request, ports)
      : flatRows({ column: groupBy, isRepair: earlier !== undefined }, source, request, ports);
  if (earlier === undefined) return kind;
  // The columns of plain rows were checked in the earlier run.
  const checkColumns = groupBy === undefined ? () => undefined : kind.checkColumns;
  return { ...kind, repairs: earlier, checkColumns };
}

type Grouped = NonNullable<ImportTarget['grouped']>;
type FlatPorts = Ports<'io' | 'api' | 'self'>;

function plainRows(source: Source, request: ImportRequest, ports: FlatPorts): SourceKind {
  return {
    shape: request.target,
    groupBy: undefined,
    repairs: undefined,
    checkColumns: () => refuseFlatRows(source, request, ports),
    checkMapping: () => undefined,
  };
}

/**
 * Flat rows: rows with the same value in `column` make one body.
 *
 * @param isRepair whether the source contains rejected rows of an earlier run
 */
function flatRows(
  { column, isRepair }: { readonly column: string; readonly isRepair: boolean },
  source: Source,
  { target, flags }: ImportRequest,
  ports: FlatPorts,
): SourceKind {
  const { grouped } = target;
  const shape = titledBy(column, source, shapeOf(target, column), grouped);
  const isMapped = isRepair || flags.mapFile !== undefined;
  const checkFilled = (filled: readonly string[]) => {
    const needed = (grouped?.requiredFields ?? []).filter(
      (names) => !names.some((name) => filled.includes(name)),
    );
    if (source.columns.length > 0 && needed.length > 0) throw notFilled(needed);
  };
  return {
    shape,
    groupBy: column,
    repairs: undefined,
    checkColumns() {
      if (!source.columns.includes(column)) throw noSuchColumn('--group-by', column, source);
      if (isMapped) return;
      const { fields } = shape.fields;
      const canAsk = ports.io.terminal.interactive && !ports.self.flags.yes;
      const isTyped = flags.map.length > 0;
      checkFilled([
        ...[...flags.map, ...flags.set].map((text) => text.split('=', 1)[0]!.trim()),
        ...source.columns,
        // With --map, columns are not matched by similar names.
        ...(isTyped ? [] : matchColumns(source, shape.fields).matched.keys()),
        // At a terminal, the columns of other fields are asked for.
        ...(canAsk && !isTyped ? fields.filter((one) => one.choices === undefined) : []).map(
          ({ name }) => name,
        ),
      ]);
    },
    checkMapping: (mapping) => checkFilled(Object.keys(mapping.fields)),
  };

  /** Nothing fills fields that each body needs: every body would be rejected. */
  function notFilled(needed: readonly (readonly string[])[]): ProcError {
    const { matched } = matchColumns(source, shape.fields);
    const [names = []] = needed;
    const [first = ''] = names;
    const constant = grouped?.defaults[first];
    const field = names.find((name) => matched.has(name)) ?? first;
    const column = matched.get(field);
    const flag =
      constant === undefined
        ? column && ['--map', `${field}=${column}`]
        : ['--set', `${first}=${constant}`];
    const command = flag && typedAgain(ports.self.typed, [...flag, ...yesFlag(ports)]);
    const { columns } = source;
    return new ProcError('invalid_usage', `no column or flag fills ${eitherOf(needed, 'or')}`, {
      hint: next(command, columns, `--map ${field}=COLUMN`),
      details: { needed, columns, command },
    });
  }
}

/** If no column matches the title, the column that groups the rows fills it. */
function titledBy(
  column: string,
  source: Source,
  shape: ImportTarget,
  grouped: Grouped | undefined,
): ImportTarget {
  if (grouped === undefined) return shape;
  const { titleField, fields } = grouped;
  const { matched, ambiguous } = matchColumns(source, fields);
  if (matched.has(titleField) || ambiguous.has(titleField)) return shape;
  const titled = fields.fields.map((field) =>
    field.name === titleField ? { ...field, synonyms: [column] } : field,
  );
  return { ...shape, fields: { fields: titled } };
}

/**
 * Refuses flat rows without `--group-by`.
 *
 * @throws ProcError `invalid_usage`
 */
function refuseFlatRows(source: Source, request: ImportRequest, ports: FlatPorts): void {
  const { grouped, one } = request.target;
  if (grouped === undefined || source.columns.length === 0) return;
  const columns = source.columns.filter((column) => !isAddedColumn(column));
  const typed = mappedTexts(request);
  const { payloadField } = grouped;
  // A mapping may build `groups` from any column.
  if (typed.has(payloadField) || columns.includes(payloadField)) return;
  const en = `the rows of ${source.name} are not payloads: there is no column "${payloadField}"`;

  const { matched } = matchColumns({ ...source, columns }, grouped.fields);
  const nested = nestedLines(source, columns, matched, grouped);
  if (nested !== undefined) {
    const words = [...nested.words('pickup'), ...yesFlag(ports)];
    const command = typedAgain(ports.self.typed, words);
    throw new ProcError('invalid_usage', `${en}; its lines seem to be in ${nested.column}`, {
      hint: tryIt(command),
      details: { columns, command, nested },
    });
  }
  const column = groupingColumn(columns, typed, matched, grouped);
  const flag = column && ['--group-by', column, ...yesFlag(ports)];
  const command = flag && typedAgain(ports.self.typed, flag);
  const then = next(command, columns, '--group-by COLUMN');
  throw new ProcError('invalid_usage', en, {
    hint: `Rows with the same value in one column form one ${one}. ${then}`,
    details: { columns, command, groupBy: [...new Set([column ?? columns[0], ...columns])] },
  });
}

/** What `--map` and the map file say of each field. */
function mappedTexts({ flags, saved }: ImportRequest): ReadonlyMap<string, string> {
  const { fields = {} } = (saved?.content ?? {}) as {
    readonly fields?: Readonly<Record<string, string | { readonly column?: string }>>;
  };
  return new Map([
    ...Object.entries(fields).map(
      ([field, rule]) => [field, typeof rule === 'string' ? rule : (rule.column ?? '')] as const,
    ),
    ...flags.map.map((text) => {
      const [field = '', column = ''] = text.split('=');
      return [field.trim(), column.trim()] as const;
    }),
  ]);
}

/**
 * The column of the number or the title of a requisition, by what was typed or by its header, such as
 * `Request No.`. An identifier comes before a title: two requisitions may have the same title.
 */
function groupingColumn(
  columns: readonly string[],
  typed: ReadonlyMap<string, string>,
  matched: ReadonlyMap<string, string>,
  { keyField, titleField, headers }: Grouped,
): string | undefined {
  const names = headers.map(normalise);
  const byName = names.flatMap((name) => columns.find((one) => normalise(one) === name) ?? []);
  const likely = [
    ...[typed.get(keyField), typed.get(titleField)],
    ...[matched.get(keyField), byName[0], matched.get(titleField)],
  ];
  return likely.find((one) => one !== undefined && columns.includes(one));
}

/** In JSON, a requisition may have its lines in an array. */
function nestedLines(
  { head, format }: Source,
  all: readonly string[],
  outer: ReadonlyMap<string, string>,
  { fields, keyField, titleField }: Grouped,
): NestedLines | undefined {
  if (format.kind === 'csv') return undefined;
  for (const column of all) {
    const lines = head.flatMap((record) => record.fields?.[column] ?? []).filter(isObject);
    if (lines.length === 0) continue;
    const rows = lines.map((one, at) => ({ row: at + 1, line: undefined, fields: one }));
    const columns = [...new Set(lines.flatMap((line) => Object.keys(line)))];
    const { matched } = matchColumns({ columns, head: rows, table: undefined }, fields);
    const quantity = matched.get('quantity');
    const used = [...matched.values()];
    const name =
      matched.get('item.name') ??
      columns.find(
        (key) => !used.includes(key) && lines.every((one) => typeof one[key] === 'string'),
      );
    if (quantity === undefined || name === undefined) continue;
    const item = [...new Map([...matched, ['item.name', name]])].flatMap(([field, own]) =>
      field.startsWith('item.') && field !== 'item.id'
        ? [`${field.slice('item.'.length)}: ${identifier(own)}`]
        : [],
    );
    const line = `quantity: ${identifier(quantity)}, item: {${item.join(', ')}}`;
    const title = outer.get(titleField) ?? outer.get(keyField) ?? all[0]!;
    const own = [...new Map([...outer, [titleField, title]])].filter(([field]) =>
      ['title', 'type', 'sector', 'code'].includes(field),
    );
    const words = (delivery: string) => [
      ...own.flatMap(([field, from]) => ['--map', `${field}=${from}`]),
      '--map',
      `groups=jmes:[{deliveryMethod: \`"${delivery}"\`, items: ${identifier(column)}[].{${line}}}]`,
    ];
    return { column, words };
  }
  return undefined;
}

/** `title, item.code or item.name`. */
function eitherOf(fields: readonly (readonly string[])[], or: string): string {
  return fields.map((names) => names.join(` ${or} `)).join(', ');
}

function tryIt(command: string): string {
  return `Try: ${command}`;
}

/** The command with the flag that is missing; without a likely column, the columns to choose from. */
function next(command: string | undefined, columns: readonly string[], flag: string): string {
  const all = listed(columns, 20);
  return command === undefined || command === '' ? `Add ${flag}. Columns: ${all}` : tryIt(command);
}

/** The array of a JSON record that has the lines of a requisition. */
export interface NestedLines {
  readonly column: string;
  /** The flags that read it. */
  readonly words: (delivery: string) => readonly string[];
}

/** A name in a JMESPath expression. */
function identifier(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
