import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { DecimalMark } from '../../core/text/decimal.ts';
import { listed } from '../../core/text/listed.ts';
import type { ImportRequest } from '../import-request.ts';
import { openSource, removeSpool } from '../source/open-source.ts';
import type { Source } from '../source/record.ts';
import { type ImportTarget, shapeOf } from '../targets/import-target.ts';
import { chooseMapping } from './choose-mapping.ts';
import { columnsNamed, columnTyped } from './columns.ts';
import { type UnclearNumber, unclearNumber } from './convert.ts';
import type { Mapping } from './mapping.ts';

interface Mapped {
  readonly source: Source;
  /** Rows with the same value in this column make one body. */
  readonly groupBy: string | undefined;
  readonly mapping: Mapping;
}

/**
 * Opens the source and maps its columns, and saves the mapping with `--save-map`.
 *
 * @param folder for a copy of standard input
 * @throws ProcError
 */
export async function openMapped(
  request: ImportRequest,
  folder: string,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<Mapped> {
  const { file, flags, saved, target } = request;
  const source = await openSource({
    ...{ file, flags, saved, cwd: ports.self.cwd },
    ...{ stdin: ports.io.streams.stdin, spoolFolder: folder },
  });
  const { otherSheets = [], format, name } = source;
  if (otherSheets.length > 0) {
    const text = `Read the sheet ${format.workbook?.sheet} of ${name}. Not read: ${otherSheets.join(', ')} (--sheet NAME)`;
    ports.io.say({ kind: 'notice', text });
  }
  try {
    const groupBy = groupedBy(source, request);
    const shape = shapeOf(target, groupBy);
    const { mapping, save, command } = await chooseMapping(
      { source, target: shape, flags: { ...flags, groupBy }, saved },
      ports,
    );
    const decimal = await askDecimal({ source, mapping, shape }, ports);
    if (decimal !== undefined) command.push('--decimal', decimal);
    const whole: Mapping = { ...mapping, ...(decimal === undefined ? {} : { decimal }) };
    await save(whole);
    return { source, groupBy, mapping: whole };
  } catch (thrown) {
    removeSpool(source, folder);
    throw thrown;
  }
}

/** @throws ProcError `invalid_usage` for flat rows without `--group-by` */
function groupedBy(
  source: Source,
  { target: { grouped, one }, flags, saved }: ImportRequest,
): string | undefined {
  if (source.columns.length === 0) return undefined;
  if (flags.groupBy !== undefined) return columnTyped(flags.groupBy, source, '--group-by');
  if (grouped === undefined) return undefined;
  const { payloadField } = grouped;
  const isMapped =
    saved?.map?.[payloadField] !== undefined ||
    flags.map.some((text) => text.trim().startsWith(`${payloadField}=`));
  if (isMapped || columnsNamed(payloadField, source).length > 0) return undefined;
  const fields = grouped.fields.fields.map(({ name }) => name);
  throw new ProcError(
    'invalid_usage',
    `the rows of ${source.name} are not payloads: there is no column "${payloadField}"; nothing was sent`,
    {
      hint: `Rows with the same value in one column form one ${one}: add --group-by COLUMN. Columns: ${listed(source.columns, 20)}. Fields: ${fields.join(', ')}`,
      details: { columns: source.columns, fields },
    },
  );
}

/**
 * Asks for the decimal mark if the file has a number that needs it.
 *
 * @throws ProcError `invalid_usage` if the terminal is not interactive
 */
async function askDecimal(
  { source, mapping, shape }: Pick<Mapped, 'source' | 'mapping'> & { shape: ImportTarget },
  { ask, io, self }: Ports<'io' | 'ask' | 'self'>,
): Promise<DecimalMark | undefined> {
  if (mapping.decimal !== undefined) return undefined;
  const found = await unclearNumber(source, mapping, shape.fields);
  if (found === undefined) return undefined;
  if (!io.terminal.interactive || self.flags.yes) throw needsDecimal(found, source);
  const { text, field, readings } = found;
  const chosen = await ask.select<DecimalMark | undefined>(`Which number is ${text} in ${field}?`, [
    ...readings.map(({ mark, number }) => ({
      name: `${number} (the ${mark === '.' ? 'point' : 'comma'} is the decimal mark)`,
      value: mark,
    })),
    { name: 'None: stop', value: undefined },
  ]);
  if (chosen === undefined) throw needsDecimal(found, source);
  return chosen;
}

function needsDecimal(
  { field, column, text, row, line, readings }: UnclearNumber,
  { name }: Source,
): ProcError {
  const place = `${name}, row ${row}${line === undefined ? '' : `, line ${line}`}, column ${JSON.stringify(column)}`;
  const may = readings.map(({ number }) => number).join(' or ');
  return new ProcError(
    'invalid_usage',
    `${place}: the number ${JSON.stringify(text)} ${readings.length > 1 ? 'may be' : 'is not plain; it may be'} ${may}; nothing was sent`,
    {
      hint: `Say what separates decimals: ${readings.map(({ mark }) => `--decimal ${mark}`).join(' or ')}`,
      details: { field, column, row, line, text, readings },
    },
  );
}
