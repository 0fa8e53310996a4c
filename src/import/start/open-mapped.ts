import { resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Choice, Ports } from '../../core/ports.ts';
import type { DecimalMark } from '../../core/text/decimal.ts';
import { listed } from '../../core/text/listed.ts';
import { typedAgain, typedWith } from '../../core/text/typed.ts';
import { columnMessages, placeMessages } from '../../messages/columns.ts';
import { chooseKind, type NestedLines, type SourceKind } from '../kind.ts';
import { chooseMapping } from '../map/choose-mapping.ts';
import { marksIn, type UnclearNumber } from '../map/convert.ts';
import type { Mapping } from '../map/mapping.ts';
import { saveMap } from '../map/saved-map.ts';
import { removeSpool } from '../source/bytes/spool.ts';
import type { Place, Source, SourceLayout } from '../source/record.ts';
import { elsewhereIn, withPlaceHint, wordsAt } from '../source/source-hints.ts';
import type { ImportRequest } from './import-request.ts';
import { openRequested } from './open-requested.ts';

interface Mapped {
  /** With the place that a person chose. */
  readonly request: ImportRequest;
  readonly source: Source;
  readonly kind: SourceKind;
  readonly mapping: Mapping;
}

/** What a person chose, and the command line that says the same. */
interface Chosen {
  readonly flags: Partial<ImportRequest['flags']>;
  readonly typed: readonly string[];
}

type AskingPorts = Ports<'io' | 'api' | 'ask' | 'self'>;

/**
 * Opens the source and maps its columns. If the records are elsewhere in the file, asks at a terminal where, and
 * opens the source again.
 *
 * @param check of the source, before anything is asked about its columns
 * @throws ProcError
 */
export async function openMapped(
  given: ImportRequest,
  folder: string,
  check: (source: Source) => Promise<void>,
  { self, ...others }: AskingPorts,
): Promise<Mapped> {
  let { typed } = self;
  for (let request = given; ; ) {
    // Hints and later questions name what was chosen so far.
    const ports: AskingPorts = { ...others, self: { ...self, typed } };
    let source: Source | undefined;
    let kind: SourceKind | undefined;
    try {
      source = await openRequested(request, folder, ports);
      await check(source);
      kind = await chooseKind(source, request, ports);
      const mapping = await mapSource(source, kind, request, ports);
      return { request, source, kind, mapping };
    } catch (thrown) {
      // Standard input cannot be read a second time.
      const canAsk = ports.io.terminal.interactive && !ports.self.flags.yes && request.file !== '-';
      const chosen = canAsk
        ? ((await askPlace(thrown, { source, kind }, request, ports)) ??
          (await askGrouping(thrown, request, ports)))
        : undefined;
      if (source !== undefined) removeSpool(source, folder);
      if (chosen === undefined) throw thrown;
      typed = chosen.typed;
      const again = columnMessages.again(typedAgain(typed, []));
      ports.io.say({ kind: 'notice', text: again });
      request = { ...request, flags: { ...request.flags, ...chosen.flags } };
    }
  }
}

/** @returns undefined if the error has another cause, or if the person chooses no place */
async function askPlace(
  thrown: unknown,
  opened: { readonly source: Source | undefined; readonly kind: SourceKind | undefined },
  { target, flags }: ImportRequest,
  ports: AskingPorts,
): Promise<Chosen | undefined> {
  if (!(thrown instanceof ProcError) || !/^invalid_(?:usage|input)$/.test(thrown.code)) {
    return undefined;
  }
  const found = await placesOf(thrown, opened.source, opened.kind?.shape ?? target, flags);
  if (found === undefined) return undefined;
  const words = placeMessages;
  const choices: Choice<SourceLayout | undefined>[] = found.places.map((place) => ({
    name: nameOf(place, words),
    value: place.layout,
  }));
  const at = found.places.findIndex(({ layout }) => isSame(layout, found.best));
  ports.io.say({ kind: 'warning', text: thrown.message });
  const first = found.places[0]?.layout;
  const question =
    first?.path !== undefined
      ? words.whichPath
      : first?.sheet !== undefined
        ? words.whichSheet
        : words.whichRow;
  const answer = await ports.ask.select(
    question,
    [...choices, { name: words.none, value: undefined }],
    Math.max(0, at),
  );
  if (answer === undefined) return undefined;
  return { flags: answer, typed: wordsAt(answer, ports.self.typed) };
}

/**
 * Asks which column holds the requisition of a flat row, and what is the same in all of them.
 *
 * @returns undefined if the error has another cause, or if the person stops
 */
async function askGrouping(
  thrown: unknown,
  { target: { grouped }, flags }: ImportRequest,
  ports: AskingPorts,
): Promise<Chosen | undefined> {
  if (!(thrown instanceof ProcError) || grouped === undefined) return undefined;

  const words = placeMessages;
  const { groupBy, needed, nested } = (thrown.details ?? {}) as {
    readonly nested?: NestedLines;
    readonly groupBy?: readonly string[];
    readonly needed?: readonly (readonly string[])[];
  };
  const { typed } = ports.self;
  if (nested !== undefined) {
    const question = words.whichDelivery(nested.column);
    const delivery = await choose(question, ['pickup', 'delivery'], ports);
    if (delivery === undefined) return undefined;
    const more = nested.words(delivery);
    const map = [...flags.map, ...more.filter((word) => word !== '--map')];
    return { flags: { map }, typed: typedWith(typed, more) };
  }
  if (groupBy !== undefined) {
    const column = await choose(words.whichGroup, groupBy, ports);
    if (column === undefined) return undefined;
    return { flags: { groupBy: column }, typed: typedWith(typed, ['--group-by', column]) };
  }
  const names = (needed ?? []).map(([name]) => name);
  const field = grouped.fields.fields.find(
    ({ name, choices }) => names.includes(name) && choices !== undefined,
  );
  if (field === undefined || flags.set.some((text) => text.startsWith(`${field.name}=`)))
    return undefined;
  const question = words.whichValue(field.name);
  const value = await choose(question, Object.keys(field.choices ?? {}), ports);
  if (value === undefined) return undefined;
  const set = `${field.name}=${value}`;
  return { flags: { set: [...flags.set, set] }, typed: typedWith(typed, ['--set', set]) };
}

