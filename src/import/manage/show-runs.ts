import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { readConfig } from '../../config/config-file.ts';
import {
  environmentNames,
  environmentNotFound,
  hasProfile,
  profileNotFound,
} from '../../config/names.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports, SelfPort } from '../../core/ports.ts';
import type { Column, Next, Result, Row, RowsResult, TextResult } from '../../core/result.ts';
import { HISTORY } from '../../history/store.ts';
import { isShared } from '../../ledger/open-ledger.ts';
import { keepHeapSmall } from '../../listing/keep-heap-small.ts';
import { batched } from '../../output/batched.ts';
import { isPage } from '../../output/format.ts';
import { processesIn } from '../import-lock.ts';
import { isSent } from '../phases.ts';
import { countedRecord, summaryLayout } from '../report/import-summary.ts';
import { nextCommand, nextFor } from '../report/next-steps.ts';
import { rowLayout } from '../report/row-layout.ts';
import { runPage } from '../report/run-page.ts';
import type { ListedRow } from '../store/reported-rows.ts';
import { Run } from '../store/run-file.ts';
import { type RunState, type Summary, summary } from '../store/run-summary.ts';
import { eachRun, findElsewhere, findRun, importsFolder, runPath } from '../store/runs.ts';

/**
 * Refuses an unknown `--profile`, and an unknown `--env` of that profile. For commands that contact
 * no service.
 *
 * @throws ProcError `profile_not_found`, `environment_not_found`
 */
export function checkProfile({ flags, env }: Pick<SelfPort, 'flags' | 'env'>): void {
  const name = flags.profile;
  if (name === undefined) return;
  const config = readConfig(env);
  if (!hasProfile(config, name)) throw profileNotFound(config, name, '--profile');
  const environment = flags.env;
  if (environment === undefined || environmentNames(config, name).includes(environment)) return;
  throw environmentNotFound(config, name, environment, '--env');
}

/** The summaries of runs on which other processes may be working. */
export async function summariesNow({ self }: Ports<'self'>): Promise<(state: RunState) => Summary> {
  const processOf = await processesIn(importsFolder(self));
  return (state) => summary(state, processOf(state.header));
}

export function runRow(now: Summary, ports: Ports<'io' | 'self'>): Row {
  const { run, noun, source, profile, environment, baseUrl, organization, startedAt, writer } =
    now.header;
  const { running } = now;
  // While a process is working on the run, no other command can resume or resolve it.
  const next =
    now.left === 'nothing' || running !== undefined || now.isElsewhere
      ? undefined
      : [{ command: nextCommand(now, ports), why: WHY[now.left] }];
  return {
    run,
    state: STATES[now.left],
    noun,
    source: source.name,
    profile: profile ?? null,
    environment: environment ?? null,
    baseUrl,
    organization: organization ?? null,
    startedAt,
    ...(writer === undefined
      ? {}
      : { user: writer.user, host: writer.host, job: writer.job ?? null }),
    ...countedRecord(now.header),
    ...now.counts,
    ...(running === undefined ? {} : { process: running.pid, runningSince: running.since }),
    ...(next === undefined ? {} : { next }),
  };
}

const WHY = {
  resume: 'Send or look up the remaining rows',
  resolve: 'Check the service, then record what happened to the unconfirmed rows',
} as const;

const STATES = {
  resume: 'unfinished',
  resolve: 'unconfirmed',
  nothing: 'finished',
} as const;

const LIST_COLUMNS: readonly Column[] = [
  { key: 'run', header: 'RUN', priority: 4 },
  { key: 'state', header: 'STATE', priority: 4 },
  { key: 'startedAt', header: 'STARTED AT', kind: 'date', priority: 0 },
  { key: 'source', header: 'SOURCE', priority: 3 },
  { key: 'profile', header: 'PROFILE' },
  { key: 'rows', header: 'ROWS', kind: 'count', priority: 2 },
  { key: 'created', header: 'CREATED', kind: 'count', priority: 2 },
  { key: 'rejected', header: 'REJECTED', kind: 'count' },
  { key: 'unconfirmed', header: 'UNCONFIRMED', kind: 'count' },
  { key: 'pending', header: 'PENDING', kind: 'count' },
];

/**
 * Shown only if a process is working on a run: without this column, the run would look interrupted.
 */
const PROCESS: Column = { key: 'process', header: 'PROCESS', kind: 'number', priority: 4 };

const NEXT_STEP: Column = { key: 'next', header: 'NEXT', priority: 5 };
/** In a narrower terminal, the command would be cut off: nobody could copy it. */
const NEXT_FITS = 150;
const MAX_NEXT = 3;

