import { ProcError } from '../core/errors.ts';
import { EXIT } from '../core/exit-codes.ts';
import type { Ports } from '../core/ports.ts';
import type { Column, RecordResult, Row, RowsResult } from '../core/result.ts';
import type { FileFlags, Refusal } from '../import/import-flags.ts';
import { importsFolder } from '../import/ledger/runs.ts';
import { mapColumnsOf, shortList } from '../import/map/choose-mapping.ts';
import { fillDownColumns } from '../import/map/column-named.ts';
import { unsentColumns } from '../import/map/column-use.ts';
import type { Mapping } from '../import/map/mapping.ts';
import { isAddedColumn } from '../import/map/repair/marks.ts';
import { givenMap, type SavedMap } from '../import/map/saved-map.ts';
import { sayFindings } from '../import/plan/confirm-plan.ts';
import { progressFor } from '../import/report/progress.ts';
import { rowsIn } from '../import/report/words.ts';
import type { Source } from '../import/source/record.ts';
import { withPlaceHint } from '../import/source/source-hints.ts';
import { checkWhere } from '../import/stage/steps/where-filter.ts';
import { openRequested } from '../import/start/open-requested.ts';
import { ITEM_IMPORT } from '../import/targets/item-import.ts';
import { keepHeapSmall } from '../listing/keep-heap-small.ts';
import type { Finding } from '../messages/findings.ts';
import { importPlanMessages } from '../messages/planning.ts';
import { type Change, Comparison, type Counts } from './comparison.ts';
import { fileRows } from './file-rows.ts';
import { readCatalogueTo } from './read-catalogue.ts';
import { SCRATCH } from './scratch-folder.ts';

export interface DiffFlags extends Omit<FileFlags, 'set' | 'saveMap'> {
  readonly allow: readonly Refusal[];
  readonly only: Change | undefined;
  readonly summary: boolean;
  readonly exitCode: boolean;
}

const COLUMNS: readonly Column[] = [
  { key: 'change', header: 'CHANGE', priority: 4 },
  { key: 'row', header: 'ROW', kind: 'number', priority: 2 },
  { key: 'code', header: 'CODE', priority: 4 },
  { key: 'name', header: 'NAME IN FILE', priority: 3 },
  { key: 'catalogueName', header: 'NAME IN CATALOGUE', priority: 3 },
  { key: 'id', header: 'ID' },
  { key: 'reason', header: 'REASON', priority: 0 },
];

const FIELDS = ['change', 'row', 'line', 'code', 'name', 'catalogueName', 'id', 'reason'];

/**
 * Compares a file with the whole catalogue.
 *
 * @throws ProcError `incomplete` if the list cannot be read to a verified end: the rows of unread
 * items would count as new
 */
