import type { Ports } from '../../core/ports.ts';
import type { Column, Row, RowsResult } from '../../core/result.ts';
import { Journal } from '../ledger/journal.ts';
import { journalFailure } from '../ledger/ledger-failure.ts';
import type { ListedRow } from '../ledger/rows/reported-rows.ts';
import { findRun, importsFolder, journalPath } from '../ledger/runs.ts';
import { checkProfile } from './check-profile.ts';

const COLUMNS: readonly Column[] = [
  { key: 'row', header: 'ROW', kind: 'number', priority: 4 },
  { key: 'line', header: 'LINE', kind: 'number' },
  { key: 'state', header: 'STATE', kind: 'status', priority: 4 },
  { key: 'code', header: 'CODE', priority: 3 },
  { key: 'id', header: 'ID', priority: 2 },
  { key: 'reason', header: 'REASON', priority: 2 },
];

const FIELDS = ['row', 'line', 'state', 'code', 'name', 'id', 'status', 'reason', 'sentAt'];
/** An empty column, which a person fills in for `imports resolve --from`. */
const OUTCOME = 'outcome';

const PER_BATCH = 1_000;

export function listRows(
  typed: string,
  filter: { readonly state: ListedRow['state'] | undefined; readonly limit: number | undefined },
  ports: Ports<'self'>,
): RowsResult {
  checkProfile(ports.self);
  const folder = importsFolder(ports.self.env);
  const path = journalPath(folder, findRun(folder, typed));
  // Report errors such as a damaged journal before any output.
  Journal.read(path).close();
  return {
    kind: 'rows',
    columns: COLUMNS,
    fields: filter.state === 'unconfirmed' ? [...FIELDS, OUTCOME] : FIELDS,
    rows: batches(path, filter.state),
    limit: filter.limit,
    idField: 'row',
    empty: 'No rows.',
  };
}

async function* batches(
  path: string,
  state: ListedRow['state'] | undefined,
): AsyncGenerator<readonly Row[]> {
  const journal = Journal.read(path);
  try {
    let batch: Row[] = [];
    for (const { sentAt, ...row } of journal.reported.listed(state)) {
      batch.push({
        ...row,
        sentAt: sentAt === null ? null : new Date(sentAt).toISOString(),
        ...(state === 'unconfirmed' ? { [OUTCOME]: null } : {}),
      });
      if (batch.length < PER_BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal.close();
  }
}
