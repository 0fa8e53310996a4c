import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { DecimalMark } from '../../core/text/decimal.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { columnMessages, placeMessages } from '../../messages/columns.ts';
import type { SourceKind } from '../kind/source-kind.ts';
import { chooseMapping } from '../map/choose-mapping.ts';
import { marksIn, type UnclearNumber } from '../map/convert.ts';
import type { Mapping } from '../map/mapping.ts';
import { saveMap } from '../map/saved-map.ts';
import type { Source } from '../source/record.ts';
import { withPlaceHint } from '../source/source-hints.ts';
import type { ImportRequest } from './import-request.ts';

/**
 * Decides which column fills which field, and saves the mapping with `--save-map`.
 *
 * @throws ProcError `invalid_usage`, `confirmation_required`
 */
export async function mapSource(
  source: Source,
  kind: SourceKind,
  request: ImportRequest,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<Mapping> {
  try {
    return await mapped(source, kind, request, ports);
  } catch (thrown) {
    throw await withPlaceHint(thrown, source, kind.shape, request.flags, ports);
  }
}

async function mapped(
  source: Source,
  kind: SourceKind,
  request: ImportRequest,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<Mapping> {
  const { shape, groupBy, repairs } = kind;
  await kind.checkColumns();
  const flags = { ...request.flags, groupBy };
  const given = request.saved?.content;
  const earlier = repairs?.mapping as object | undefined;
  const chosen = await chooseMapping({ source, target: shape, flags, given, earlier }, ports);
  const mapping = await withDecimal(chosen, source, shape, request, ports);
  const { saveMap: file } = request.flags;
  if (file !== undefined) saveMap(file, mapping, source, request.flags, ports.self.cwd);
  checkKeyIsMapped(mapping, request, source);
  checkNeededIsMapped(mapping, request, source);
  kind.checkMapping(mapping);
  return mapping;
}

/** Asks at a terminal for the decimal mark, if no cell of a column decides what `1.500` is. */
async function withDecimal(
  mapping: Mapping,
  source: Source,
  shape: SourceKind['shape'],
  { choices }: ImportRequest,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<Mapping> {
  const canAsk = ports.io.terminal.interactive && !ports.self.flags.yes;
  if (!canAsk || mapping.decimal !== undefined) return mapping;
  const unclear = new Map<string, UnclearNumber>();
  const marks = await marksIn(source, mapping, shape, choices.allow, (one) => {
    if (!unclear.has(one.field)) unclear.set(one.field, one);
  });
  const open = [...unclear.values()].find(({ field }) => !marks.has(field));
  if (open === undefined) return mapping;
  const { field, text, grouped, divided } = open;
  const mark = text.includes('.') ? '.' : ',';
  const other = mark === '.' ? ',' : '.';
  const words = placeMessages[await ports.io.lang()];
  const decimal = await ports.ask.select<DecimalMark | undefined>(words.whichNumber(field, text), [
    { name: words.grouped(grouped, mark), value: other },
    { name: words.divided(divided.replace(/0$/, ''), mark), value: mark },
    { name: words.eachItself, value: undefined },
  ]);
  if (decimal === undefined) return mapping;
  const command = typedAgain(ports.self.typed, ['--decimal', decimal]);
  const again = columnMessages[await ports.io.lang()].again(command);
  ports.io.say({ kind: 'notice', text: again });
  return { ...mapping, decimal };
}

/**
 * Without a code, proc could neither recognise the rows in a second import nor look up unconfirmed
 * rows.
 */
function checkKeyIsMapped(
  mapping: Mapping,
  { target: { keyField, listing }, flags: { noCode, allow } }: ImportRequest,
  source: Source,
): void {
  const isKept = noCode === 'name' || allow.includes('missing');
  if (mapping.fields[keyField] !== undefined || isKept || listing === undefined) return;
  if (source.head.length === 0 && source.columns.length === 0) return;
  throw new ProcError(
    'invalid_usage',
    `no column is mapped to ${keyField}, so a second import could not recognize the rows`,
    {
      hint: `Map a column to it with --map ${keyField}=COLUMN (columns: ${source.columns.slice(0, 8).join(', ')}). To send the rows without it, add --allow missing`,
    },
  );
}

/** Without a column for them, each row would be rejected for the same reason. */
function checkNeededIsMapped(
  mapping: Mapping,
  { target: { needed = [], listing, many }, flags: { allow } }: ImportRequest,
  source: Source,
): void {
  if (allow.includes('missing') || listing !== undefined) return;
  if (source.head.length === 0 && source.columns.length === 0) return;
  const missing = needed.find(
    ({ fields }) => !fields.some((one) => mapping.fields[one] !== undefined),
  );
  if (missing === undefined) return;
  const [field] = missing.fields;
  throw new ProcError(
    'invalid_usage',
    `no column is mapped to ${missing.fields.join(' or ')}, and proc does not send ${many} without it; nothing was sent`,
    {
      hint: `Map a column to it with --map ${field}=COLUMN (columns: ${source.columns.slice(0, 8).join(', ')}). To send the rows without it, add --allow missing`,
    },
  );
}
