import type { Context } from '../../context.ts';
import type { ProcError } from '../../core/errors.ts';
import type { DecimalMark } from '../../core/numbers.ts';
import { placeText, sentence } from '../../core/row-problem.ts';
import { show } from '../../core/validate.ts';
import { listed } from '../../core/wording.ts';
import type { ImportRequest } from '../import-request.ts';
import { openSource, removeSpool } from '../source/open-source.ts';
import { badFile, badFlag, GROUP_COLUMN, type Source } from '../source/record.ts';
import { type ImportTarget, requiredBy, shapeOf } from '../targets/import-target.ts';
import { askColumns, STOP, saveFile } from './ask-columns.ts';
import { type UnclearNumber, unclearNumber } from './convert.ts';
import { columnsSent, type Mapping } from './mapping.ts';
import { columnsNamed, columnTyped, parseMapping } from './parse-mapping.ts';
import { saveMap } from './saved-map.ts';

interface Mapped {
  readonly source: Source;
  /** Rows with the same value in this column make one body. */
  readonly groupBy: string | undefined;
  readonly mapping: Mapping;
}

/**
 * Opens the source, maps its columns by the flags, the map file or their names, and saves the mapping. At a terminal,
 * asks for what is missing.
 *
 * @param folder for a copy of standard input
 * @throws ProcError
 */
export async function openMapped(
  request: ImportRequest,
  folder: string,
  ctx: Context,
): Promise<Mapped> {
  const { file, flags, saved, target } = request;
  const source = await openSource({
    ...{ file, flags, cwd: ctx.cwd },
    ...{ stdin: ctx.io.streams.stdin, spoolFolder: folder },
  });
  const { otherSheets = [], format, name } = source;
  if (otherSheets.length > 0) {
    const text = `Read the sheet ${format.workbook?.sheet} of ${name}. Not read: ${otherSheets.join(', ')} (--sheet NAME)`;
    ctx.io.say({ kind: 'notice', text });
  }
  try {
    // An empty JSON array has no rows and no columns, so there is nothing to map.
    if (source.columns.length === 0 && source.head.length === 0)
      return { source, groupBy: undefined, mapping: { fields: {} } };
    refuseUnread(source);
    const groupBy = groupedBy(source, request);
    const shape = shapeOf(target, groupBy);
    const answers: string[] = [];
    const isAsked = ctx.io.terminal.interactive && !ctx.flags.yes;
    const parse = () => {
      const map = [...flags.map, ...answers.filter((word) => word !== '--map')];
      return parseMapping({ ...flags, map, saved }, source, shape.fields);
    };
    let { mapping, leftOut } = parse();
    const missing = requiredBy(shape).filter((names) =>
      names.every((one) => mapping.fields[one] === undefined),
    );
    const columns = source.columns.filter((column) => column !== groupBy);
    const asking = {
      mapping: () => mapping,
      map(field: string, column: string) {
        answers.push('--map', `${field}=${column}`);
        ({ mapping, leftOut } = parse());
      },
    };
    const open = { source, columns, fields: shape.fields };
    if (missing.length > 0 && !(isAsked && (await askColumns(missing, open, ctx, asking))))
      throw noColumns(missing, source, shape);
    refuseUnreadable(source, columnsSent(mapping), groupBy);
    const unclear = await unclearNumber(source, mapping, shape.fields);
    if (unclear !== undefined) {
      const decimal = await askDecimal(unclear, name, isAsked, ctx);
      answers.push('--decimal', decimal);
      mapping = { ...mapping, decimal };
    }
    const to = flags.saveMap ?? (await saveFile(answers, source, ctx));
    if (to !== undefined) await saveMap(to, ctx.cwd, mapping, leftOut, { ...flags, groupBy });
    return { source, groupBy, mapping };
  } catch (thrown) {
    removeSpool(source, folder);
    throw thrown;
  }
}

