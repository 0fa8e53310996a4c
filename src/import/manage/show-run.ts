import { dirname, resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Result, Row, RowsResult } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { isShared } from '../../ledger/open-ledger.ts';
import { batched } from '../../output/batched.ts';
import { checkOutFile, writeOutFile } from '../../output/out-file.ts';
import { isSameFile } from '../../store/regular-file.ts';
import { NEXT } from '../phases.ts';
import { summaryLayout } from '../report/import-summary.ts';
import { rowLayout } from '../report/row-layout.ts';
import { sealedOf } from '../review/sealed-bodies.ts';
import { STATEMENT_EXTENSION, statementLines, titleLine } from '../review/statement.ts';
import { isStatement, openShown } from '../review/statement-run.ts';
import type { ListedRow } from '../store/reported-rows.ts';
import type { Run } from '../store/run-file.ts';
import type { RunState, Summary } from '../store/run-summary.ts';
import { findElsewhere, findRun, importsFolder } from '../store/runs.ts';
import { checkProfile, runRow, summariesNow } from './run-row.ts';

/** @param statement the file to write the statement to; undefined if none is to be written */
export async function showRun(
  typed: string,
  { statement }: { readonly statement: string | undefined },
  ports: Ports<'io' | 'self'>,
): Promise<Result> {
  checkProfile(ports.self);
  const there = isStatement(typed) ? undefined : await runElsewhere(typed, ports);
  if (there !== undefined) {
    const value = runRow((await summariesNow(ports))(there), ports);
    return { kind: 'record', idField: 'run', value };
  }
  using shown = await openShown(typed, ports);
  const { run } = shown;
  const { columns, labels } = summaryLayout('en');
  if (statement !== undefined) await writeStatement(run, statement, ports);
  const value = shownRun(run, (await summariesNow(ports))(run), ports);
  return {
    kind: 'record',
    columns: [{ key: 'state', header: labels.state!, kind: 'status' }, ...columns],
    labels,
    idField: 'run',
    value: statement === undefined ? value : { ...value, statement },
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
  const sealed = run.get('sealed');
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
    rejectedFile: NEXT[run.phase].send === 'check' ? null : rejectedFile,
    resultsFile: resultsFile ?? null,
  };
}

/**
 * Writes the statement of a staged run, whole or not at all.
 *
 * @throws ProcError `invalid_usage`, `unwritable_output`; `plan_changed` if the saved rows were changed
 */
async function writeStatement(run: Run, file: string, { self }: Ports<'self'>): Promise<void> {
  checkName(file, run);
  const path = resolve(self.cwd, file);
  await checkOutFile(path, '--statement');
  if (isSameFile(path, run.header.source.path)) {
    throw new ProcError('invalid_usage', `--statement ${file} is the source of ${run.header.run}`);
  }
  const sealed = sealedOf(run);
  await writeOutFile(path, '--statement', async (write) => {
    await write(`${titleLine(sealed.digest)}\n`);
    for (const lines of statementLines(run, sealed)) {
      await write(lines.map(({ text }) => `${text}\n`).join(''));
      self.signal.throwIfAborted();
    }
  });
}

/** @throws ProcError `invalid_usage` */
function checkName(file: string, run: Run): void {
  const { run: name, noun } = run.header;
  if (run.get('sealed') === undefined) {
    throw new ProcError('invalid_usage', `${name} was not staged, so it has no statement`, {
      hint: `Stage an import: proc ${noun} import FILE --stage`,
      details: { run: name },
    });
  }
  if (isStatement(file)) return;
  throw new ProcError(
    'invalid_usage',
    `--statement ${file}: the name must end with ${STATEMENT_EXTENSION}`,
    {
      hint: `Use --statement ${inShell(`${file.replace(/\.[a-z0-9]+$/i, '')}${STATEMENT_EXTENSION}`)}`,
    },
  );
}

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
  // Report errors such as a damaged file before any output.
  using shown = await openShown(typed, ports);
  const { fields, columns } = rowLayout(shown.run);
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
  for (const rows of batched(rowLayout(shown.run).rows(state), PER_BATCH)) {
    yield state === 'unconfirmed' ? rows.map((row) => ({ ...row, [OUTCOME]: null })) : rows;
  }
}
