import { ProcError } from '../../core/errors.ts';
import type { Choice, Ports } from '../../core/ports.ts';
import { inShell, typedAgain } from '../../core/text/typed.ts';
import { PairIndex } from '../../listing/pair-index.ts';
import { columnMessages } from '../../messages/columns.ts';
import { capital } from '../../messages/confirmations.ts';
import { type ImportPlanMessages, importPlanMessages } from '../../messages/planning.ts';
import { sentence } from '../../messages/problems.ts';
import { fieldsOf } from '../../nouns/shared/references/look-up-references.ts';
import { needsConfirmation } from '../../terminal/confirm-change.ts';
import type { Source, SourceRecord } from '../source/record.ts';
import { elsewhereIn } from '../source/source-hints.ts';
import { cellText, withTable } from '../source/table-file.ts';
import type { ImportField } from '../targets/import-target.ts';
import { columnsSent, replacedColumns, samples, unsentColumns } from './column-use.ts';
import { textOf } from './convert.ts';
import { columnOf, type Mapping } from './mapping.ts';
import { type MappingArgs, parseMapping } from './mapping-flags.ts';
import {
  fieldsMissing,
  filledOf,
  fitOf,
  isKeyMissing,
  type MappingFlags,
  type MappingTarget,
  type Matches,
  matchColumns,
  setFields,
} from './match.ts';
import { isAddedColumn } from './repair/marks.ts';

interface MapRequest {
  readonly source: Source;
  readonly target: MappingTarget;
  readonly flags: MappingFlags;
  /** The map of `--map-file`. */
  readonly given: object | undefined;
  /** The mapping of the run that the source repairs; used if `given` is undefined. */
  readonly earlier?: object | undefined;
}

/**
 * The same as {@link mapColumnsOf}, but also reports the columns that are not sent.
 *
 * @throws ProcError `invalid_usage`, `unknown_field`; `confirmation_required` with the complete
 * command
 */
