import type { Ports } from '../../core/ports.ts';
import type { Result, Row } from '../../core/result.ts';
import { importReportMessages } from '../../messages/reports/import-report.ts';
import { signedApprovals } from '../approval/signed-approvals.ts';
import { Journal } from '../ledger/journal.ts';
import { journalFailure } from '../ledger/ledger-failure.ts';
import type { Summary } from '../ledger/run-summary.ts';
import { findRun, importsFolder, journalPath } from '../ledger/runs.ts';
import { approvalRow } from '../report/document/sections/approvals-section.ts';
import { summaryLayout } from '../report/import-summary.ts';
import { checkProfile } from './check-profile.ts';
import { runRow, summaryNow } from './run-row.ts';

export async function showRun(typed: string, ports: Ports<'io' | 'self'>): Promise<Result> {
  checkProfile(ports.self);
  const folder = importsFolder(ports.self.env);
  const path = journalPath(folder, findRun(folder, typed));
  const journal = Journal.open(path, true);
  try {
    const { columns, labels } = summaryLayout(await ports.io.lang());
    const hasApprovals = journal.get('approvals') !== undefined;
    return {
      kind: 'record',
      columns: [{ key: 'state', header: labels.state!, kind: 'status' }, ...columns],
      labels,
      idField: 'run',
      value: shownRun(journal, summaryNow(journal, ports), ports),
      // In JSON, an approval has a `statement` and a `signature`. A table leaves both out.
      inTable: hasApprovals ? () => approvalsInTable(path, ports) : undefined,
    };
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal.close();
  }
}

async function approvalsInTable(path: string, { io, self }: Ports<'io' | 'self'>): Promise<Row> {
  const words = importReportMessages[await io.lang()].approvals.counts;
  const journal = Journal.open(path, true);
  try {
    const signed = await signedApprovals(journal, self.clock.now(), self.env);
    const approvals = signed.map((one) =>
      Object.fromEntries(
        Object.entries(approvalRow(one, words)).filter(([, value]) => value !== null),
      ),
    );
    return { approvals };
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
    ...(sealed === undefined
      ? {}
      : {
          stagedAt: sealed.at,
          digest: sealed.digest,
          approvals: journal.get('approvals') ?? [],
          receivedFrom: journal.get('receivedFrom') ?? null,
        }),
    mapping,
    choices,
    // A staged run has no file of rejected rows yet: sending writes it.
    rejectedFile: journal.phase === 'staged' ? null : rejectedFile,
    resultsFile: resultsFile ?? null,
  };
}
