import { ProcError } from '../core/errors.ts';
import { atOf, boundsOf, PER_TRANSACTION, rowOf } from './rows.ts';
import { insertInto, rowsOf, type Sql, type SqlRow, type Statements } from './sql.ts';

/** What is moved: all runs and single writes of a place. In the shared ledger, its organization may have another name. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly organization: string | undefined;
}

export interface Moved {
  readonly runs: number;
  readonly writes: number;
}

/**
 * Moves what the ledger of this machine has of a place into a shared one. Nobody else imports there meanwhile: the caller
 * has the locks of both.
 *
 * First no process here may resume the runs any more (`sharing`), then they are there, and only then they are over here
 * (`shared`). So after a kill at any point, the next call goes on. There, all that was sent counts as sent now: whoever
 * has compared rows before compares them again.
 */
export async function moveLedger(own: Sql, shared: Sql, move: Move): Promise<Moved> {
  await own.run(
    `UPDATE runs SET phase = 'sharing', generation = generation + 1
      WHERE place = ? AND phase IN ('sending', 'ended')`,
    move.from,
  );
  const runs = await own.all(
    "SELECT * FROM runs WHERE place = ? AND phase = 'sharing' ORDER BY number",
    move.from,
  );
  const begun = new Map<number, Begun>();
  for (const run of runs) begun.set(Number(run.number), await begin(shared, run, move));
  const intent = await nextIntent(shared);
  for (const run of runs) {
    const number = Number(run.number);
    const { to, generation, isFilling } = begun.get(number)!;
    if (!isFilling) continue;
    await fill(own, shared, number, to, intent);
    const filled = await shared.run(
      `UPDATE runs SET phase = ?, last_intent = ? WHERE number = ? AND generation = ? AND phase = 'filling'`,
      ...[run.finished_at === null ? 'sending' : 'ended', Number(run.last_intent) && intent],
      ...[to, generation],
    );
    if (filled === 0)
      throw new ProcError('busy', 'another process has taken over the lock of the shared ledger', {
        hint: 'Run the same command again: it goes on',
      });
  }
  await moveMoves(own, shared, begun);
  const writes = await moveEntries(own, shared, move);
  await own.run(
    "UPDATE runs SET phase = 'shared' WHERE place = ? AND phase = 'sharing'",
    move.from,
  );
  return { runs: runs.length, writes };
}

/** A run there, perhaps from a move that was killed. Whoever opens the place removes it while it is not filled. */
interface Begun {
  /** Its number. */
  readonly to: number;
  readonly generation: number;
  readonly isFilling: boolean;
}

async function begin(shared: Sql, run: SqlRow, { to, organization }: Move): Promise<Begun> {
  return shared.transaction(async (sql) => {
    const [found] = await sql.all(
      'SELECT number, generation, phase FROM runs WHERE name = ? AND place = ? AND begun_at = ?',
      ...[run.name!, to, run.begun_at!],
    );
    if (found !== undefined) {
      const { number, generation, phase } = found;
      const isFilling = phase === 'filling';
      return { to: Number(number), generation: Number(generation), isFilling };
    }
    const header = JSON.parse(run.header as string) as object | null;
    const added = {
      ...{ name: run.name!, noun: run.noun!, place: to, phase: 'filling', generation: 1 },
      header: JSON.stringify(header && { ...header, organization, againUpTo: undefined }),
      ...{ findings: run.findings!, counts: run.counts!, planned: 0, begun_at: run.begun_at! },
      finished_at: run.finished_at!,
    };
    const insert = `${insertInto('runs', added)} RETURNING number`;
    const [row] = await sql.all(insert, ...Object.values(added));
    return { to: Number(row!.number), generation: 1, isFilling: true };
  });
}

async function nextIntent(shared: Statements): Promise<number> {
  const [next] = await shared.all('UPDATE intents SET last = last + 1 RETURNING last');
  return Number(next!.last);
}