export async function chooseMapping(
  request: MapRequest,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<Mapping> {
  const mapping = await mapColumnsOf(request, ports);
  const { source, flags } = request;
  if (source.columns.length === 0 && source.head.length === 0) return mapping;
  const replaced = replacedColumns(mapping, source.columns);
  const unsent = unsentColumns(mapping, source.columns).filter(
    (column) => !isAddedColumn(column) && column !== flags.groupBy && !replaced.includes(column),
  );
  const words = importPlanMessages;
  if (unsent.length > 0) {
    ports.io.say({ kind: 'notice', text: words.notSent(shortList(unsent)) });
  }
  if (replaced.length > 0) {
    const text = words.notSentReplaced(shortList(replaced));
    ports.io.say({ kind: 'notice', text });
  }
  return mapping;
}

/**
 * Maps columns by `given`, `earlier` or `--map`. Without these, it maps columns by their names, and
 * names that are only similar need a confirmation.
 *
 * @throws ProcError `invalid_usage`, `unknown_field`; `confirmation_required` with the complete
 * command
 */
async function mapColumnsOf(
  { source, target, flags, given, earlier }: MapRequest,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<Mapping> {
  const { fields } = target;
  // An empty JSON array has no rows and no columns, so there is nothing to map.
  if (source.columns.length === 0 && source.head.length === 0) return { fields: {}, nulls: [] };
  refuseUnread(source);
  const mapFile = given ?? earlier;
  const args = {
    map: flags.map,
    set: flags.set,
    nulls: flags.null,
    decimal: flags.decimal,
    values: await mappedValues(flags.mapValue, ports),
    // In `--set currency=@order.currency`, `order` is a reference. Only a reference whose name is one
    // word can follow `@`, so `groups[].addressId` cannot.
    references: new Map(
      (target.references ?? [])
        .filter(({ field }) => /^\w+$/.test(field))
        .map(({ field, to, like = field }) => [like, fieldsOf(to)] as const),
    ),
    allowUnknown: ports.self.flags.allowUnknown,
    mapFile,
    isRepair: given === undefined && earlier !== undefined,
  };
  let mapping: Mapping;
  if (mapFile !== undefined || flags.map.length > 0) {
    mapping = parseMapping(args, source, fields);
  } else {
    const matches = matchColumns(source, fields, filledOf(target, flags));
    const found = await confirmedColumns(matches, { source, target, flags, args }, ports);
    mapping = parseMapping({ ...args, ...found }, source, fields);
  }
  refuseUnsaved(source, columnsSent(mapping), flags.groupBy);
  return mapping;
}

/**
 * Without a readable record there are no columns, and what is wrong with the first record is the answer.
 *
 * @throws ProcError `invalid_input`
 */
function refuseUnread({ name, columns, head }: Source): void {
  const problem = head[0]?.problem;
  if (columns.length > 0 || problem === undefined) return;
  const { row } = head[0]!;
  const at = problem.place?.line === undefined ? { row } : {};
  const why = () =>
    sentence({ ...problem, field: undefined, place: { ...problem.place, ...at, file: name } });
  throw new ProcError('invalid_input', `${why()}; nothing was sent`, {
    hint: `No record of ${name} can be read, so its columns are not known`,
  });
}

/** A formula whose result the workbook does not store is no empty cell. */
function refuseUnsaved(
  { unsaved, name }: Source,
  sent: ReadonlySet<string>,
  groupBy: string | undefined,
): void {
  const [found] = [...(unsaved ?? [])].filter(([column]) => sent.has(column) || column === groupBy);
  if (found === undefined) return;
  const [column, cell] = found;
  throw new ProcError(
    'invalid_input',
    `cannot read ${name} as a workbook: its cell ${cell} contains a formula without a saved result (column ${JSON.stringify(column)})`,
    { hint: 'Open it in a spreadsheet program, save it there, and import that file.' },
  );
}

interface Choosing extends Pick<MapRequest, 'source' | 'target' | 'flags'> {
  readonly args: MappingArgs;
}

type Found = Pick<MappingArgs, 'matched' | 'isAsked'>;

/** Columns whose names are only similar to fields need a confirmation. */
async function confirmedColumns(
  matches: Matches,
  choosing: Choosing,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<Found> {
  const { source, target, flags } = choosing;
  const { matched } = matches;
  const canAsk = ports.io.terminal.interactive && !ports.self.flags.yes;
  const ask = () => askedColumns(matched, choosing, ports);
  if (matched.size === 0) {
    // If the records seem to be elsewhere in the file, proc does not ask: `withPlaceHint` adds that
    // place to the error.
    if (canAsk && (await elsewhereIn(choosing)) === undefined) return ask();
    throw noMatch(source, target);
  }
  if (!matches.exact) {
    const merging = await mergingKey(source, target, matched);
    if (merging !== undefined) {
      if (!canAsk) throw merging;
      ports.io.say({ kind: 'warning', text: merging.message });
      const others = new Map([...matched].filter(([field]) => field !== target.keyField));
      return askedColumns(others, choosing, ports);
    }
  }
  const filled = [...matched.keys(), ...setFields(flags.set)];
  const needed = flags.groupBy === undefined ? [] : (target.grouped?.requiredFields ?? []);
  const isLacking = needed.some((names) => !names.some((name) => filled.includes(name)));
  if (canAsk && (isLacking || isKeyMissing(target, matches, flags))) return ask();
  const missing = fieldsMissing(target, [...matched.keys()], flags);
  // Rows without a name are rejected one by one if all headers are names of fields.
  if (
    missing !== undefined &&
    !(matches.exact && missing.includes(target.listing?.nameField ?? ''))
  ) {
    if (canAsk) return ask();
    throw noColumn(missing, matches, choosing, ports);
  }
  if (matches.exact || (await agreesTo(matches, choosing, ports))) return { matched };
  return ask();
}

function noColumn(
  fields: readonly string[],
  { matched, ambiguous }: Matches,
  choosing: Choosing,
  ports: Ports<'io' | 'api' | 'self'>,
): ProcError {
  const { source, target } = choosing;
  const [field = ''] = fields;
  const several = ambiguous.get(field);
  const noun = `an ${target.one}`;
  const named = fields.filter((one) => !one.endsWith('Id') || !fields.includes(one.slice(0, -2)));
  const what =
    several === undefined
      ? `no column of ${source.name} matches the ${named.join(' or ')} of ${noun}`
      : `several columns of ${source.name} match the ${field} of ${noun}: ${several.join(', ')}`;
  const further = ['--map', `${field}=COLUMN`];
  const command = commandWith({ matched }, choosing, ports, further);
  return new ProcError(
    'invalid_usage',
    `${what}. proc does not send ${target.noun} without ${named.length > 1 ? 'one of them' : `${/^[aeiou]/.test(field) ? 'an' : 'a'} ${field}`}; nothing was sent`,
    {
      hint: `Choose the column: ${command} (columns: ${shortList(source.columns)})`,
      details: { matched: Object.fromEntries(matched), columns: source.columns },
    },
  );
}

function noMatch(source: Source, target: MappingTarget): ProcError {
  return new ProcError(
    'invalid_usage',
    `no column of ${source.name} matches a field of ${/^[aeiou]/.test(target.one) ? 'an' : 'a'} ${target.one} (columns: ${shortList(source.columns)})`,
    {
      hint: `Map the columns, e.g. --map ${target.keyField}=${inShell(source.columns[0] ?? 'COLUMN')} …`,
      details: { columns: source.columns, fields: target.fields.fields.map(({ name }) => name) },
    },
  );
}

/**
 * @throws ProcError `confirmation_required` with the complete command, if the session is not
 * interactive
 */
async function agreesTo(
  matches: Matches,
  choosing: Choosing,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<boolean> {
  const { source } = choosing;
  const { matched } = matches;
  const command = commandWith({ matched }, choosing, ports);
  if (!ports.io.terminal.interactive) {
    throw new ProcError(
      'confirmation_required',
      `${matchesText(source, matches, importPlanMessages)}\n${capital(needsConfirmation('use this match'))}`,
      {
        hint: `If it is right, run: ${command}`,
        details: { matched: Object.fromEntries(matched), command },
      },
    );
  }

  const text = matchesText(source, matches, importPlanMessages);
  ports.io.say({ kind: 'notice', text });
  return ports.self.flags.yes || ports.ask.confirm(columnMessages.use(matched.size), true);
}

async function askedColumns(
  proposed: ReadonlyMap<string, string>,
  choosing: Choosing,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<Found> {
  const { source, target, args } = choosing;

  const set = setFields(args.set);
  const { keyField } = target;
  const fields = target.fields.fields
    .filter(({ name }) => !set.includes(name))
    .sort((a, b) => Number(b.name === keyField) - Number(a.name === keyField));
  const show = (matched: ReadonlyMap<string, string>): void => {
    const lines = matchLines(source, { matched, ambiguous: new Map() }, importPlanMessages);
    ports.io.say({ kind: 'notice', text: importPlanMessages.columnsChosen(lines) });
  };
  const matched = await askColumns({ source, fields, proposed, show }, ports);
  const found = { matched, isAsked: true };
  const command = commandWith(found, choosing, ports);
  ports.io.say({ kind: 'notice', text: columnMessages.again(command) });
  return found;
}

/** The typed command, with a `--map` for each confirmed column. */
function commandWith(
  found: Found,
  { source, target, args }: Choosing,
  ports: Ports<'io' | 'api' | 'self'>,
  further: readonly string[] = [],
): string {
  const mapping = parseMapping({ ...args, ...found }, source, target.fields);
  // A field that another flag fills needs no `--map`: the typed command has that flag.
  const flags = [...(found.matched ?? [])].flatMap(([field, column]) =>
    columnOf(mapping, field) === column ? ['--map', `${field}=${column}`] : [],
  );
  return typedAgain(ports.self.typed, [...flags, ...further, ...yesFlag(ports)]);
}

/** Without a terminal, nobody can answer when the import asks, so a suggested command has `--yes`. */
export function yesFlag({ io, api, self }: Ports<'io' | 'api' | 'self'>): readonly string[] {
  return self.flags.yes || api.isPreview || io.terminal.interactive ? [] : ['--yes'];
}

/**
 * The error if different rows have the same value in the key column: proc would import only one of
 * them.
 */
async function mergingKey(
  source: Source,
  { keyField, listing, one }: MappingTarget,
  matched: ReadonlyMap<string, string>,
): Promise<ProcError | undefined> {
  const column = matched.get(keyField);
  // Nouns without a list may have several records with the same key.
  if (column === undefined || column === keyField || listing === undefined) return undefined;
  const merged = await mergedRows(source, column);
  if (merged === undefined) return undefined;
  const [first, second] = merged.rows;
  const named = JSON.stringify(column);
  return new ProcError(
    'invalid_usage',
    `${named} looks like the ${keyField}, but rows ${first} and ${second} have the same ${named} (${merged.key}) and differ in ${JSON.stringify(merged.column)}. proc would import only one of these rows`,
    {
      hint: `Map the column that is different for each ${one}: --map ${keyField}=COLUMN (columns: ${shortList(source.columns)})`,
      details: { merged, columns: source.columns },
    },
  );
}

interface MergedRows {
  readonly key: string;
  readonly rows: readonly [number, number];
  readonly column: string;
}

/** Amounts, counts, dates and times: even rows that belong together usually differ in them. */
const FIGURE = /^[\d\s.,:/%$€£+-]*$/;

/** The first two rows that have the same value in the key column and differ in other columns. */
async function mergedRows(source: Source, keyColumn: string): Promise<MergedRows | undefined> {
  const seen = new PairIndex();
  const cells = ({ fields }: SourceRecord) =>
    source.columns.map((column) => {
      const text = textOf(fields?.[column])?.trim() ?? '';
      return FIGURE.test(text) && column !== keyColumn ? '' : text;
    });
  const keyOf = ({ fields }: SourceRecord) => textOf(fields?.[keyColumn])?.trim() ?? '';
  for await (const batch of source.records()) {
    for (const record of batch) {
      const key = keyOf(record);
      if (key === '' || seen.add(key, cells(record).join('\0')) !== 'other') continue;
      for await (const earlier of source.records()) {
        const first = earlier.find((one) => keyOf(one) === key);
        if (first === undefined) continue;
        const [was, is] = [cells(first), cells(record)];
        const column = source.columns.find((_, at) => was[at] !== is[at]);
        if (column !== undefined) return { key, rows: [first.row, record.row], column };
        break;
      }
    }
  }
  return undefined;
}

function matchesText(source: Source, matches: Matches, words: ImportPlanMessages): string {
  return words.columnsMatched(matchLines(source, matches, words));
}

function matchLines(
  { head }: Source,
  { matched, ambiguous }: Pick<Matches, 'matched' | 'ambiguous'>,
  words: ImportPlanMessages,
): string {
  return [
    ...[...matched].map(
      ([field, column]) =>
        `  ${field} ← ${column}  (${samples(head, column).join(' · ') || words.emptyColumn})`,
    ),
    ...[...ambiguous].map(([field, columns]) => words.columnAmbiguous(field, columns.join(', '))),
  ].join('\n');
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 12).join(', ');
  return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown;
}

/** A header that contains the name of a field or a synonym is selected. See {@link fitOf}. */
const CLEAR = 2;

type Answer = { readonly column: string } | 'none' | 'rest' | 'back';

interface Asking {
  readonly source: Source;
  /** In the order of the questions. */
  readonly fields: readonly ImportField[];
  /** The column that is preselected for each field. */
  readonly proposed: ReadonlyMap<string, string>;
  show(matched: ReadonlyMap<string, string>): void;
}

/** At the end the user accepts the mapping or begins again. */
async function askColumns(
  { source, fields, proposed, show }: Asking,
  ports: Ports<'io' | 'ask'>,
): Promise<ReadonlyMap<string, string>> {
  const words = columnMessages;
  const chosen = new Map(
    [...proposed].filter(([field]) => fields.some(({ name }) => name === field)),
  );
  const columns = source.columns.filter((column) => !isAddedColumn(column));
  for (let at = 0; ; ) {
    const field = fields[at];
    if (field === undefined) {
      if (chosen.size > 0) show(chosen);
      if (await ports.ask.confirm(words.use(chosen.size), chosen.size > 0)) return chosen;
      at = 0;
      continue;
    }
    const { name } = field;
    const takenBy = new Map(
      [...chosen].flatMap(([other, column]) => (other === name ? [] : [[column, other] as const])),
    );
    const own = chosen.get(name);
    const rank = (column: string): number => {
      if (column === own) return 5;
      return takenBy.has(column) ? -1 : fitOf(column, field);
    };
    const sorted = columns.toSorted((a, b) => rank(b) - rank(a));
    const choices = sorted.map((column): Choice<Answer> => {
      const other = takenBy.get(column);
      const values = samples(source.head, column).join(' · ') || words.empty;
      const taken = other === undefined ? '' : `, ${words.taken(other)}`;
      return { name: `${column}  (${values}${taken})`, value: { column } };
    });
    const others: Choice<Answer>[] = [{ name: words.none, value: 'none' }];
    if (at < fields.length - 1) others.push({ name: words.rest, value: 'rest' });
    if (at > 0) others.push({ name: words.back(fields[at - 1]!.name), value: 'back' });
    const question = words.which(name, at + 1, fields.length);
    const isLikely = sorted[0] !== undefined && rank(sorted[0]) >= CLEAR;
    const preselected = isLikely ? 0 : choices.length;
    const answer = await ports.ask.select(question, [...choices, ...others], preselected);
    if (answer === 'back') at--;
    else if (answer === 'rest') {
      for (const left of fields.slice(at)) chosen.delete(left.name);
      at = fields.length;
    } else {
      if (answer === 'none') chosen.delete(name);
      else chosen.set(name, answer.column);
      at++;
    }
  }
}

/**
 * The values of `--map-value`, where each file is replaced by its rows.
 *
 * @throws ProcError `unreadable_file`, `invalid_input`
 */
async function mappedValues(
  typed: readonly string[],
  ports: Ports<'io' | 'self'>,
): Promise<readonly string[]> {
  const values: string[] = [];
  for (const text of typed) {
    const [, field, file = ''] = /^([^:=]+):([^=]+)$/.exec(text) ?? [];
    values.push(...(field === undefined ? [text] : await valuesIn(field, file, ports)));
  }
  return values;
}

/** The file has two columns, and no header: what the source has, and what is sent. */
function valuesIn(
  field: string,
  file: string,
  ports: Ports<'io' | 'self'>,
): Promise<readonly string[]> {
  const options = { place: { headerRow: 0 }, confirmEncoding: async () => true };
  return withTable(file, options, ports, async ({ columns, records }) => {
    const values: string[] = [];
    for await (const batch of records()) {
      for (const { row, line = row, fields } of batch) {
        const [from, to] = columns.map((column) => cellText(fields?.[column]));
        if (fields === undefined || columns.length !== 2) {
          throw new ProcError(
            'invalid_input',
            `--map-value ${field}:${file}: line ${line} must have two cells`,
            {
              hint: 'Use one line for each value, e.g. ST,EA',
            },
          );
        }
        values.push(`${field}:${from}=${to}`);
      }
    }
    return values;
  });
}