/** @returns undefined if the person chooses none */
async function choose(
  question: string,
  values: readonly string[],
  { ask }: AskingPorts,
): Promise<string | undefined> {
  const none = { name: placeMessages.none, value: undefined };
  const choices = values.map((value) => ({ name: value, value }));
  return ask.select<string | undefined>(question, [...choices, none], 0);
}

interface Places {
  readonly best: SourceLayout;
  readonly places: readonly Place[];
}

async function placesOf(
  { code, details }: ProcError,
  source: Source | undefined,
  shape: SourceKind['shape'],
  flags: ImportRequest['flags'],
): Promise<Places | undefined> {
  const { paths, sheets } = (details ?? {}) as {
    readonly paths?: readonly string[];
    readonly sheets?: readonly string[];
  };
  const at = (layout: SourceLayout): Place => ({ layout, cells: [] });
  if (source === undefined) {
    const places = [
      ...(paths ?? []).map((path) => at({ path })),
      ...(sheets ?? []).map((sheet) => at({ sheet })),
    ];
    const [best] = places;
    return best === undefined ? undefined : { best: best.layout, places };
  }
  return code === 'invalid_usage' ? elsewhereIn({ source, target: shape, flags }) : undefined;
}

const CELLS = 6;

function nameOf(
  { layout: { path, sheet, headerRow }, cells }: Place,
  words: typeof placeMessages,
): string {
  const where = [
    ...(path === undefined ? [] : [path]),
    ...(sheet === undefined ? [] : [words.sheet(sheet)]),
    ...(headerRow === undefined ? [] : [words.row(headerRow)]),
  ].join(', ');
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const shown = filled.slice(0, CELLS).map((cell) => cell.slice(0, 24));
  return shown.length === 0 ? where : `${where}: ${shown.join(' · ')}`;
}

function isSame(a: SourceLayout, b: SourceLayout): boolean {
  return a.path === b.path && a.sheet === b.sheet && a.headerRow === b.headerRow;
}

/**
 * Decides which column fills which field, and saves the mapping with `--save-map`.
 *
 * @throws ProcError `invalid_usage`, `confirmation_required`
 */
async function mapSource(
  source: Source,
  kind: SourceKind,
  request: ImportRequest,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<Mapping> {
  try {
    return await mapped(source, kind, request, ports);
  } catch (thrown) {
    throw await withPlaceHint(thrown, { source, target: kind.shape, flags: request.flags }, ports);
  }
}

async function mapped(
  source: Source,
  kind: SourceKind,
  request: ImportRequest,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<Mapping> {
  const { shape, groupBy, repairs } = kind;
  kind.checkColumns();
  const flags = { ...request.flags, groupBy };
  const given = request.saved?.content;
  const earlier = repairs?.mapping as object | undefined;
  const chosen = await chooseMapping({ source, target: shape, flags, given, earlier }, ports);
  const mapping = await withDecimal(
    source,
    { mapping: chosen, target: shape, allow: request.choices.allow },
    ports,
  );
  const { saveMap: file } = request.flags;
  if (file !== undefined) saveMap(resolve(ports.self.cwd, file), mapping, source, request.flags);
  checkKeyIsMapped(mapping, request, source);
  checkNeededIsMapped(mapping, request, source);
  kind.checkMapping(mapping);
  return mapping;
}

/** Asks at a terminal for the decimal mark, if no cell of a column decides what `1.500` is. */
async function withDecimal(
  source: Source,
  mapped: { readonly mapping: Mapping } & Parameters<typeof marksIn>[1],
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<Mapping> {
  const { mapping } = mapped;
  const canAsk = ports.io.terminal.interactive && !ports.self.flags.yes;
  if (!canAsk || mapping.decimal !== undefined) return mapping;
  const unclear = new Map<string, UnclearNumber>();
  const marks = await marksIn(source, mapped, (one) => {
    if (!unclear.has(one.field)) unclear.set(one.field, one);
  });
  const open = [...unclear.values()].find(({ field }) => !marks.has(field));
  if (open === undefined) return mapping;
  const { field, text, grouped, divided } = open;
  const mark = text.includes('.') ? '.' : ',';
  const other = mark === '.' ? ',' : '.';
  const words = placeMessages;
  const decimal = await ports.ask.select<DecimalMark | undefined>(words.whichNumber(field, text), [
    { name: words.grouped(grouped, mark), value: other },
    { name: words.divided(divided.replace(/0$/, ''), mark), value: mark },
    { name: words.eachItself, value: undefined },
  ]);
  if (decimal === undefined) return mapping;
  const command = typedAgain(ports.self.typed, ['--decimal', decimal]);
  const again = columnMessages.again(command);
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
    { hint: mapIt(keyField, source) },
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
    { hint: mapIt(field, source) },
  );
}

function mapIt(field: string | undefined, { columns }: Source): string {
  const flag = `--map ${field}=COLUMN`;
  const some = listed(columns, 8);
  return `Map a column to it with ${flag} (columns: ${some}). To send the rows without it, add --allow missing`;
}
