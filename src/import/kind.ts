import { DialogueError } from '../core/errors.ts';
import { isObject } from '../core/is-object.ts';
import type { Ports } from '../core/ports.ts';
import { listed } from '../core/text/listed.ts';
import { inEach, type Said } from '../core/text/phrase.ts';
import { inShell, typedAgain } from '../core/text/typed.ts';
import { yesFlag } from './map/choose-mapping.ts';
import { columnNamed, noSuchColumn } from './map/column-named.ts';
import type { Mapping } from './map/mapping.ts';
import { matchColumns, normalise } from './map/match.ts';
import { isAddedColumn } from './map/repair/marks.ts';
import { recogniseRun } from './map/repair/recognise.ts';
import { type MergedRows, mergedRows } from './source/merged-rows.ts';
import type { Source } from './source/record.ts';
import type { ImportRequest } from './start/import-request.ts';
import type { RunHeader } from './store/facts.ts';
import { type ImportTarget, shapeOf } from './targets/import-target.ts';

export interface SourceKind {
  readonly name: 'plain' | 'flat' | 'repair';
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
  checkColumns(): void | Promise<void>;
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
    throw new DialogueError(
      'invalid_usage',
      {
        en: `--restore-codes: ${source.name} contains no rejected rows of a run on this machine`,
        es: `--restore-codes: ${source.name} no tiene filas rechazadas en este equipo`,
      },
      {
        hint: {
          en: 'Remove --restore-codes, or import the file of rejected rows',
          es: 'Quite --restore-codes, o importe el archivo de filas rechazadas',
        },
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
  return earlier === undefined ? kind : repairOf(earlier, kind);
}

function plainRows(
  source: Source,
  request: ImportRequest,
  ports: Ports<'io' | 'api' | 'self'>,
): SourceKind {
  const { target } = request;
  return {
    name: 'plain',
    shape: target,
    groupBy: undefined,
    repairs: undefined,
    checkColumns: () => refuseFlatRows(source, request, ports),
    checkMapping: () => undefined,
  };
}

function repairOf(earlier: RunHeader, kind: SourceKind): SourceKind {
  const isFlat = kind.name === 'flat';
  return {
    ...kind,
    name: 'repair',
    repairs: earlier,
    // The columns of plain rows were checked in the earlier run.
    checkColumns: () => (isFlat ? kind.checkColumns() : undefined),
  };
}

type Grouped = NonNullable<ImportTarget['grouped']>;
type FlatPorts = Ports<'io' | 'api' | 'self'>;

/**
 * Flat rows: rows with the same value in `column` make one body.
 *
 * @param isRepair whether the source contains rejected rows of an earlier run
 */
function flatRows(
  { column, isRepair }: { readonly column: string; readonly isRepair: boolean },
  source: Source,
  request: ImportRequest,
  ports: FlatPorts,
): SourceKind {
  const { target, flags } = request;
  const { grouped } = target;
  const isMapped = isRepair || flags.mapFile !== undefined;
  const advice =
    grouped === undefined ? undefined : new FlatAdvice(source, grouped, request, ports);
  return {
    name: 'flat',
    shape: titledBy(column, source, shapeOf(target, column), grouped),
    groupBy: column,
    repairs: undefined,
    checkColumns() {
      if (!source.columns.includes(column)) throw noSuchColumn('--group-by', column, source);
      if (!isMapped) advice?.checkFlags(column);
    },
    checkMapping(mapping) {
      const fields = Object.keys(mapping.fields);
      advice?.checkFilled(fields, fields, column);
    },
  };
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
 * Refuses flat rows without `--group-by`. The hint has a complete command, unless its grouping
 * would merge rows that differ.
 *
 * @throws ProcError `invalid_usage`
 */
async function refuseFlatRows(
  source: Source,
  request: ImportRequest,
  ports: FlatPorts,
): Promise<void> {
  const { target, flags } = request;
  const { grouped, one } = target;
  if (grouped === undefined || source.columns.length === 0) return;
  const advice = new FlatAdvice(source, grouped, request, ports);
  advice.refuseFlatMap(target);
  // A mapping may build `groups` from any column.
  const isMapped = flags.map.some((text) => /^\s*groups\s*=/.test(text));
  if (isMapped || flags.mapFile !== undefined) return;
  if (source.columns.includes(grouped.payloadField)) return;
  await advice.refuse(one);
}

/** What a user may type so that the rows of a source are read as flat rows. */
class FlatAdvice {
  readonly #source: Source;
  readonly #grouped: Grouped;
  readonly #request: ImportRequest;
  readonly #ports: FlatPorts;
  /** Without the columns that proc added. */
  readonly #columns: readonly string[];

  constructor(source: Source, grouped: Grouped, request: ImportRequest, ports: FlatPorts) {
    this.#source = source;
    this.#grouped = grouped;
    this.#request = request;
    this.#ports = ports;
    this.#columns = source.columns.filter((column) => !isAddedColumn(column));
  }

  async refuse(one: string): Promise<void> {
    const { name } = this.#source;
    const columns = this.#columns;
    const column = this.#bestColumn();
    const suggested = this.#suggested(this.#typedFields(), column);
    const { words, missing } = suggested;
    const { payloadField } = this.#grouped;
    const en = `the rows of ${name} are not payloads: there is no column "${payloadField}"`;
    const es = `en ${name} falta la columna "${payloadField}"`;
    const nested = this.#nestedLines();
    if (nested !== undefined) {
      const command = this.#typedWith(nested.words('pickup'));
      throw new DialogueError(
        'invalid_usage',
        {
          en: `${en}; its lines seem to be in ${nested.column}`,
          es: `${es}; sus líneas parecen estar en ${nested.column}`,
        },
        { hint: tryIt(command), details: { columns, command, nested } },
      );
    }
    const how = {
      en: `Flat rows need --group-by COLUMN: rows with the same value in COLUMN form one ${one}`,
      es: 'Use --group-by COLUMN: las filas con el mismo valor en COLUMN forman una requisición',
    };
    const merged = await this.#mergedBy(column, suggested.map);
    if (merged !== undefined) {
      const [first, second] = merged.rows;
      const all = listed(columns, 20);
      throw new DialogueError(
        'invalid_usage',
        {
          en: `${en}. --group-by ${inShell(column)} would merge rows that differ in ${merged.column}: rows ${first} and ${second} (${merged.key})`,
          es: `${es}. --group-by ${inShell(column)} juntaría filas con distinto ${merged.column}: las filas ${first} y ${second} (${merged.key})`,
        },
        {
          hint: { en: `${how.en}. Columns: ${all}`, es: `${how.es}. Columnas: ${all}` },
          details: { columns, missing, merged, groupBy: this.#byFit() },
        },
      );
    }
    const command = this.#typedWith(['--group-by', column, ...words]);
    const no = missingText(missing);
    throw new DialogueError(
      'invalid_usage',
      { en: `${en}${no.en}`, es: `${es}${no.es}` },
      {
        hint: inEach((lang) => `${how[lang]}. ${tryIt(command)[lang]}`),
        details: { columns, missing, command, groupBy: this.#byFit() },
      },
    );
  }

  /** In JSON, a requisition may have its lines in an array. */
  #nestedLines(): NestedLines | undefined {
    const { head, format } = this.#source;
    if (format.kind === 'csv') return undefined;
    const { fields, keyField, titleField } = this.#grouped;
    for (const column of this.#columns) {
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
      const outer = this.#matched();
      const title = outer.get(titleField) ?? outer.get(keyField) ?? this.#columns[0]!;
      const own = [...new Map([...outer, [titleField, title]])].filter(([field]) =>
        ['title', 'type', 'sector', 'code'].includes(field),
      );
      const words = (delivery: string) => [
        ...mapFlags(own),
        '--map',
        `groups=jmes:[{deliveryMethod: \`"${delivery}"\`, items: ${identifier(column)}[].{${line}}}]`,
      ];
      return { column, words };
    }
    return undefined;
  }

  /** The columns that may hold the body of a row, the best first, those that fill its lines last. */
  #byFit(): readonly string[] {
    const best = this.#bestColumn();
    const { keyField, titleField } = this.#grouped;
    const ofLines = new Set(
      [...this.#matched()].flatMap(([field, column]) =>
        field === keyField || field === titleField ? [] : [column],
      ),
    );
    const rank = (column: string) =>
      column === best ? 0 : ofLines.has(column) ? 3 : this.#hasRepeats(column) ? 1 : 2;
    return [...this.#columns].sort((a, b) => rank(a) - rank(b));
  }

  /** Refuses a map file that names fields of flat rows, if there is no `--group-by`. */
  refuseFlatMap(target: ImportTarget): void {
    const { flags, saved } = this.#request;
    const grouped = this.#grouped;
    const columns = this.#columns;
    const map = saved?.content as { readonly fields?: unknown } | undefined;
    const rules = (map?.fields ?? {}) as Readonly<Record<string, unknown>>;
    const own = new Set(target.fields.fields.map(({ name }) => name));
    const flat = Object.keys(rules).filter(
      (name) => !own.has(name) && grouped.fields.fields.some((field) => field.name === name),
    );
    if (flat.length === 0) return;
    const title = rules[grouped.titleField];
    const ofTitle =
      typeof title === 'string' ? title : (title as { column?: string } | undefined)?.column;
    const column =
      ofTitle !== undefined && columns.includes(ofTitle) ? ofTitle : this.#bestColumn();
    const command = this.#typedWith(['--group-by', column]);
    const some = listed(flat, 3);
    throw new DialogueError(
      'invalid_usage',
      {
        en: `--map-file ${flags.mapFile} maps fields of flat rows, so --group-by COLUMN is needed: ${some}`,
        es: `--map-file ${flags.mapFile} es de filas planas y necesita --group-by COLUMN: ${some}`,
      },
      { hint: tryIt(command), details: { columns, command } },
    );
  }

  /** @throws ProcError `invalid_usage` if no flag or column of the source fills a needed field */
  checkFlags(column: string): void {
    const { fields } = this.#grouped;
    const exact = fields.fields
      .map(({ name }) => name)
      .filter((name) => this.#source.columns.includes(name));
    const needNoFlag = [...this.#typedFields(), ...exact];
    // With --map, columns are not matched by similar names.
    const { map } = this.#request.flags;
    const alike = map.length > 0 ? [] : matchColumns(this.#source, fields).matched.keys();
    const { terminal } = this.#ports.io;
    const canAsk = terminal.interactive && !this.#ports.self.flags.yes && map.length === 0;
    // At a terminal, the columns of other fields are asked for, and the title has a column.
    const asked = canAsk
      ? fields.fields.filter(({ choices }) => choices === undefined).map(({ name }) => name)
      : [];
    this.checkFilled([...needNoFlag, ...alike, ...asked], needNoFlag, column);
  }

  /**
   * Stops if nothing fills a field that each body needs: every body would be rejected.
   *
   * @throws ProcError `invalid_usage`
   */
  checkFilled(filled: readonly string[], needNoFlag: readonly string[], column: string): void {
    const { columns } = this.#source;
    const needed = this.#grouped.requiredFields.filter(
      (names) => !names.some((name) => filled.includes(name)),
    );
    if (columns.length === 0 || needed.length === 0) return;
    const { words, missing } = this.#suggested(needNoFlag, column);
    const command = this.#typedWith(words);
    const no = missingText(missing);
    throw new DialogueError(
      'invalid_usage',
      {
        en: `no column or flag fills ${eitherOf(needed, 'or')}${no.en}`,
        es: `ninguna columna u opción da ${eitherOf(needed, 'o')}${no.es}`,
      },
      { hint: tryIt(command), details: { needed, missing, columns, command } },
    );
  }

  #typedFields(): readonly string[] {
    const { map, set } = this.#request.flags;
    return [...map, ...set].map((text) => text.split('=', 1)[0]!.trim());
  }

  #typedWith(words: readonly string[]): string {
    return typedAgain(this.#ports.self.typed, [...words, ...yesFlag(this.#ports)]);
  }

  #matched(): ReadonlyMap<string, string> {
    return matchColumns({ ...this.#source, columns: this.#columns }, this.#grouped.fields).matched;
  }

  #suggested(given: readonly string[], column: string): Suggested {
    const { requiredFields, defaults, fields, titleField } = this.#grouped;
    const matched = this.#matched();
    const map = new Map([...matched].filter(([field]) => !given.includes(field)));
    const set: string[] = [];
    const taken = [column, ...matched.values()];
    const free = this.#columns.filter((name) => !taken.includes(name));
    const missing: (readonly string[])[] = [];
    for (const names of requiredFields) {
      if (names.some((name) => given.includes(name) || map.has(name))) continue;
      const [first] = names;
      const constant = defaults[first];
      const kind = fields.fields.find(({ name }) => name === first)?.kind;
      const fitting = free.findIndex((name) => (kind === 'integer') === this.#isCounting(name));
      if (first === titleField) map.set(first, column);
      else if (constant !== undefined) set.push('--set', `${first}=${constant}`);
      else if (fitting >= 0) map.set(first, free.splice(fitting, 1)[0]!);
      else missing.push(names);
    }
    return { map, words: [...mapFlags(map), ...set], missing };
  }

  /**
   * Finds rows that a suggested grouping would merge, although they differ in a field that the body
   * has once, e.g. `sector`. If the column was not chosen by its name, differences in unmapped columns
   * count too.
   *
   * @param map the suggested column of each field
   */
  async #mergedBy(
    column: string,
    map: ReadonlyMap<string, string>,
  ): Promise<MergedRows | undefined> {
    const named = [...map].flatMap(([field, name]) =>
      name === column || /^(item|group)\.|^quantity$/.test(field) ? [] : [name],
    );
    const merged = await mergedRows(this.#source, column, named, true);
    if (merged !== undefined || this.#namedColumn() !== undefined) return merged;
    const used = new Set([column, ...map.values()]);
    const unmapped = this.#columns.filter((name) => !used.has(name));
    return mergedRows(this.#source, column, unmapped);
  }

  #bestColumn(): string {
    const named = this.#namedColumn();
    if (named !== undefined) return named;
    const taken = new Set(this.#matched().values());
    const free = this.#columns.filter((column) => !taken.has(column));
    return free.find((column) => this.#hasRepeats(column)) ?? free[0] ?? this.#columns[0]!;
  }

  /** The column of the title, or else a column with a header such as `Request No.` */
  #namedColumn(): string | undefined {
    const { keyField, titleField, headers } = this.#grouped;
    const columns = this.#columns;
    for (const wanted of [keyField, titleField]) {
      const column = this.#request.flags.map
        .map((text) => text.split('='))
        .find(([field]) => field?.trim() === wanted)?.[1]
        ?.trim();
      if (column !== undefined && columns.includes(column)) return column;
    }
    // An identifier comes before a title: two requisitions may have the same title.
    const [byName] = headers
      .map(normalise)
      .flatMap((name) => columns.find((column) => normalise(column) === name) ?? []);
    const matched = this.#matched();
    return matched.get(keyField) ?? byName ?? matched.get(titleField);
  }

  #isCounting(column: string): boolean {
    const values = this.#source.head.map(({ fields }) => String(fields?.[column] ?? '').trim());
    const filled = values.filter((value) => value !== '');
    return filled.length > 0 && filled.every((value) => /^\d+$/.test(value));
  }

  #hasRepeats(column: string): boolean {
    const values = this.#source.head
      .map(({ fields }) => fields?.[column])
      .filter((one) => one !== '');
    const distinct = new Set(values).size;
    return distinct > 0 && distinct < values.length;
  }
}

interface Suggested {
  /** The column of each field. */
  readonly map: ReadonlyMap<string, string>;
  /** The same as flags, and constants. */
  readonly words: readonly string[];
  /** Required fields for which proc can suggest no flag. */
  readonly missing: readonly (readonly string[])[];
}

function mapFlags(map: Iterable<readonly [field: string, column: string]>): readonly string[] {
  return [...map].flatMap(([field, column]) => ['--map', `${field}=${column}`]);
}

/** `title, item.code or item.name`. */
function eitherOf(fields: readonly (readonly string[])[], or: string): string {
  return fields.map((names) => names.join(` ${or} `)).join(', ');
}

function missingText(missing: readonly (readonly string[])[]): Said {
  if (missing.length === 0) return { en: '', es: '' };
  return {
    en: `. No column name matches ${eitherOf(missing, 'or')}: choose one with --map`,
    es: `. Elija la columna de ${eitherOf(missing, 'o')} con --map`,
  };
}

function tryIt(command: string): Said {
  return { en: `Try: ${command}`, es: `Pruebe: ${command}` };
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
