import { ProcError } from '../../core/errors.ts';
import type { Choice, Ports } from '../../core/ports.ts';
import { sentence } from '../../core/problem/sentence.ts';
import { listed } from '../../core/text/listed.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { show } from '../../core/validate.ts';
import { fieldsOf } from '../../nouns/shared/references/look-up-references.ts';
import type { ImportFlags } from '../import-flags.ts';
import { isAddedColumn, type Source, type SourceRecord } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { textOf } from './convert.ts';
import { columnsOf, type Mapping } from './mapping.ts';
import { parseMapping } from './mapping-flags.ts';

interface MapRequest {
  readonly source: Source;
  readonly target: ImportTarget;
  readonly flags: Pick<ImportFlags, 'map' | 'set' | 'decimal' | 'groupBy'>;
  /** The map of `--map-file`. */
  readonly mapFile: object | undefined;
}

/**
 * Maps columns by the flags, the map file or their names. At a terminal, asks for the column of each
 * required field that has none. Reports the columns that are not sent.
 *
 * @throws ProcError `invalid_usage`, `unknown_field`
 */
export async function chooseMapping(
  { source, target, flags, mapFile }: MapRequest,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<Mapping> {
  // An empty JSON array has no rows and no columns, so there is nothing to map.
  if (source.columns.length === 0 && source.head.length === 0) return { fields: {} };
  refuseUnread(source);
  const { set, decimal } = flags;
  // In `--set currency=@order.currency`, `order` is a reference. Only a reference whose name is one
  // word can follow `@`, so `groups[].addressId` cannot.
  const references = new Map(
    (target.references ?? [])
      .filter(({ field }) => /^\w+$/.test(field))
      .map(({ field, to, like = field }) => [like, fieldsOf(to)] as const),
  );
  const chosen: string[] = [];
  let mapping: Mapping;
  for (;;) {
    const map = [...flags.map, ...chosen];
    const args = { map, set, decimal, references, mapFile };
    mapping = parseMapping(args, source, target.fields);
    const missing = missingIn(mapping, target);
    const [first] = missing;
    if (first === undefined) break;
    const column = await askColumn(first, source, ports);
    if (column === undefined) throw noColumns(missing, source, target);
    chosen.push(`${first[0]}=${column}`);
  }
  if (chosen.length > 0) {
    const command = typedAgain(
      ports.self.typed,
      chosen.flatMap((one) => ['--map', one]),
    );
    const text = `To skip these questions next time, run: ${command}`;
    ports.io.say({ kind: 'notice', text });
  }
  refuseUnreadable(source, columnsSent(mapping), flags.groupBy);
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
  const place = { ...problem.place, ...at, file: name };
  const why = sentence({ ...problem, field: undefined, place });
  throw new ProcError('invalid_input', `${why}; nothing was sent`, {
    hint: `No record of ${name} can be read, so its columns are not known`,
  });
}

/** E.g. a formula whose result the workbook does not store is no empty cell. */
function refuseUnreadable(
  { unreadable, name }: Source,
  sent: ReadonlySet<string>,
  groupBy: string | undefined,
): void {
  const [found] = [...(unreadable ?? [])].filter(
    ([column]) => sent.has(column) || column === groupBy,
  );
  if (found === undefined) return;
  const [column, why] = found;
  throw new ProcError(
    'invalid_input',
    `cannot read the column ${JSON.stringify(column)} of ${name}: ${why}; nothing was sent`,
    {
      hint: 'Open it in a spreadsheet program, paste the cells as values (unmerge them, give dates a date format), and save it there',
    },
  );
}

/** The required fields that nothing fills, each with its alternatives. */
function missingIn(
  mapping: Mapping,
  { fields, needed = [] }: ImportTarget,
): readonly (readonly string[])[] {
  const required = fields.fields.flatMap((one) => (one.required === true ? [[one.name]] : []));
  return [...required, ...needed].filter((names) =>
    names.every((name) => mapping.fields[name] === undefined),
  );
}

/** Undefined if this is not an interactive terminal, or if the person chooses no column. */
async function askColumn(
  [field = '']: readonly string[],
  { columns, head }: Source,
  { io, ask, self }: Ports<'io' | 'ask' | 'self'>,
): Promise<string | undefined> {
  if (!io.terminal.interactive || self.flags.yes) return undefined;
  const choices = columns
    .filter((column) => !isAddedColumn(column))
    .map((column): Choice<string | undefined> => {
      const values = samples(head, column).join(' · ') || 'empty';
      return { name: `${column}  (${values})`, value: column };
    });
  return ask.select(`Which column fills ${field}?`, [
    ...choices,
    { name: 'None: stop', value: undefined },
  ]);
}

function noColumns(
  missing: readonly (readonly string[])[],
  { name, columns }: Source,
  { many, fields }: ImportTarget,
): ProcError {
  const all = fields.fields.map((field) => field.name);
  const [[first] = []] = missing;
  return new ProcError(
    'invalid_usage',
    `${name} has no column for the required fields of ${many}: ${missing.map((names) => names.join(' or ')).join(', ')}; nothing was sent`,
    {
      hint: `Add --map ${first}=COLUMN or --set ${first}=VALUE. Columns: ${listed(columns, 20)}. Fields: ${all.join(', ')}`,
      details: { missing, columns, fields: all },
    },
  );
}

const SAMPLES = 3;

const SAMPLE_LENGTH = 40;

function samples(head: readonly SourceRecord[], column: string): string[] {
  const found = new Set<string>();
  for (const { fields } of head) {
    const value =
      fields !== undefined && Object.hasOwn(fields, column) ? fields[column] : undefined;
    const text = (
      textOf(value) ?? (value === undefined || value === null ? '' : show(value))
    ).trim();
    if (text !== '') {
      found.add(text.length > SAMPLE_LENGTH ? `${text.slice(0, SAMPLE_LENGTH - 1)}…` : text);
    }
    if (found.size === SAMPLES) break;
  }
  return [...found];
}

/** Columns that the mapping uses. */
function columnsSent({ fields }: Pick<Mapping, 'fields'>): ReadonlySet<string> {
  return new Set(Object.values(fields).flatMap(columnsOf));
}
