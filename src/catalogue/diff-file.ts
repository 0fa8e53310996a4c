import { ProcError } from '../core/errors.ts';
import { EXIT } from '../core/exit-codes.ts';
import type { Ports } from '../core/ports.ts';
import type { Column, RecordResult, Row, RowsResult } from '../core/result.ts';
import type { FileFlags, Refusal } from '../import/import-flags.ts';
import { mapColumnsOf, shortList } from '../import/map/choose-mapping.ts';
import { fillDownColumns } from '../import/map/column-named.ts';
import { unsentColumns } from '../import/map/column-use.ts';
import type { Mapping } from '../import/map/mapping.ts';
import { isAddedColumn } from '../import/map/repair/marks.ts';
import { givenMap, type SavedMap } from '../import/map/saved-map.ts';
import { sayFindings } from '../import/plan/confirm-plan.ts';
import { progressFor } from '../import/report/progress.ts';
import { rowsIn } from '../import/report/words.ts';
import type { MappedRow, Source, SourceRecord } from '../import/source/record.ts';
import { withPlaceHint } from '../import/source/source-hints.ts';
import {
  applySteps,
  begin,
  type RowWork,
  rowOf,
  type StepContext,
} from '../import/stage/row-step.ts';
import { rowCode } from '../import/stage/steps/body-steps.ts';
import { cellErrors, garbledText, invisibleCharacters } from '../import/stage/steps/cell-checks.ts';
import { damagedCodes, formulaCodes } from '../import/stage/steps/damaged-codes.ts';
import { missingFields } from '../import/stage/steps/missing-fields.ts';
import { notData } from '../import/stage/steps/not-data.ts';
import { fillDown, mapColumns, readProblem } from '../import/stage/steps/record-steps.ts';
import { checkWhere, where } from '../import/stage/steps/where-filter.ts';
import { openRequested } from '../import/start/open-requested.ts';
import type { Choices } from '../import/store/facts.ts';
import { importsFolder } from '../import/store/runs.ts';
import { ITEM_IMPORT } from '../import/targets/item-import.ts';
import { keepHeapSmall } from '../listing/keep-heap-small.ts';
import type { Listed } from '../listing/listing.ts';
import { importPlanMessages } from '../messages/planning.ts';
import { sentence } from '../messages/problems.ts';
import { readCatalogueTo } from './read-catalogue.ts';
import { SCRATCH, type ScratchFolder } from './scratch-folder.ts';

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
  const reader = rowReader(source, whole, {
    ...NO_CHOICES,
    ...flags,
    fillDown: fillDownColumns(flags.fillDown, source),
    where: conditions,
    csvRaw: ports.self.flags.csvRaw,
  });
  let rows = 0;
  for await (const records of source.records()) {
    comparison.addFile(records.map(reader.read));
    rows += records.length;
    progress.step(steps.reading(rows, 'rows'), { step: 'read', rows });
    ports.self.signal.throwIfAborted();
  }
  progress.finish();
  const counts = comparison.compare();
  const notCompared = unsentColumns(mapping, source.columns).filter(
    (column) => !isAddedColumn(column),
  );
  const comparesNames = mapping.fields.name !== undefined;
  await sayFindings(reader.findings(), ports);
  sayCounts(counts, { source: source.name, comparesNames, notCompared }, ports);
  const { differingDuplicates, repeatedCodes, duplicate, unidentified, ...shown } = counts;
  // Duplicates with the same name are no difference.
  const isDifferent =
    counts.new + counts.renamed + counts.gone + counts.invalid + differingDuplicates > 0;
  const reportedExit = flags.exitCode && isDifferent ? EXIT.someRejected : EXIT.done;
  if (flags.summary) {
    const { rows: read, catalogue, ...found } = shown;
    const value = {
      source: source.name,
      rows: read,
      catalogue,
      ...found,
      duplicates: duplicate,
      notCompared,
    };
    return { kind: 'record', value, reportedExit };
  }
  return {
    kind: 'rows',
    columns: COLUMNS,
    fields: FIELDS,
    rows: comparison.differences(flags.only),
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
    throw await withPlaceHint(thrown, { source, target: ITEM_IMPORT, flags }, ports);
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
  if (!comparesNames) {
    say({ kind: 'notice', text: 'Names were not compared: no column is mapped to name' });
  }
  if (notCompared.length > 0) {
    say({
      kind: 'notice',
      text: `Columns not compared: ${shortList(notCompared)}. The list of items has only id, code and name`,
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

/**
 * Reads the rows of a file as an import would, but only with code and name. A row that an import
 * would reject, for whatever field, has a reason.
 *
 * @param mapping the mapping of all fields
 * @returns `read` throws ProcError `invalid_input` if the file ends too early: the items of the missing rows
 * would count as gone. `findings`, after the last row: everything that looks wrong
 */
function rowReader(source: Source, mapping: Mapping, choices: Choices) {
  const run: StepContext = {
    header: { choices, groupBy: undefined, repairs: undefined },
    ...{ mapping, target: ITEM_IMPORT, shape: ITEM_IMPORT, source },
    ...{ earlier: undefined, resolver: undefined },
  };
  // Without a column of names, the rows are compared by their codes alone.
  const checked =
    mapping.fields.name === undefined ? CHECKS.filter((one) => one !== missingFields) : CHECKS;
  const keys = begin([readProblem, mapColumns], run);
  const payload = begin([readProblem, notData, fillDown, where, mapColumns], run);
  const checks = begin(checked, run);
  const [coded] = begin([rowCode], run) as [RowWork];
  return {
    read(record: SourceRecord): FileRow {
      const unmapped = rowOf(record);
      const mapped = applySteps(payload, unmapped);
      if (mapped.isFileProblem === true) throw cutOff(source.name, sentence(mapped.problem!));
      // A row that is left out or rejected keeps its code, so that its item does not count as gone.
      const { row, line, body } = mapped.body === undefined ? applySteps(keys, unmapped) : mapped;
      const own = { row, line, code: textOf(body?.code), name: textOf(body?.name) };
      if (mapped.isFiltered === true) return { ...own, isFiltered: true };
      const judged = applySteps(checks, mapped);
      const reason = reasonOf(judged);
      return reason === undefined
        ? { ...own, reasonIfNew: reasonOf(coded.apply(judged)) }
        : { ...own, reason };
    },
    findings: () => checks.flatMap((step) => step.findings?.() ?? []),
  };
}

const CHECKS = [
  cellErrors,
  invisibleCharacters,
  damagedCodes,
  formulaCodes,
  garbledText,
  missingFields,
];

/** An import needs these choices. Here they have no effect. */
const NO_CHOICES = {
  onExisting: 'skip',
  onDuplicate: undefined,
  noCode: 'reject',
  maxCreate: undefined,
  maxRejected: undefined,
  onSent: undefined,
} as const;

function cutOff(name: string, problem: string): ProcError {
  return new ProcError('invalid_input', `${name}: ${problem}`, {
    hint: 'Nothing was compared, because items in the missing part of the file would count as gone',
  });
}

function reasonOf({ problem }: MappedRow): string | undefined {
  return problem === undefined ? undefined : sentence(problem);
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * The kinds of difference, in the order of the output. The database stores their positions in this
 * list.
 */
const CHANGES = ['new', 'renamed', 'gone', 'duplicate', 'invalid'] as const;

export type Change = (typeof CHANGES)[number];

/** A row of the file, with the fields that are compared with the list of items. */
interface FileRow {
  readonly row: number;
  readonly line: number | undefined;
  readonly code: string | null;
  readonly name: string | null;
  /** Why the row cannot be compared. */
  readonly reason?: string | undefined;
  /** Why an import would reject the row if the catalogue does not have it. */
  readonly reasonIfNew?: string | undefined;
  /** `--where` leaves the row out. Its item does not count as gone. */
  readonly isFiltered?: boolean | undefined;
}

interface Counts extends Readonly<Record<Change, number>> {
  readonly rows: number;
  readonly catalogue: number;
  readonly same: number;
  readonly filtered: number;
  /** Duplicates whose name differs from the first row with the same key. */
  readonly differingDuplicates: number;
  /** Invalid rows in which proc can read neither a code nor a name. */
  readonly unidentified: number;
  /** Number of codes that several items of the catalogue have. */
  readonly repeatedCodes: number;
}

/** A row is identified by its code. A row without a code is identified by its name. */
function keyOf(code: string | null, name: string | null): string | null {
  if (code !== null && code !== '') return `c${code}`;
  return name === null || name === '' ? null : `n${name}`;
}

/** SQL condition for the rows that are compared: valid, and not left out by `--where`. */
const COMPARED = 'reason IS NULL AND is_filtered = 0';

/** SQL for the first row that is compared and has the key of the row `f`. */
const FIRST =
  'SELECT g.row FROM file g WHERE g.key = f.key AND g.reason IS NULL AND g.is_filtered = 0 ORDER BY g.row LIMIT 1';

/** Compares a file with the catalogue in a temporary database, so that neither has to fit in memory. */
class Comparison {
  readonly #scratch: ScratchFolder;
  readonly #comparesNames: boolean;

  /** @param comparesNames false if the file has no names */
  constructor(scratch: ScratchFolder, comparesNames: boolean) {
    this.#scratch = scratch;
    this.#comparesNames = comparesNames;
    scratch.database.exec(`
      CREATE TABLE file (row INTEGER PRIMARY KEY, line INTEGER, key TEXT, name TEXT, reason TEXT, is_filtered INTEGER NOT NULL, reason_if_new TEXT) STRICT;
      CREATE TABLE catalogue (number INTEGER PRIMARY KEY, id TEXT, key TEXT, name TEXT) STRICT;
      CREATE TABLE differences (number INTEGER PRIMARY KEY, change INTEGER NOT NULL, row INTEGER, entry INTEGER) STRICT;
    `);
  }

  addFile(rows: readonly FileRow[]): void {
    const insert = this.#scratch.database.prepare('INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?)');
    this.#scratch.commit(() => {
      for (const { row, line, code, name, reason, reasonIfNew, isFiltered } of rows) {
        const key = keyOf(code, name);
        const filtered = isFiltered === true ? 1 : 0;
        insert.run(row, line ?? null, key, name, reason ?? null, filtered, reasonIfNew ?? null);
      }
    });
  }

  addCatalogue(rows: readonly Listed[]): void {
    const insert = this.#scratch.database.prepare(
      'INSERT INTO catalogue (id, key, name) VALUES (?, ?, ?)',
    );
    this.#scratch.commit(() => {
      for (const { id, code, name: given } of rows) {
        // Cells of a file are trimmed too, so that names that look equal are equal.
        const name = given?.trim() || null;
        insert.run(id ?? null, keyOf(code, name), name);
      }
    });
  }

  /** Call it once, after all rows of the file and of the catalogue are added. */
  compare(): Counts {
    const { database } = this.#scratch;
    const number = (change: Change) => CHANGES.indexOf(change);
    const renamed = this.#comparesNames
      ? `WHEN NOT EXISTS (SELECT 1 FROM catalogue c WHERE c.key = f.key AND c.name IS f.name) THEN ${number('renamed')}`
      : '';
    this.#scratch.commit(() =>
      database.exec(`
        CREATE INDEX entries ON catalogue (key);
        UPDATE file SET reason = reason_if_new WHERE reason IS NULL AND reason_if_new IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM catalogue c WHERE c.key = file.key);
        CREATE INDEX compared ON file (key) WHERE ${COMPARED};
        CREATE INDEX others ON file (key) WHERE NOT (${COMPARED});
        INSERT INTO differences (change, row, entry)
          SELECT change, row, NULL FROM (
            SELECT row, CASE
              WHEN is_filtered = 1 THEN NULL
              WHEN reason IS NOT NULL THEN ${number('invalid')}
              WHEN row > (${FIRST}) THEN ${number('duplicate')}
              WHEN NOT EXISTS (SELECT 1 FROM catalogue c WHERE c.key = f.key) THEN ${number('new')}
              ${renamed}
            END AS change FROM file f)
            WHERE change IS NOT NULL
          UNION ALL
          SELECT ${number('gone')}, NULL, number FROM catalogue c
            WHERE NOT EXISTS (SELECT 1 FROM file f WHERE f.key = c.key AND f.reason IS NULL AND f.is_filtered = 0)
              AND NOT EXISTS (SELECT 1 FROM file f WHERE f.key = c.key AND NOT (f.reason IS NULL AND f.is_filtered = 0))
          ORDER BY 1, 2, 3;
      `),
    );
    return this.#counts();
  }

  #counts(): Counts {
    const { database } = this.#scratch;
    const one = (sql: string): number => Number(database.prepare(sql).get()!.n);
    const found = new Map(
      database
        .prepare('SELECT change, count(*) AS n FROM differences GROUP BY change')
        .all()
        .map(({ change, n }) => [CHANGES[Number(change)]!, Number(n)]),
    );
    const of = (change: Change): number => found.get(change) ?? 0;
    const compared = one(`SELECT count(*) AS n FROM file WHERE ${COMPARED}`);
    return {
      rows: one('SELECT count(*) AS n FROM file'),
      catalogue: one('SELECT count(*) AS n FROM catalogue'),
      new: of('new'),
      renamed: of('renamed'),
      gone: of('gone'),
      same: compared - of('new') - of('renamed') - of('duplicate'),
      duplicate: of('duplicate'),
      invalid: of('invalid'),
      filtered: one('SELECT count(*) AS n FROM file WHERE is_filtered = 1'),
      differingDuplicates: one(
        `SELECT count(*) AS n FROM differences d JOIN file f USING (row) WHERE change = ${CHANGES.indexOf('duplicate')} AND f.name IS NOT (SELECT name FROM file WHERE row = (${FIRST}))`,
      ),
      unidentified: one(
        'SELECT count(*) AS n FROM file WHERE key IS NULL AND is_filtered = 0 AND reason IS NOT NULL',
      ),
      repeatedCodes: one(
        "SELECT count(*) AS n FROM (SELECT 1 FROM catalogue WHERE key >= 'c' AND key < 'd' GROUP BY key HAVING count(*) > 1)",
      ),
    };
  }

  async *differences(only: Change | undefined): AsyncGenerator<readonly Row[]> {
    const kind = only === undefined ? '' : `AND d.change = ${CHANGES.indexOf(only)}`;
    const batches = this.#scratch.batches(
      `SELECT d.number, d.change, f.row, f.line,
          CASE substr(coalesce(f.key, c.key), 1, 1) WHEN 'c' THEN substr(coalesce(f.key, c.key), 2) END AS code,
          f.name, c.name AS catalogueName, c.id,
          iif(d.change = ${CHANGES.indexOf('duplicate')}, 'same key as row ' || (${FIRST}), f.reason) AS reason
        FROM differences d
        LEFT JOIN file f ON f.row = d.row
        LEFT JOIN catalogue c ON c.number = coalesce(d.entry, (SELECT min(e.number) FROM catalogue e WHERE e.key = f.key))
        WHERE d.number > ? ${kind} ORDER BY d.number`,
    );
    for (const batch of batches) {
      yield batch.map((one) => ({ ...one, change: CHANGES[Number(one.change)]! }));
    }
  }
}
