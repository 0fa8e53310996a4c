import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { RecordResult } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { keepHeapSmall } from '../../listing/keep-heap-small.ts';
import { runDocument } from '../report/document/run-document.ts';
import { type RunReport, readReport, reportFigures } from '../report/document/run-report.ts';
import { openShown, type ShownRun } from '../review/statement-run.ts';
import type { ListedRow } from '../store/reported-rows.ts';
import { checkProfile, summariesNow } from './run-row.ts';
import { shownRun } from './show-run.ts';

export async function reportRun(
  typed: string,
  { created }: { readonly created: boolean },
  ports: Ports<'io' | 'self' | 'store'>,
): Promise<RecordResult> {
  keepHeapSmall();
  checkProfile(ports.self);
  const report = await read(typed, ports);
  return {
    kind: 'record',
    idField: 'run',
    value: reportFigures(report),
    onlyInReport: created ? notInFigures(report.header.run) : undefined,
    document: async () =>
      runDocument(report, {
        lang: await ports.io.reportLang(),
        now: ports.self.clock.now(),
        created: created ? createdRows(await openShown(typed, ports)) : undefined,
      }),
  };
}

function notInFigures(run: string): ProcError {
  return new ProcError(
    'invalid_usage',
    '--created has no effect on -o json, which prints the figures',
    {
      hint: `Use --out with .html, .md or .xlsx; for the rows run: proc imports rows ${inShell(run)} --state created`,
    },
  );
}

async function read(typed: string, ports: Ports<'io' | 'self' | 'store'>): Promise<RunReport> {
  using shown = await openShown(typed, ports);
  const { run } = shown;
  const summary = (await summariesNow(ports))(run);
  run.freeze();
  return await readReport(run, summary, shownRun(run, summary, ports), ports);
}

/** Reads rows one by one, because a run may have a million. */
function* createdRows(shown: ShownRun): Generator<ListedRow> {
  using _open = shown;
  yield* shown.run.rows.reported.listed('created');
}
