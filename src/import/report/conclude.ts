import type { Context } from '../../context.ts';
import { EXIT, ProcError, withHint } from '../../core/errors.ts';
import type { RecordResult, Row } from '../../core/result.ts';
import type { EndedRun } from '../ended-run.ts';
import { endRejected, type RowSources, writeResults } from './files.ts';
import { detailsOf, errorsOf, runCommand, runRecord } from './run-endings.ts';
import { columnsOf, countsOf, countsText, type ReportedRun, tookText } from './run-summary.ts';
import { countIn } from './words.ts';

/** Writes the files of a run, and makes its summary. Problems become the failure of the result. */
export async function conclude(
  run: EndedRun,
  from: Omit<RowSources, 'number'>,
  ctx: Context,
): Promise<RecordResult> {
  const { header, number, stop } = run;
  const count = countsOf(run).created;
  const created = `${countIn(header, count)} created`;
  const undelivered: ProcError[] = [];
  const attempt = async (write: () => Promise<void>): Promise<boolean> => {
    try {
      await write();
      return true;
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      const hint =
        number === undefined
          ? undefined
          : `Write the rows again: ${runCommand('rows', header)} --out FILE`;
      const details = detailsOf(run);
      const message = `${created}, but ${thrown.message}`;
      undelivered.push(new ProcError('undelivered', message, { hint, details }));
      return false;
    }
  };
  const sources = { ...from, number };
  const { results } = header.files;
  let files: Row = {};
  // Else another command continues the run, or the ledger cannot be written.
  if (stop?.kind !== 'ledger') {
    await attempt(() => endRejected(run, sources, ctx));
    // The ledger lacks the rows that were not sent.
    const hasAll = results !== undefined && from.draft !== undefined;
    if (hasAll && (await attempt(() => writeResults(results, header, sources))))
      files = { resultsFile: results };
  }
  if (count > 0)
    ctx.written.push({
      what: `import ${header.source.name}: ${created}`,
      see: runCommand('show', header),
    });
  return tell(run, [...errorsOf(run, ctx), ...undelivered], ctx, files);
}

/**
 * The summary of a run: on a terminal a sentence, elsewhere a record.
 *
 * @param errors the worst decides the exit code of the command, the others become warnings
 */
export function tell(
  run: ReportedRun,
  errors: readonly ProcError[],
  ctx: Context,
  files: Row = {},
): RecordResult {
  const [failure, ...warnings] = withStop(errors, run);
  const { terminal, say } = ctx.io;
  for (const warning of warnings) say({ kind: 'warning', text: withHint(warning) });
  const { next, ...record } = runRecord(run, ctx);
  const value = { ...record, ...files, next };
  if (terminal.stderrIsTerminal) {
    const tone = failure === undefined ? { tone: 'done' as const } : {};
    const text = `${run.header.source.name}: ${countsText(run)} (${tookText(run)})`;
    say({ kind: 'notice', text, ...tone });
  }
  const { output, quiet } = ctx.flags;
  const isSaid = terminal.stdoutIsTerminal && terminal.stderrIsTerminal;
  const page = isSaid && output === undefined && quiet !== true ? () => '' : undefined;
  const columns = columnsOf(value);
  return { kind: 'record', idField: 'run', isBrief: true, value, failure, columns, page };
}

/** With the reason why the command stopped, which says more than that rows are left. */
function withStop(errors: readonly ProcError[], run: ReportedRun): readonly ProcError[] {
  const { stop } = run;
  const left = errors.find(({ code }) => code === 'incomplete');
  const others = errors.filter((error) => stop === undefined || error !== left);
  if (stop !== undefined) {
    const { error } = stop;
    const hint = left?.hint ?? (others[0]?.code === 'outcome_unknown' ? others[0].hint : undefined);
    const details = detailsOf(run);
    const isSignal = error instanceof ProcError && error.exitCode >= EXIT.hungUp;
    others.push(
      isSignal && stop.kind === 'interrupted'
        ? new ProcError(error.code, error.message, { hint, details, exitCode: error.exitCode })
        : new ProcError('incomplete', `stopped: ${stop.why}`, { hint, details }),
    );
  }
  const worst = [EXIT.outcomeUnknown, EXIT.undelivered, EXIT.incomplete, EXIT.someRejected];
  const rank = ({ exitCode }: ProcError) => worst.indexOf(exitCode as (typeof worst)[number]);
  return others.sort((one, other) => rank(one) - rank(other));
}
