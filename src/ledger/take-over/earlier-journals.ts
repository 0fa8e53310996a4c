import { basename } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { ProcError } from '../../core/errors.ts';
import { isDamage } from '../../core/machine-errors.ts';
import { serviceOf } from '../../core/scope.ts';
import { isLoopback } from '../../core/text/loopback.ts';
import { openDatabase } from '../../store/open-database.ts';
import { RUN_SPAN, versionOf } from '../ledger-schema.ts';
import { startedAt } from '../run-name.ts';
import type { KeptRow } from './earlier-history.ts';

/** Marks a database as the file of a run (`PRAGMA application_id`). */
const JOURNAL_ID = 0x7072_6a6c;
const OLDEST = 2;
/** The last version in which a journal contained the whole run. */
const LAST = 3;

type Stored = Readonly<Record<string, unknown>>;

const STATES: Readonly<Record<string, string>> = { sent: 'sending', unknown: 'unconfirmed' };

/** Outcomes in `history.db`, and the states that they become. Any other outcome becomes unconfirmed. */
const OUTCOMES: Readonly<Record<string, string>> = { created: 'created', dropped: 'dropped' };

const ROW_COLUMNS =
  'code, name, id, status, reason, sent_at, tries, looked_up, fingerprint, repaired_by';

/**
 * Adds all runs of earlier versions to the ledger. The table `rows` of a run is copied only if the run may
 * have sent rows. Its table `records`, with the content of the source, is never copied.
 *
 * @param kept the rows that imports sent, from `history.db`, by run
 */
export function copyJournals(
  journals: readonly string[],
  kept: ReadonlyMap<string, readonly KeptRow[]>,
  ledger: DatabaseSync,
): void {
  const numbers = new Map<string, number>();
  const paths = new Map(journals.map((path) => [basename(path, '.db'), path]));
  for (const run of [...new Set([...paths.keys(), ...kept.keys()])].sort()) {
    const path = paths.get(run);
    const rows = kept.get(run) ?? [];
    const number = path === undefined ? undefined : enterJournal(path, run, rows, ledger);
    numbers.set(run, number ?? enterKept(run, rows, path === undefined, ledger));
  }
  const answer = ledger.prepare('UPDATE rows SET answered_by = ? WHERE key = ?');
  for (const { run, row, answerRun, answerRow } of [...kept.values()].flat()) {
    const by = answerRun === null ? undefined : numbers.get(answerRun);
    if (by !== undefined) {
      answer.run(by * RUN_SPAN + Number(answerRow), numbers.get(run)! * RUN_SPAN + row);
    }
  }
}

/** @returns the number of the run; undefined if this version cannot read the journal */
function enterJournal(
  path: string,
  run: string,
  kept: readonly KeptRow[],
  ledger: DatabaseSync,
): number | undefined {
  let journal: DatabaseSync | undefined;
  ledger.exec('SAVEPOINT journal');
  try {
    journal = openDatabase(path, { readOnly: true });
    const { application_id: id } = journal.prepare('PRAGMA application_id').get()!;
    const version = versionOf(journal);
    if (id !== JOURNAL_ID || version < OLDEST || version > LAST) return undefined;
    const facts = new Map(
      journal
        .prepare('SELECT key, value FROM run')
        .all()
        .map(({ key, value }) => [key as string, value as string]),
    );
    const header = renamed(facts.get('header')!);
    const { noun, baseUrl, organization } = header as Readonly<Record<string, string>>;
    const phase = facts.get('phase');
    const isEntered = phase === '"sending"' || phase === '"finished"';
    const number = addRun(ledger, {
      name: run,
      noun: noun!,
      service: serviceOf(baseUrl!),
      organization: organization ?? null,
      header: JSON.stringify(header),
      is_entered: Number(isEntered),
      is_forgotten: Number(kept.length === 0 && isOfGoneSandbox(baseUrl!, facts, ledger)),
    });
    if (isEntered) copyRun(journal, number, facts, ledger);
    return number;
  } catch (thrown) {
    // The damaged file stays as it is, and `imports list` reports it.
    if (!isOfTheFile(thrown)) throw thrown;
    ledger.exec('ROLLBACK TO journal');
    return undefined;
  } finally {
    journal?.close();
    ledger.exec('RELEASE journal');
  }
}

