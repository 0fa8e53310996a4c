import { DialogueError, type ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Problem } from '../../core/problem/row-problem.ts';
import type { RecordResult, Row } from '../../core/result.ts';
import { inEach } from '../../core/text/phrase.ts';
import { inShell } from '../../core/text/typed.ts';
import { writerOf } from '../../history/written-by.ts';
import { countOf } from '../../messages/import-nouns.ts';
import { importRunMessages } from '../../messages/import-run.ts';
import { sentence } from '../../messages/problems.ts';
import type { OpenRun } from '../open-run.ts';
import { type Planned, planRecord } from '../plan/plan-run.ts';
import { nextCommand } from '../report/next-steps.ts';
import { summary } from '../store/run-summary.ts';
import { digestOf } from './sealed-bodies.ts';

const UNSAID = ['dryRun', 'mapping'];

/** The fields to show at a terminal, where the user has just seen the plan. */
const BRIEF = ['run', 'state', 'source', 'rows', 'create', 'digest', 'next'] as const;

/** @returns the plan, with a failure if rows are invalid or the source is incomplete */
export async function sealRun(
  opened: OpenRun,
  planned: Planned,
  workedMs: number,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<RecordResult> {
  const { run, target } = opened;
  const { dialect } = await ports.api.target();
  const { version, ...importer } = writerOf(ports.self.env, ports.io.terminal);
  const plan = {
    at: new Date(ports.self.clock.now()).toISOString(),
    version,
    importer,
    dialect: dialect(target.noun),
    findings: run.get('findings') ?? [],
    fileProblem: run.get('fileProblem'),
    baseline: run.get('baseline'),
    otherNames: run.get('otherNames'),
  };
  const sealed = { ...plan, digest: digestOf(run, plan) };
  await run.advance('seal', { workedMs, sealed });
  return stagedResult(opened, planned, sealed.digest, ports);
}

async function stagedResult(
  { run, target }: OpenRun,
  planned: Planned,
  digest: string,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<RecordResult> {
  const { header } = run;
  const now = summary(run);
  const plan = Object.entries(planRecord(planned, target, header.source.name, undefined));
  const planFile = run.get('planFile');
  const fileProblem = run.get('fileProblem');
  const value: Row = {
    run: header.run,
    state: 'staged',
    ...Object.fromEntries(plan.filter(([key]) => !UNSAID.includes(key))),
    ...(planFile === undefined ? {} : { planFile }),
    ...(fileProblem === undefined ? {} : { fileProblem: sentence(fileProblem) }),
    digest,
    next: [{ command: nextCommand(now, ports), why: 'Send the rows as they were planned' }],
  };
  const { labels } = importRunMessages[await ports.io.lang()];
  const result = {
    kind: 'record',
    idField: 'run',
    value,
    labels,
    failure: failureOf(planned, header.run, header.source.name, fileProblem),
  } as const;
  if (!ports.io.terminal.stdoutIsTerminal) return result;
  return {
    ...result,
    columns: BRIEF.map((key) => ({
      key,
      header: labels[key],
      ...(['rows', 'create'].includes(key) ? { kind: 'count' as const } : {}),
    })),
    isBrief: true,
  };
}

function failureOf(
  { plan }: Planned,
  run: string,
  source: string,
  fileProblem: Problem | undefined,
): ProcError | undefined {
  const { invalid, rows } = plan;
  if (invalid > 0) {
    const rejected = `proc imports rows ${inShell(run)} --state rejected`;
    return new DialogueError(
      'rows_rejected',
      {
        en: `${countOf(invalid, plan.counts, 'en')} ${invalid === 1 ? 'is' : 'are'} invalid and will not be sent`,
        es: `${countOf(invalid, plan.counts, 'es')} no ${invalid === 1 ? 'vale' : 'valen'} y no se ${invalid === 1 ? 'enviará' : 'enviarán'}`,
      },
      {
        hint: { en: `To see which, run: ${rejected}`, es: `Para ver cuáles: ${rejected}` },
        details: { run, invalid, rows },
      },
    );
  }
  if (fileProblem === undefined) return undefined;
  return new DialogueError(
    'rows_rejected',
    inEach((lang) => `${source}: ${sentence(fileProblem, lang)}`),
    { details: { run } },
  );
}