export async function listRuns(
  limit: number | undefined,
  ports: Ports<'io' | 'self'>,
): Promise<Result> {
  checkProfile(ports.self);
  const summaryNow = await summariesNow(ports);
  const rows = await eachRun(
    importsFolder(ports.self),
    (one) => {
      const now = summaryNow(one);
      // The next import removes a run that has sent nothing.
      return !isSent(now.phase) && now.running === undefined ? undefined : runRow(now, ports);
    },
    (run, error): Row => {
      ports.io.say({ kind: 'warning', text: error.message });
      return { run, state: 'damaged' };
    },
  );
  rows.sort((a, b) => (startOf(a) < startOf(b) ? 1 : -1));
  const { stdoutIsTerminal, width } = ports.io.terminal;
  const isNarrow = stdoutIsTerminal && width < NEXT_FITS;
  const next = rows.flatMap(({ next = [] }) =>
    (next as readonly Next[]).map(({ command }) => command),
  );
  if (isNarrow && next.length > 0) {
    const more = next.length > MAX_NEXT ? `\n  and ${next.length - MAX_NEXT} more` : '';
    const text = `next:\n  ${next.slice(0, MAX_NEXT).join('\n  ')}${more}`;
    ports.io.say({ kind: 'notice', text });
  }
  return {
    kind: 'rows',
    columns: [
      ...LIST_COLUMNS,
      ...(rows.some((row) => row.process !== undefined) ? [PROCESS] : []),
      ...(isNarrow || next.length === 0 ? [] : [NEXT_STEP]),
    ],
    rows,
    limit,
    idField: 'run',
    empty: 'No imports.',
  };
}

/**
 * The start time as digits, for sorting. The name of a damaged run contains this time, to the
 * second.
 */
function startOf({ run, startedAt }: Row): string {
  return startedAt === undefined
    ? String(run).replace('-', '').slice(0, 14)
    : String(startedAt).replace(/\D/g, '');
}

export async function showRun(typed: string, ports: Ports<'io' | 'self'>): Promise<Result> {
  checkProfile(ports.self);
  const there = await runElsewhere(typed, ports);
  if (there !== undefined) {
    const value = runRow((await summariesNow(ports))(there), ports);
    return { kind: 'record', idField: 'run', value };
  }
  using shown = await openShown(typed, ports);
  const { run } = shown;
  const { columns, labels } = summaryLayout();
  return {
    kind: 'record',
    columns: [{ key: 'state', header: labels.state! }, ...columns],
    labels,
    idField: 'run',
    value: shownRun(run, (await summariesNow(ports))(run), ports),
  };
}

async function runElsewhere(typed: string, { self }: Ports<'self'>): Promise<RunState | undefined> {
  const folder = importsFolder(self);
  return isShared(dirname(folder))
    ? findElsewhere(folder, await findRun(folder, typed))
    : undefined;
}

export function shownRun(run: Run, now: Summary, ports: Ports<'io' | 'self'>): Row {
  const { source, mapping, choices } = run.header;
  const { rejectedFile, resultsFile } = run.files;
  return {
    ...runRow(now, ports),
    bytes: source.bytes,
    hash: source.hash,
    mapping,
    choices,
    rejectedFile,
    resultsFile: resultsFile ?? null,
  };
}

interface ShownRun extends Disposable {
  readonly run: Run;
}

/** @throws ProcError `reference_not_found` */
async function openShown(typed: string, { self }: Ports<'self'>): Promise<ShownRun> {
  const folder = importsFolder(self);
  const run = await Run.read(runPath(folder, await findRun(folder, typed)));
  return { run, [Symbol.dispose]: () => run.close() };
}

const PER_BATCH = 1_000;

export async function listRows(
  typed: string,
  filter: { readonly state: ListedRow['state'] | undefined; readonly limit: number | undefined },
  ports: Ports<'self'>,
): Promise<RowsResult> {
  checkProfile(ports.self);
  const { state, limit } = filter;
  // Report errors such as a damaged file before any output.
  using shown = await openShown(typed, ports);
  const { fields, columns } = rowLayout(shown.run);
  return {
    kind: 'rows',
    columns,
    fields,
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
  for (const rows of batched(rowLayout(shown.run).rows(state), PER_BATCH)) {
    yield rows;
  }
}

/** The page of a run. It is read while it is written. */
export async function reportRun(
  typed: string,
  ports: Ports<'io' | 'self' | 'store'>,
): Promise<TextResult> {
  keepHeapSmall();
  checkProfile(ports.self);
  const { out } = ports.self.flags;
  if (out === undefined ? ports.io.terminal.stdoutIsTerminal : !isPage(out)) {
    throw new ProcError('invalid_usage', 'the report is an HTML page', {
      hint: 'Write it to a file: --out report.html',
    });
  }
  // Report errors such as a damaged file before any output.
  const shown = await openShown(typed, ports);
  const { run } = shown;
  const now = (await summariesNow(ports))(run);
  const historyId = run.get('historyId');
  const entry =
    historyId === undefined ? undefined : await (await ports.store.open(HISTORY)).get(historyId);
  const file = run.files.rejectedFile;
  const rejectedFile = file !== undefined && existsSync(file) ? file : undefined;
  run.freeze();
  const page = runPage(run, {
    summary: now,
    record: shownRun(run, now, ports),
    steps: nextFor(now, rejectedFile, ports),
    writer: entry?.writer,
    now: ports.self.clock.now(),
  });
  return { kind: 'text', text: closing(shown, page) };
}

function* closing(shown: ShownRun, page: Iterable<string>): Generator<string> {
  using _open = shown;
  yield* page;
}
