import {
  atOf,
  boundsOf,
  GIVEN,
  type Held,
  heldSince,
  OPEN,
  type Place,
  rowOf,
  UNFINISHED,
} from './rows.ts';
import { changeInLots } from './run-queries.ts';
import { listOf, rowsOf, type Sql, type Statements } from './sql.ts';

/** What a person knows of an unconfirmed row. */
export type Decision =
  /** It is this record. Without an id: it is there. */
  | { readonly row: number; readonly kind: 'adopt'; readonly id: string | undefined }
  /** It is not there. */
  | { readonly row: number; readonly kind: 'resend' }
  /** Nobody can tell, and it is to be left alone. */
  | { readonly row: number; readonly kind: 'drop' };

export type Refused =
  /** No such row is unconfirmed. */
  | { readonly row: number; readonly why: 'not unconfirmed' }
  /** @param by what the ledger knows under this id: another row, or a single write */
  | { readonly row: number; readonly why: 'id taken'; readonly id: string; readonly by: string };

/**
 * Records what a person decides about unconfirmed rows of a run, all or nothing. A process that writes the run stops.
 *
 * A row that is sent again is compared with what others have sent since its last request, because a person looks for
 * the row, and may miss another value of its key. A row that is given up counts as sent.
 */
export function recordDecisions(
  ledger: Sql,
  where: Place,
  number: number,
  decisions: readonly Decision[],
): Promise<readonly Refused[]> {
  return ledger.transaction(async (sql) => {
    const refused = await refusedOf(sql, where, number, decisions);
    if (refused.length > 0) return refused;
    await sql.run('UPDATE runs SET generation = generation + 1 WHERE number = ?', number);
    const held = await heldOf(sql, where, number, decisions);
    const last = Number((await sql.all('SELECT last FROM intents'))[0]!.last);
    const changes = decisions.map((one) => [
      atOf(number, one.row),
      ...changeBy(one, held.get(one.row)),
    ]);
    await sql.run(
      `UPDATE rows SET id = w.value ->> 2,
        status = CASE w.value ->> 1 WHEN 'given up' THEN status END,
        reason = CASE w.value ->> 1 WHEN 'given up' THEN reason END,
        state = CASE w.value ->> 1 WHEN 'there' THEN CASE WHEN intent IS NULL THEN 'existing' ELSE 'created' END
          WHEN 'given up' THEN CASE WHEN intent IS NULL THEN 'dropped' ELSE 'abandoned' END ELSE w.value ->> 1 END,
        intent = CASE w.value ->> 1 WHEN 'pending' THEN ? ELSE intent END
        FROM json_each(?) w WHERE at = CAST(w.value ->> 0 AS BIGINT) AND state = 'unconfirmed'`,
      ...[last, rowsOf(changes)],
    );
    const left = await sql.all(
      `SELECT 1 FROM rows WHERE at >= ? AND at < ? AND ${UNFINISHED} LIMIT 1`,
      ...boundsOf(number),
    );
    const isResent = changes.some(([, state]) => state === 'pending');
    // What a list does not show cannot be verified.
    const isOver = left.length === 0 && !where.isListed;
    if (isResent)
      await sql.run(
        "UPDATE runs SET phase = 'sending', finished_at = NULL WHERE number = ?",
        number,
      );
    else if (isOver) await endRun(sql, number);
    await sql.run('UPDATE runs SET counts = NULL WHERE number = ?', number);
    return [];
  });
}

/** Gives the rest of a run up: what is unconfirmed counts as sent. */
export async function dropRest(ledger: Sql, number: number): Promise<void> {
  await ledger.transaction(async (sql) => {
    await sql.run(
      `UPDATE rows SET state = CASE WHEN state = 'pending' OR intent IS NULL THEN 'dropped' ELSE 'abandoned' END
        WHERE at >= ? AND at < ? AND ${UNFINISHED}`,
      ...boundsOf(number),
    );
    await endRun(sql, number);
    await sql.run(
      'UPDATE runs SET counts = NULL, generation = generation + 1 WHERE number = ?',
      number,
    );
  });
}

/** Its time tells a run that is moved to another ledger from one that is not over. */
async function endRun(sql: Statements, number: number): Promise<void> {
  await sql.run(
    `UPDATE runs SET phase = 'ended', finished_at = coalesce(finished_at,
      (SELECT max(sent_at) FROM rows WHERE at >= ? AND at < ?), begun_at) WHERE number = ?`,
    ...[...boundsOf(number), number],
  );
}

/** What others have surely sent of rows that are to be sent again. */
async function heldOf(
  sql: Statements,
  where: Place,
  number: number,
  decisions: readonly Decision[],
): Promise<ReadonlyMap<number, Held>> {
  const resent = decisions.filter(({ kind }) => kind === 'resend');
  const rows = await sql.all(
    `SELECT at, rows.key, digest, intent, code FROM json_each(?) w JOIN rows ON at = CAST(w.value ->> 0 AS BIGINT)
      WHERE intent IS NOT NULL`,
    rowsOf(resent.map(({ row }) => [atOf(number, row)])),
  );
  if (rows.length === 0) return new Map();
  const listed = rows.map(({ at, key, digest, intent, code }) => [at, key, digest, intent, code]);
  const mine = { sql: GIVEN, values: [rowsOf(listed)] };
  const held = await heldSince(sql, where, mine, number, 0);
  return new Map(held.filter(({ state }) => state !== 'unconfirmed').map((one) => [one.row, one]));
}

