import { resolve } from 'node:path';
import type { Ports } from '../../core/ports.ts';
import type { DecimalMark } from '../../core/text/decimal.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { chooseKind, type SourceKind } from '../kind.ts';
import { chooseMapping } from '../map/choose-mapping.ts';
import { marksIn, type UnclearNumber } from '../map/convert.ts';
import type { Mapping } from '../map/mapping.ts';
import { saveMap } from '../map/saved-map.ts';
import { openSource, removeSpool } from '../source/open-source.ts';
import type { Source } from '../source/record.ts';
import type { TargetFields } from '../targets/import-target.ts';
import type { ImportRequest } from './import-request.ts';

interface Mapped {
  readonly source: Source;
  readonly kind: SourceKind;
  readonly mapping: Mapping;
}

/**
 * Opens the source and maps its columns, and saves the mapping with `--save-map`.
 *
 * @throws ProcError
 */
export async function openMapped(
  request: ImportRequest,
  folder: string,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<Mapped> {
  const source = await opened(request, folder, ports);
  try {
    const kind = chooseKind(source, request);
    const { shape, groupBy } = kind;
    const flags = { ...request.flags, groupBy };
    const mapFile = request.saved?.content;
    const chosen = await chooseMapping({ source, target: shape, flags, mapFile }, ports);
    const mapping = await withDecimal(source, chosen, shape.fields, ports);
    const { saveMap: file } = flags;
    if (file !== undefined) saveMap(resolve(ports.self.cwd, file), mapping, source, flags);
    return { source, kind, mapping };
  } catch (thrown) {
    removeSpool(source, folder);
    throw thrown;
  }
}

/** @param folder for a copy of standard input */
async function opened(
  { file, flags, saved }: ImportRequest,
  folder: string,
  { io, self }: Ports<'io' | 'self'>,
): Promise<Source> {
  const { stdin } = io.streams;
  const place = { file, cwd: self.cwd, stdin, spoolFolder: folder };
  const source = await openSource({ ...place, flags, saved: saved?.choices });
  const { otherSheets = [], format, name } = source;
  if (otherSheets.length > 0) {
    const text = `Read the sheet ${format.workbook?.sheet} of ${name}. Not read: ${otherSheets.join(', ')} (--sheet NAME)`;
    io.say({ kind: 'notice', text });
  }
  return source;
}

/** Asks at a terminal for the decimal mark, if no cell of a column decides what `1.500` is. */
async function withDecimal(
  source: Source,
  mapping: Mapping,
  fields: TargetFields,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<Mapping> {
  const canAsk = ports.io.terminal.interactive && !ports.self.flags.yes;
  if (!canAsk || mapping.decimal !== undefined) return mapping;
  const unclear = new Map<string, UnclearNumber>();
  const marks = await marksIn(source, mapping, fields, (one) => {
    if (!unclear.has(one.field)) unclear.set(one.field, one);
  });
  const open = [...unclear.values()].find(({ field }) => !marks.has(field));
  if (open === undefined) return mapping;
  const { field, text, grouped, divided } = open;
  const mark = text.includes('.') ? '.' : ',';
  const other = mark === '.' ? ',' : '.';
  const named = (one: string): string => (one === '.' ? 'point' : 'comma');
  const decimal = await ports.ask.select<DecimalMark | undefined>(
    `Which number is ${text} in ${field}?`,
    [
      { name: `${grouped} (the ${named(mark)} groups thousands)`, value: other },
      {
        name: `${divided.replace(/0$/, '')} (the ${named(mark)} is the decimal mark)`,
        value: mark,
      },
      { name: 'Neither: reject such rows', value: undefined },
    ],
  );
  if (decimal === undefined) return mapping;
  const command = typedAgain(ports.self.typed, ['--decimal', decimal]);
  ports.io.say({ kind: 'notice', text: `To skip these questions next time, run: ${command}` });
  return { ...mapping, decimal };
}
