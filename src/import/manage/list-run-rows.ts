import type { Ports } from '../../core/ports.ts';
import type { Column, Row, RowsResult } from '../../core/result.ts';
import { parseResponse } from '../../core/text/strict-json.ts';
import type { Journal } from '../ledger/journal.ts';
import { journalFailure } from '../ledger/ledger-failure.ts';
import type { ListedRow } from '../ledger/rows/reported-rows.ts';
import { NEXT } from '../phases.ts';
import { withReason } from '../report/words.ts';
import { openShown } from '../review/statement-run.ts';
import { checkProfile } from './run-row.ts';

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
/** What would be sent. */
const PAYLOAD = 'payload';

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
  const isStaged = isUnsent(shown.journal);
  const columns = isStaged ? [...COLUMNS, { key: PAYLOAD, header: 'PAYLOAD' }] : COLUMNS;
  const more = isStaged ? [PAYLOAD] : state === 'unconfirmed' ? [OUTCOME] : [];
  return {
    kind: 'rows',
    columns,
    fields: [...FIELDS, ...more],
    rows: batches(typed, state, ports),
    limit,
    idField: 'row',
    empty: 'No rows.',
  };
}

/** Whether `imports send` is to send the run: its rows are those of its statement. */
function isUnsent({ phase }: Journal): boolean {
  return NEXT[phase].send === 'check';
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
    for (const row of isUnsent(journal) ? stagedRows(journal, state) : sentRows(journal, state)) {
      batch.push(row);
      if (batch.length < PER_BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } catch (thrown) {
    throw journalFailure(journal.path, thrown);
  }
}

function* sentRows(journal: Journal, state: ListedRow['state'] | undefined): Generator<Row> {
  for (const { sentAt, ...row } of journal.rows.reported.listed(state)) {
    yield {
      ...withReason(row),
      sentAt: sentAt === null ? null : new Date(sentAt).toISOString(),
      ...(state === 'unconfirmed' ? { [OUTCOME]: null } : {}),
    };
  }
}

function* stagedRows(journal: Journal, state: ListedRow['state'] | undefined): Generator<Row> {
  for (const rows of journal.rows.sealed.rows()) {
    for (const { row, line, state: own, code, name, id, reason, body } of rows) {
      if (state !== undefined && own !== state) continue;
      const payload = body === null ? null : parseResponse(body);
      const shown = { row, line, state: own, code, name, id, status: null, reason };
      yield { ...withReason(shown), sentAt: null, payload };
    }
  }
}