async function fill(
  own: Sql,
  shared: Sql,
  number: number,
  to: number,
  intent: number,
): Promise<void> {
  const moved = (at: unknown) => atOf(to, rowOf(Number(at)));
  // What a move that was killed has left.
  for (const table of ['rows', 'bodies', 'lots'])
    await shared.run(`DELETE FROM ${table} WHERE at >= ? AND at < ?`, ...boundsOf(to));
  const [, end] = boundsOf(number);
  for (let [after] = boundsOf(number); ; ) {
    const rows = await own.all(
      'SELECT * FROM rows WHERE at > ? AND at < ? ORDER BY at LIMIT ?',
      ...[after, end, PER_TRANSACTION],
    );
    if (rows.length === 0) break;
    const last = Number(rows.at(-1)!.at);
    const bodies = await own.all(
      'SELECT at, body, source FROM bodies WHERE at > ? AND at <= ?',
      ...[after, last],
    );
    after = last;
    await shared.transaction(async (sql) => {
      await insertAll(
        sql,
        'rows',
        rows.map((row) => ({ ...movedRow(row, intent), at: moved(row.at) })),
      );
      await insertAll(
        sql,
        'bodies',
        bodies.map((body) => ({ ...body, at: moved(body.at) })),
      );
    });
  }
  const lots = await own.all('SELECT * FROM lots WHERE at >= ? AND at < ?', ...boundsOf(number));
  await insertAll(
    shared,
    'lots',
    lots.map((lot) => ({ ...lot, at: moved(lot.at), last: moved(lot.last) })),
  );
}

/** A row that is pending is compared with all that others have sent. */
function movedRow(row: SqlRow, intent: number): SqlRow {
  const isHeld = row.state === 'unconfirmed' && row.intent === null;
  const state = isHeld ? 'pending' : row.state === 'sending' ? 'unconfirmed' : row.state!;
  const wasSent = row.intent !== null && state !== 'pending';
  return { ...row, state, intent: wasSent ? intent : null };
}

/** Which runs have taken over rows of which. */
async function moveMoves(own: Sql, shared: Sql, begun: ReadonlyMap<number, Begun>): Promise<void> {
  for (const { old, new: by } of await own.all('SELECT old, new FROM moves')) {
    const [from, to] = [begun.get(Number(old))?.to, begun.get(Number(by))?.to];
    if (from === undefined || to === undefined) continue;
    await shared.run('DELETE FROM moves WHERE old = ? AND new = ?', ...[from, to]);
    await shared.run('INSERT INTO moves VALUES (?, ?)', ...[from, to]);
  }
}

async function moveEntries(own: Sql, shared: Sql, { from, to }: Move): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const entries = await own.all(
      'SELECT * FROM entries WHERE place = ? AND seq > ? ORDER BY seq LIMIT ?',
      ...[from, after, PER_TRANSACTION],
    );
    if (entries.length === 0) return count;
    after = Number(entries.at(-1)!.seq);
    // With an intent of its own transaction: nobody can have compared rows with it and not have seen the entries.
    count += await shared.transaction(async (sql) => {
      const intent = await nextIntent(sql);
      const moved = entries.map(({ seq: _, ...entry }) => ({ ...entry, place: to, intent }));
      return insertAll(sql, 'entries', moved, ' ON CONFLICT (id) DO NOTHING');
    });
  }
}

/** @returns how many rows were inserted */
async function insertAll(
  sql: Statements,
  table: string,
  rows: readonly SqlRow[],
  conflict = '',
): Promise<number> {
  const [first] = rows;
  if (first === undefined) return 0;
  const columns = Object.keys(first);
  const numbers = new Set([
    'at',
    'last',
    'intent',
    'sent_at',
    'tries',
    'status',
    'line',
    'resolved_at',
  ]);
  const values = columns.map((column, nth) =>
    numbers.has(column) ? `CAST(w.value ->> ${nth} AS BIGINT)` : `w.value ->> ${nth}`,
  );
  return sql.run(
    `INSERT INTO ${table} (${columns.map((column) => `"${column}"`).join(', ')})
      SELECT ${values.join(', ')} FROM json_each(?) w WHERE true${conflict}`,
    rowsOf(rows.map((row) => columns.map((column) => row[column]!))),
  );
}
