import { existsSync } from 'node:fs';
import type { LocalPlan } from '../core/command.ts';
import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { Column, Result, Row } from '../core/result.ts';
import { inShell, typedAgain } from '../core/text/typed.ts';
import { bulkMessages } from '../messages/bulk.ts';
import type { RunHeader } from './ledger/header.ts';
import { Journal } from './ledger/journal.ts';
import { journalFailure } from './ledger/ledger-failure.ts';
import { lockImport } from './ledger/processes/import-lock.ts';
import { removeLeftovers } from './ledger/processes/inputs.ts';
import type { RunState } from './ledger/run-state.ts';
import { summary } from './ledger/run-summary.ts';
import {
  eachRun,
  findRun,
  importsFolder,
  journalPath,
  removeRun,
  runNames,
} from './ledger/runs.ts';
import { repairedIn, summaryColumns } from './report/import-summary.ts';
import { nextCommand } from './report/next-command.ts';
import { rowsIn } from './report/words.ts';
import { removeSpool } from './source/remove-spool.ts';

const LIST_COLUMNS: readonly Column[] = [
  { key: 'run', header: 'RUN', priority: 4 },
  { key: 'state', header: 'STATE', priority: 3 },
  { key: 'source', header: 'SOURCE', priority: 2 },
  { key: 'profile', header: 'PROFILE' },
  { key: 'rows', header: 'ROWS', kind: 'number', priority: 2 },
  { key: 'created', header: 'CREATED', kind: 'number', priority: 2 },
  { key: 'rejected', header: 'REJECTED', kind: 'number' },
  { key: 'unknown', header: 'UNCONFIRMED', kind: 'number' },
  { key: 'pending', header: 'PENDING', kind: 'number' },
];

const NEXT: Column = { key: 'next', header: 'NEXT', priority: 5 };
/** A narrower terminal would cut the command off, so that it cannot be copied. */
const NEXT_FITS = 150;
const MAX_NEXT = 3;

/** All runs on this machine, newest first. */
export async function listRuns(ports: Ports<'io' | 'self'>): Promise<Result> {
  const rows = eachRun(
    importsFolder(ports.self.env),
    (one) => runRow(one, ports),
    (run, error): Row => {
      ports.io.say({ kind: 'warning', text: error.message });
      return { run, state: 'damaged' };
    },
  );
  rows.sort((a, b) => (startOf(a) < startOf(b) ? 1 : -1));
  const { stdoutIsTerminal, width } = ports.io.terminal;
  const isNarrow = stdoutIsTerminal && width < NEXT_FITS;
  const next = rows.flatMap((row) => (row.next === undefined ? [] : [String(row.next)]));
  if (isNarrow && next.length > 0) {
    const more = next.length > MAX_NEXT ? `\n  and ${next.length - MAX_NEXT} more` : '';
    const text = `next:\n  ${next.slice(0, MAX_NEXT).join('\n  ')}${more}`;
    ports.io.say({ kind: 'notice', text });
  }
  return {
    kind: 'rows',
    columns: isNarrow || next.length === 0 ? LIST_COLUMNS : [...LIST_COLUMNS, NEXT],
    rows,
    idField: 'run',
    empty: 'No imports.',
  };
}

/** Digits of the start time. A damaged run only has its name, which contains the second. */
function startOf({ run, startedAt }: Row): string {
  return startedAt === undefined
    ? String(run).replace('-', '').slice(0, 14)
    : String(startedAt).replace(/\D/g, '');
}

/** One run: its service, source, options and counts. */
export async function showRun(typed: string, ports: Ports<'io' | 'self'>): Promise<Result> {
  const folder = importsFolder(ports.self.env);
  const path = journalPath(folder, findRun(folder, typed));
  const journal = Journal.open(path, true);
  try {
    const { source, mapping, choices } = journal.header;
    const { rejectedFile, resultsFile } = journal.files;
    return {
      kind: 'record',
      columns: [{ key: 'state', header: 'state' }, ...summaryColumns(await ports.io.lang())],
      idField: 'run',
      value: {
        ...runRow(journal, ports),
        bytes: source.bytes,
        hash: source.hash,
        mapping,
        choices,
        rejectedFile,
        resultsFile: resultsFile ?? null,
      },
    };
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal.close();
  }
}

function runRow(state: RunState, ports: Ports<'io' | 'self'>): Row {
  const { run, noun, source, profile, environment, baseUrl, organization, startedAt } =
    state.header;
  const now = summary(state);
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
    ...now.counts,
    ...repairedIn(now),
    ...(now.left === 'nothing' ? {} : { next: nextCommand(now, ports) }),
  };
}