/**
 * Without a readable record there are no columns, and what is wrong with the first record is the answer.
 *
 * @throws ProcError `invalid_input`
 */
function refuseUnread({ name, columns, head: [first] }: Source): void {
  if (columns.length > 0 || first?.problem === undefined) return;
  const { place } = first.problem;
  const at = { ...place, ...(place?.line === undefined ? { row: first.row } : {}), file: name };
  throw badFile(
    `${sentence({ ...first.problem, field: undefined, place: at })}; nothing was sent`,
    `No record of ${name} can be read, so its columns are not known`,
  );
}

/** @throws ProcError `invalid_usage` for flat rows without `--group-by` */
function groupedBy(
  source: Source,
  { target: { grouped, one }, flags, saved }: ImportRequest,
): string | undefined {
  if (grouped === undefined) return undefined;
  // A file of rejected rows has the groups under a name of proc's own.
  if (source.columns.includes(GROUP_COLUMN)) return GROUP_COLUMN;
  if (flags.groupBy !== undefined) return columnTyped(flags.groupBy, source, '--group-by');
  const { payloadField } = grouped;
  const isMapped =
    saved?.map?.[payloadField] !== undefined ||
    flags.map.some((text) => text.trim().startsWith(`${payloadField}=`));
  if (isMapped || columnsNamed(payloadField, source).length > 0) return undefined;
  const fields = grouped.fields.map(({ name }) => name);
  throw badFlag(
    `the rows of ${source.name} are not payloads: there is no column "${payloadField}"; nothing was sent`,
    `Rows with the same value in one column form one ${one}: add --group-by COLUMN. Columns: ${listed(source.columns, 20)}. Fields: ${fields.join(', ')}`,
    { details: { columns: source.columns, fields } },
  );
}

function noColumns(
  missing: readonly (readonly string[])[],
  { name, columns }: Source,
  { many, fields }: ImportTarget,
): ProcError {
  const all = fields.map((field) => field.name);
  const [[first] = []] = missing;
  return badFlag(
    `${name} has no column for the required fields of ${many}: ${missing.map((names) => names.join(' or ')).join(', ')}; nothing was sent`,
    `Add --map ${first}=COLUMN or --set ${first}=VALUE. Columns: ${listed(columns, 20)}. Fields: ${all.join(', ')}`,
    { details: { missing, columns, fields: all } },
  );
}

/** E.g. a formula whose result the workbook does not store is no empty cell. */
function refuseUnreadable(
  { unreadable = new Map(), name }: Source,
  sent: ReadonlySet<string>,
  groupBy: string | undefined,
): void {
  for (const [column, why] of unreadable)
    if (sent.has(column) || column === groupBy)
      throw badFile(
        `cannot read the column ${JSON.stringify(column)} of ${name}: ${why}; nothing was sent`,
        'Open it in a spreadsheet program, paste the cells as values (unmerge them, give dates a date format), and save it there',
      );
}

/** @throws ProcError `invalid_usage` if nobody is asked, or the person stops */
async function askDecimal(
  unclear: UnclearNumber,
  name: string,
  isAsked: boolean,
  ctx: Context,
): Promise<DecimalMark> {
  const { text, field, column, row, line, readings } = unclear;
  const flags = readings.map(({ mark }) => `--decimal ${mark}`);
  const numbers = readings.map(({ number }) => number);
  const choices = readings.map(({ mark }, at) => {
    return { name: `${numbers[at]} (${flags[at]})`, value: mark };
  });
  const question = `Which number is ${text} in ${field}?`;
  const chosen = isAsked
    ? await ctx.prompt.select<DecimalMark | undefined>(question, [...choices, STOP])
    : undefined;
  if (chosen !== undefined) return chosen;
  throw badFlag(
    `${name}, ${placeText({ row, line })}, column ${show(column)}: the number ${show(text)} may be ${numbers.join(' or ')}; nothing was sent`,
    `Say what separates decimals: ${flags.join(' or ')}`,
    { details: unclear },
  );
}