export async function diffFile(
  file: string,
  given: DiffFlags,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<RowsResult | RecordResult> {
  keepHeapSmall();
  const flags = { ...given, set: [], saveMap: undefined };
  const scratch = await ports.store.open(SCRATCH);
  const imports = importsFolder(ports.self);
  const saved = givenMap(flags.mapFile, ports.self.cwd);
  const opened = { target: ITEM_IMPORT, file, flags, folder: imports, saved };
  const source = await openRequested(opened, scratch.path, ports);
  const conditions = ports.self.flags.where;
  checkWhere(conditions, source);
  const whole = await mappingOf(source, flags, saved, ports);
  const mapping = keysOf(whole, source);
  const comparison = new Comparison(scratch, mapping.fields.name !== undefined);
  // The catalogue is read first. It takes more memory, which is free again when the file is read.
  await readCatalogueTo((items) => comparison.addCatalogue(items), ports);
  const progress = progressFor(ports, undefined);
  const { steps } = importPlanMessages[await ports.io.lang()];
  let rows = 0;
  const choices = {
    ...flags,
    fillDown: fillDownColumns(flags.fillDown, source),
    where: conditions,
    csvRaw: ports.self.flags.csvRaw,
  };
  let findings: readonly Finding[] = [];
  const read = fileRows(source, whole, choices, (found) => {
    findings = found;
  });
  for await (const batch of read) {
    comparison.addFile(batch);
    rows += batch.length;
    progress.step(steps.reading(rows), { step: 'read', rows });
    ports.self.signal.throwIfAborted();
  }
  progress.finish();
  const counts = comparison.compare();
  const notCompared = unsentColumns(mapping, source.columns).filter(
    (column) => !isAddedColumn(column),
  );
  const comparesNames = mapping.fields.name !== undefined;
  await sayFindings(findings, ports);
  sayCounts(counts, { source: source.name, comparesNames, notCompared }, ports);
  const reportedExit = flags.exitCode && isDifferent(counts) ? EXIT.someRejected : EXIT.done;
  if (flags.summary) return { ...summary(counts, source.name, notCompared), reportedExit };
  return {
    kind: 'rows',
    columns: COLUMNS,
    fields: FIELDS,
    rows: differences(comparison, flags.only),
    empty: flags.only === undefined ? 'No differences.' : `No rows that are ${flags.only}.`,
    reportedExit,
  };
}

async function mappingOf(
  source: Source,
  flags: FileFlags,
  saved: SavedMap | undefined,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<Mapping> {
  try {
    // Rows without a name are compared by their codes alone.
    const given = { ...flags, noCode: undefined, allow: [], noName: true as const };
    return await mapColumnsOf(
      { source, target: ITEM_IMPORT, flags: given, given: saved?.content },
      ports,
    );
  } catch (thrown) {
    throw await withPlaceHint(thrown, source, ITEM_IMPORT, flags, ports);
  }
}

/**
 * The mapping of code and name alone. The list of items shows nothing else, so other columns cannot be
 * compared.
 *
 * @throws ProcError `invalid_usage` if no column has codes
 */
function keysOf({ fields, ...mapping }: Mapping, source: Source): Mapping {
  const { code, name } = fields;
  if (code === undefined && source.columns.length > 0) {
    throw new ProcError(
      'invalid_usage',
      'no column is mapped to code: proc compares rows with items by code',
      { hint: `Map it: --map code=COLUMN (columns: ${shortList(source.columns)})` },
    );
  }
  return {
    ...mapping,
    fields: { ...(name === undefined ? {} : { name }), ...(code === undefined ? {} : { code }) },
  };
}

/** Whether anything differs. Duplicates with the same name do not count. */
function isDifferent(counts: Counts): boolean {
  return (
    counts.new + counts.renamed + counts.gone + counts.invalid + counts.differingDuplicates > 0
  );
}

interface ComparedFile {
  readonly source: string;
  readonly comparesNames: boolean;
  /** Columns of the file that the list of items does not have. */
  readonly notCompared: readonly string[];
}

function sayCounts(
  counts: Counts,
  { source, comparesNames, notCompared }: ComparedFile,
  { io: { say } }: Ports<'io'>,
): void {
  const aside = [
    ...(counts.duplicate > 0 ? [rowsIn(counts.duplicate, 'duplicate')] : []),
    ...(counts.invalid > 0 ? [`${counts.invalid} invalid`] : []),
    ...(counts.filtered > 0 ? [`${counts.filtered} filtered`] : []),
  ];
  const renamed = comparesNames ? `${counts.renamed} renamed, ` : '';
  say({
    kind: 'notice',
    text: `${source} (${rowsIn(counts.rows)}) and the catalogue (${rowsIn(counts.catalogue, 'item')}): ${counts.new} new, ${renamed}${counts.gone} gone, ${counts.same} the same${aside.length === 0 ? '' : `; in the file ${aside.join(', ')}`}`,
  });
  const columns = notCompared.length === 0 ? '' : `: ${shortList(notCompared)}`;
  if (!comparesNames) {
    say({ kind: 'notice', text: `Names were not compared: no column is mapped to name` });
  }
  if (columns !== '') {
    say({
      kind: 'notice',
      text: `Columns not compared${columns}. The list of items has only id, code and name`,
    });
  }
  if (counts.unidentified > 0 && counts.gone > 0) {
    say({
      kind: 'warning',
      text: `${rowsIn(counts.unidentified, 'row has', 'rows have')} no readable code, so an item reported as gone may be in the file after all`,
    });
  }
  if (counts.repeatedCodes > 0) {
    say({
      kind: 'warning',
      text: `${rowsIn(counts.repeatedCodes, 'code exists', 'codes exist')} more than once in the catalogue. To see them, run: proc items audit`,
    });
  }
}

function summary(
  { differingDuplicates, repeatedCodes, duplicate, unidentified, ...counts }: Counts,
  source: string,
  notCompared: readonly string[],
): RecordResult {
  const { rows, catalogue, ...found } = counts;
  return {
    kind: 'record',
    value: { source, rows, catalogue, ...found, duplicates: duplicate, notCompared },
  };
}

async function* differences(
  comparison: Comparison,
  only: Change | undefined,
): AsyncGenerator<readonly Row[]> {
  for (const batch of comparison.differences(only)) yield batch.map((one) => ({ ...one }));
}
