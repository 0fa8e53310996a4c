import { ProcError } from '../../core/errors.ts';
import type { Choice, Ports } from '../../core/ports.ts';
import { columnMessages, placeMessages } from '../../messages/columns.ts';
import { chooseKind } from '../kind/choose-kind.ts';
import type { SourceKind } from '../kind/source-kind.ts';
import type { Mapping } from '../map/mapping.ts';
import { removeSpool } from '../source/bytes/spool.ts';
import type { Place, Source, SourceLayout } from '../source/record.ts';
import { elsewhereIn, typedAt } from '../source/source-hints.ts';
import { ALL_SHEETS } from '../source/xlsx/workbook.ts';
import type { ImportRequest } from './import-request.ts';
import { mapSource } from './map-source.ts';
import { openRequested } from './open-requested.ts';

interface Mapped {
  /** With the place that a person chose. */
  readonly request: ImportRequest;
  readonly source: Source;
  readonly kind: SourceKind;
  readonly mapping: Mapping;
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
  ports: AskingPorts,
): Promise<Mapped> {
  for (let request = given; ; ) {
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
      const layout = canAsk ? await askPlace(thrown, source, kind, request, ports) : undefined;
      if (source !== undefined) removeSpool(source, folder);
      if (layout === undefined) throw thrown;
      request = { ...request, flags: { ...request.flags, ...layout } };
    }
  }
}

/** @returns undefined if the error has another cause, or if the person chooses no place */
async function askPlace(
  thrown: unknown,
  source: Source | undefined,
  kind: SourceKind | undefined,
  { target, flags }: ImportRequest,
  ports: AskingPorts,
): Promise<SourceLayout | undefined> {
  if (!(thrown instanceof ProcError) || !/^invalid_(?:usage|input)$/.test(thrown.code)) {
    return undefined;
  }
  const found = await placesOf(thrown, source, kind?.shape ?? target, flags);
  if (found === undefined) return undefined;
  const words = placeMessages[await ports.io.lang()];
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
  const again = columnMessages[await ports.io.lang()].again(typedAt(answer, ports));
  ports.io.say({ kind: 'notice', text: again });
  return answer;
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
      ...(sheets === undefined ? [] : [at({ sheet: ALL_SHEETS })]),
    ];
    const [best] = places;
    return best === undefined ? undefined : { best: best.layout, places };
  }
  return code === 'invalid_usage' ? elsewhereIn(source, shape, flags) : undefined;
}

const CELLS = 6;

function nameOf(
  { layout: { path, sheet, headerRow }, cells }: Place,
  words: (typeof placeMessages)['en'],
): string {
  const where = [
    ...(path === undefined ? [] : [path]),
    ...(sheet === undefined ? [] : [sheet === ALL_SHEETS ? words.allSheets : words.sheet(sheet)]),
    ...(headerRow === undefined ? [] : [words.row(headerRow)]),
  ].join(', ');
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const shown = filled.slice(0, CELLS).map((cell) => cell.slice(0, 24));
  return shown.length === 0 ? where : `${where}: ${shown.join(' · ')}`;
}

function isSame(a: SourceLayout, b: SourceLayout): boolean {
  return a.path === b.path && a.sheet === b.sheet && a.headerRow === b.headerRow;
}