/** SQL: empties the header of a run that nobody opens again. From then on, it is in no list. */
const TAKE_OUT = `UPDATE runs SET header = 'null', counts = NULL, findings = NULL
  WHERE number = ? AND phase = 'ended' AND NOT EXISTS (SELECT 1 FROM rows WHERE ${OPEN} AND at >= ? AND at < ?)`;

/** SQL: of such runs, those that a prune was killed at. */
const HALF_PRUNED = `SELECT number FROM runs WHERE header = 'null'
  AND EXISTS (SELECT 1 FROM bodies WHERE at >= number << 32 AND at < (number + 1) << 32)`;

/** SQL for the rows of such a run. */
const PRUNED = [
  'DELETE FROM bodies WHERE true',
  "DELETE FROM rows WHERE (intent IS NULL OR state NOT IN ('created', 'existing', 'abandoned'))",
  'UPDATE rows SET reason = NULL WHERE reason IS NOT NULL',
];

/**
 * Removes ended runs from lists, with the bodies, sources and reasons of their rows. What was sent stays remembered.
 * First no list has them any more: a run with some of its rows would be told wrongly. What a prune that was killed has
 * left goes too.
 *
 * @returns how many runs. Those that others have opened meanwhile stay
 */
export async function pruneRuns(
  sql: Sql,
  runs: readonly { readonly number: number }[],
): Promise<number> {
  const removed: number[] = [];
  for (const { number } of runs)
    if ((await sql.run(TAKE_OUT, number, ...boundsOf(number))) > 0) removed.push(number);
  const left = (await sql.all(HALF_PRUNED)).map(({ number }) => Number(number));
  for (const number of new Set([...removed, ...left])) await changeInLots(sql, number, ...PRUNED);
  return removed.length;
}

/** SQL: what a pruning removes, and what it only empties. */
const REMOVED = "at < ? AND state IN ('rejected', 'not-applied')";
const EMPTIED = "at < ? AND request <> '{}' AND state NOT IN ('pending', 'unknown')";

/** How many single writes {@link pruneHistory} would change. @param before ms */
export async function countOldHistory(sql: Sql, before: number): Promise<number> {
  const old = `SELECT count(*) AS count FROM entries WHERE (${REMOVED}) OR (${EMPTIED})`;
  return Number((await sql.all(old, before, before))[0]?.count);
}

/**
 * Removes single writes from the history. Creates, keys of `--once` and writes whose outcome is unknown stay remembered.
 *
 * @param before ms
 */
export function pruneHistory(sql: Sql, before: number): Promise<number> {
  return sql.transaction(async (within) => {
    const removed = await within.run(`DELETE FROM entries WHERE ${REMOVED}`, before);
    const emptied = await within.run(
      `UPDATE entries SET request = '{}', outcome = NULL WHERE ${EMPTIED}`,
      before,
    );
    return removed + emptied;
  });
}

function changeBy(
  one: Decision,
  held: Held | undefined,
): readonly [state: string, id: string | null] {
  if (one.kind === 'adopt') return ['there', one.id ?? null];
  if (one.kind === 'drop') return ['given up', null];
  return held === undefined ? ['pending', null] : [held.state, held.id];
}

async function refusedOf(
  sql: Statements,
  { place, noun }: Place,
  number: number,
  decisions: readonly Decision[],
): Promise<readonly Refused[]> {
  const unconfirmed = await sql.all(
    "SELECT at, intent FROM json_each(?) w JOIN rows ON at = CAST(w.value ->> 0 AS BIGINT) WHERE state = 'unconfirmed'",
    rowsOf(decisions.map(({ row }) => [atOf(number, row)])),
  );
  const open = new Map(unconfirmed.map(({ at, intent }) => [rowOf(Number(at)), intent]));
  const refused: Refused[] = decisions
    .filter(({ row }) => !open.has(row))
    .map(({ row }) => ({ row, why: 'not unconfirmed' }));
  const given = new Map<string, number>();
  for (const one of decisions) {
    if (one.kind !== 'adopt' || one.id === undefined) continue;
    const { row, id } = one;
    // It was held back, so the record is surely that of another row or write.
    if (open.get(row) === null) continue;
    const first = given.get(id);
    if (first === undefined) given.set(id, row);
    else refused.push({ row, why: 'id taken', id, by: `row ${first}` });
  }
  if (given.size === 0) return refused;
  // In another run, the row may have been found to exist under this very id.
  const taken = await sql.all(
    `SELECT rows.id, 'row ' || (at & 4294967295) || CASE WHEN number = ? THEN '' ELSE ' of ' || name END AS by
        FROM rows JOIN runs ON number = at >> 32 JOIN json_each(?) w ON rows.id = w.value ->> 0
        WHERE place = ? AND noun = ? AND (number = ? OR state = 'created')
      UNION ALL SELECT created, 'the write ' || entries.id FROM entries JOIN json_each(?) w ON created = w.value ->> 0
        WHERE place = ? AND noun = ? AND state = 'done'`,
    ...[number, listOf([...given.keys()]), place, noun, number],
    ...[listOf([...given.keys()]), place, noun],
  );
  return [
    ...refused,
    ...taken.map(({ id, by }): Refused => {
      return { row: given.get(id as string)!, why: 'id taken', id: id as string, by: by as string };
    }),
  ];
}
