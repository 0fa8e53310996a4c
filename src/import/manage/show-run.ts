import type { Ports } from '../../core/ports.ts';
import type { Result, Row } from '../../core/result.ts';
import { Journal } from '../ledger/journal.ts';
import { journalFailure } from '../ledger/ledger-failure.ts';
import type { Summary } from '../ledger/run-summary.ts';
import { findRun, importsFolder, journalPath } from '../ledger/runs.ts';
import { NEXT } from '../phases.ts';
import { summaryLayout } from '../report/import-summary.ts';
import { checkProfile } from './check-profile.ts';
import { runRow, summaryNow } from './run-row.ts';

export async function showRun(typed: string, ports: Ports<'io' | 'self'>): Promise<Result> {
  checkProfile(ports.self);
  const folder = importsFolder(ports.self.env);
  const path = journalPath(folder, findRun(folder, typed));
  const journal = Journal.read(path);
  try {
    const { columns, labels } = summaryLayout(await ports.io.lang());
    return {
      kind: 'record',
      columns: [{ key: 'state', header: labels.state!, kind: 'status' }, ...columns],
      labels,
      idField: 'run',
      value: shownRun(journal, summaryNow(journal, ports), ports),
    };
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal.close();
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
    ...(sealed === undefined ? {} : { stagedAt: sealed.at, digest: sealed.digest }),
    mapping,
    choices,
    // A staged run has no file of rejected rows yet: sending writes it.
    rejectedFile: NEXT[journal.phase].send === 'check' ? null : rejectedFile,
    resultsFile: resultsFile ?? null,
  };
}