/** The state of a run, by the step that is left. */
const STATES = { resume: 'unfinished', resolve: 'unconfirmed', nothing: 'finished' } as const;

/** Removes a run after a confirmation. Fails if the run is being sent. */
export async function planDiscard(
  typed: string,
  ports: Ports<'io' | 'ask' | 'store' | 'self'>,
): Promise<LocalPlan> {
  const folder = importsFolder(ports.self.env);
  const run = findRun(folder, typed);
  const { header, sent, inDoubt } = aboutDiscarding(folder, run);
  return {
    would: () => ({ kind: 'record', idField: 'run', value: { run, sent, inDoubt } }),
    async apply() {
      const { clock, signal } = ports.self;
      const lock =
        header === undefined
          ? undefined
          : await lockImport({ folder, ...header }, { clock, signal, run, verb: 'discard' });
      try {
        return await discarded(folder, run, ports);
      } finally {
        lock?.release();
      }
    },
  };
}

async function discarded(
  folder: string,
  run: string,
  ports: Ports<'io' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  // Read under the lock, because another process may have changed the run until now.
  const { sent, inDoubt, spool } = aboutDiscarding(folder, run);
  const words = bulkMessages[await ports.io.lang()];
  const lost = rowsIn(inDoubt, 'unconfirmed row');
  await confirm(
    ports,
    words.discard(run, sent, inDoubt),
    inDoubt === 0 ? `discard ${run}` : `discard ${run}, which has ${lost}`,
    inDoubt === 0
      ? 'Add --yes'
      : `Record the outcome of these rows first (proc imports resolve ${inShell(run)}), or add --yes`,
  );
  if (inDoubt > 0) {
    ports.io.say({
      kind: 'warning',
      text: `discarded ${lost}: proc can no longer find out whether ${inDoubt === 1 ? 'it was' : 'they were'} created`,
    });
  }
  removeRun(folder, run);
  if (spool !== undefined) removeSpool({ path: spool }, folder);
  return { kind: 'record', idField: 'run', value: { run, discarded: true } };
}

/** What a run contains. A damaged journal counts as empty, so that it can be discarded too. */
function aboutDiscarding(
  folder: string,
  run: string,
): {
  readonly sent: number;
  readonly inDoubt: number;
  readonly spool: string | undefined;
  readonly header: RunHeader | undefined;
} {
  let journal: Journal | undefined;
  try {
    journal = Journal.open(journalPath(folder, run), true);
    const { created, unknown } = summary(journal).counts;
    const { header } = journal;
    return { sent: created + unknown, inDoubt: unknown, spool: header.source.path, header };
  } catch (thrown) {
    const failure = journalFailure(run, thrown);
    if (failure instanceof ProcError)
      return { sent: 0, inDoubt: 0, spool: undefined, header: undefined };
    throw failure;
  } finally {
    journal?.close();
  }
}

/**
 * Removes the journals of old finished runs, and files left behind by killed imports.
 *
 * @param before removes runs started before this time, ms since the epoch
 */
export async function planPrune(
  before: number,
  ports: Ports<'io' | 'ask' | 'store' | 'self'>,
): Promise<LocalPlan> {
  const folder = importsFolder(ports.self.env);
  const old = eachRun(folder, (journal) =>
    summary(journal).left === 'nothing' && Date.parse(journal.header.startedAt) <= before
      ? journal.header.run
      : undefined,
  );
  return {
    would: () => ({
      kind: 'record',
      value: { wouldRemove: old.length, kept: runNames(folder).length },
    }),
    async apply() {
      if (old.length > 0) {
        const words = bulkMessages[await ports.io.lang()];
        await confirm(
          ports,
          words.prune(old.length),
          `remove ${rowsIn(old.length, 'finished run')}`,
        );
        for (const run of old) removeRun(folder, run);
      }
      if (existsSync(folder)) removeLeftovers(folder);
      return {
        kind: 'record',
        value: { removed: old.length, kept: runNames(folder).length },
      };
    },
  };
}

async function confirm(
  ports: Ports<'io' | 'ask' | 'self'>,
  question: string,
  what: string,
  hint = 'Add --yes',
): Promise<void> {
  if (ports.self.flags.yes) return;
  if (ports.io.terminal.interactive && (await ports.ask.confirm(question, false))) return;
  throw new ProcError('confirmation_required', `not confirmed: ${what}; nothing was changed`, {
    hint: `${hint}: ${typedAgain(ports.self.typed, ['--yes'])}`,
  });
}
