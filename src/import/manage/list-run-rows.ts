import type { Ports } from '../../core/ports.ts';
import type { Row, RowsResult } from '../../core/result.ts';
import { journalFailure } from '../ledger/ledger-failure.ts';
import type { ListedRow } from '../ledger/rows/reported-rows.ts';
import { rowLayout } from '../report/row-layout.ts';
import { openShown } from '../review/statement-run.ts';
import { checkProfile } from './run-row.ts';

/** An empty column, which a person fills in for `imports resolve --from`. */
const OUTCOME = 'outcome';

const PER_BATCH = 1_000;

export async function listRows(
  typed: string,
  filter: { readonly state: ListedRow['state'] | undefined; readonly limit: number | undefined },
  ports: Ports<'self'>,
): Promise<RowsResult> {
  checkProfile(ports.self);
  const { state, limit } = filter;
  // Report errors such as a damaged journal before any output.
  using shown = await openShown(typed, ports);
  const { fields, columns } = rowLayout(shown.journal);
  return {
    kind: 'rows',
    columns,
    fields: [...fields, ...(state === 'unconfirmed' ? [OUTCOME] : [])],
    rows: batches(typed, state, ports),
    limit,
    idField: 'row',
    empty: 'No rows.',
  };
}

async function* batches(
  typed: string,
  state: ListedRow['state'] | undefined,
  ports: Ports<'self'>,
): AsyncGenerator<readonly Row[]> {
  using shown = await openShown(typed, ports);
  const { journal } = shown;
  try {
    let batch: Row[] = [];
    for (const row of rowLayout(journal).rows(state)) {
      batch.push(state === 'unconfirmed' ? { ...row, [OUTCOME]: null } : row);
      if (batch.length < PER_BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } catch (thrown) {
    throw journalFailure(journal.path, thrown);
  }
}