function copyRun(
  journal: DatabaseSync,
  number: number,
  facts: ReadonlyMap<string, string>,
  ledger: DatabaseSync,
): void {
  const note = ledger.prepare('INSERT INTO facts VALUES (?, ?, ?)');
  for (const [key, value] of facts) if (key !== 'header') note.run(number, key, value);
  const { last } = journal.prepare('SELECT max(row) AS last FROM records').get()!;
  note.run(number, 'staged', JSON.stringify(Number(last)));
  const insert = ledger.prepare(
    `INSERT INTO rows (key, state, repairs, ${ROW_COLUMNS}) VALUES (?, ?, ?, ${ROW_COLUMNS.replace(/\w+/g, '?')})`,
  );
  const columns = ROW_COLUMNS.split(', ');
  for (const row of journal.prepare('SELECT * FROM rows ORDER BY row').iterate()) {
    const state = row.state as string;
    insert.run(
      number * RUN_SPAN + Number(row.row),
      STATES[state] ?? state,
      row.mends as SQLInputValue,
      ...columns.map((column) => row[column] as SQLInputValue),
    );
  }
}

/** Adds a run whose journal is missing or unreadable, with its rows in `history.db`. */
function enterKept(
  run: string,
  rows: readonly KeptRow[],
  isDiscarded: boolean,
  ledger: DatabaseSync,
): number {
  const [first] = rows;
  const number = addRun(ledger, {
    name: run,
    service: first?.service ?? null,
    organization: first?.organization ?? null,
    is_entered: Number(rows.length > 0),
    is_discarded: Number(isDiscarded),
  });
  const insert = ledger.prepare(
    'INSERT INTO rows (key, state, id, sent_at, looked_up, fingerprint) VALUES (?, ?, ?, ?, 1, ?)',
  );
  for (const { row, outcome, created, fingerprint } of rows) {
    const state = OUTCOMES[outcome ?? ''] ?? 'unconfirmed';
    insert.run(number * RUN_SPAN + row, state, created, startedAt(run), fingerprint);
  }
  return number;
}

function addRun(ledger: DatabaseSync, run: Readonly<Record<string, SQLInputValue>>): number {
  const names = Object.keys(run);
  const { lastInsertRowid } = ledger
    .prepare(`INSERT INTO runs (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
    .run(...Object.values(run));
  return Number(lastInsertRowid);
}

/** Whether a reset of a sandbox removed the history entry of a run. The journal stays after a reset. */
function isOfGoneSandbox(
  baseUrl: string,
  facts: ReadonlyMap<string, string>,
  ledger: DatabaseSync,
): boolean {
  const id = facts.get('historyId');
  if (id === undefined || !isLoopback(new URL(baseUrl).hostname)) return false;
  const entry = ledger.prepare('SELECT 1 FROM entries WHERE id = ?').get(JSON.parse(id) as string);
  return entry === undefined;
}

function renamed(header: string): Stored {
  const { mends: repairs, ...others } = JSON.parse(header) as Stored;
  return { ...others, repairs };
}

/** Converts the file of a run to version `LAST + 1`, so that earlier versions of proc refuse the file. */
export function markJournal(path: string): void {
  let journal: DatabaseSync | undefined;
  try {
    journal = openDatabase(path);
    const { application_id: id } = journal.prepare('PRAGMA application_id').get()!;
    const version = versionOf(journal);
    if (id !== JOURNAL_ID || version < OLDEST || version > LAST) return;
    journal.exec('BEGIN IMMEDIATE');
    const { value } = journal.prepare("SELECT value FROM run WHERE key = 'header'").get()!;
    const header = JSON.stringify(renamed(value as string));
    journal.prepare("UPDATE run SET value = ? WHERE key = 'header'").run(header);
    journal.exec(`
      DROP INDEX IF EXISTS rows_unknown; DROP INDEX IF EXISTS rows_conflicting;
      ALTER TABLE rows RENAME COLUMN mends TO repairs;
      UPDATE rows SET state = 'sending' WHERE state = 'sent';
      UPDATE rows SET state = 'unconfirmed' WHERE state = 'unknown';
      PRAGMA user_version = ${LAST + 1}; COMMIT`);
  } catch (thrown) {
    if (journal?.isTransaction) journal.exec('ROLLBACK');
    if (!isOfTheFile(thrown)) throw thrown;
  } finally {
    journal?.close();
  }
}

/** Whether the file is damaged. Other errors may be temporary. */
function isOfTheFile(thrown: unknown): boolean {
  if (thrown instanceof ProcError) return thrown.code === 'config_unreadable';
  return thrown instanceof SyntaxError || isDamage((thrown as { errcode?: unknown }).errcode);
}
