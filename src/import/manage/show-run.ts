import type { Ports } from '../../core/ports.ts';
import type { Result, Row } from '../../core/result.ts';
import type { Journal } from '../ledger/journal.ts';
import { journalFailure } from '../ledger/ledger-failure.ts';
import type { Summary } from '../ledger/run-summary.ts';
import { NEXT } from '../phases.ts';
import { summaryLayout } from '../report/import-summary.ts';
import { openShown } from '../review/statement-run.ts';
import { writeStatement } from '../review/write-statement.ts';
import { checkProfile } from './check-profile.ts';
import { runRow, summaryNow } from './run-row.ts';

/** @param statement the file to write the statement to; undefined if none is to be written */
export async function showRun(
  typed: string,
  { statement }: { readonly statement: string | undefined },
  ports: Ports<'io' | 'self'>,
): Promise<Result> {
  checkProfile(ports.self);
  using shown = await openShown(typed, ports);
  const { journal } = shown;
  try {
    const { columns, labels } = summaryLayout(await ports.io.lang());
    if (statement !== undefined) await writeStatement(journal, statement, ports);
    const value = shownRun(journal, summaryNow(journal, ports), ports);
    return {
      kind: 'record',
      columns: [{ key: 'state', header: labels.state!, kind: 'status' }, ...columns],
      labels,
      idField: 'run',
      value: statement === undefined ? value : { ...value, statement },
    };
  } catch (thrown) {
    throw journalFailure(journal.path, thrown);
  }
}

export function shownRun(journal: Journal, now: Summary, ports: Ports<'io' | 'self'>): Row {
  const { source, mapping, choices } = journal.header;
  const { rejectedFile, resultsFile } = journal.files;
  const sealed = journal.get('sealed');
  return {
    ...runRow(now, ports),
    bytes: source.bytes,
    hash: source.hash,
    ...(sealed === undefined
      ? {}
      : { stagedAt: sealed.at, importer: sealed.importer, digest: sealed.digest }),
    mapping,
    choices,
    // A staged run has no file of rejected rows yet: sending writes it.
    rejectedFile: NEXT[journal.phase].send === 'check' ? null : rejectedFile,
    resultsFile: resultsFile ?? null,
  };
}
