import type { Scope } from '../core/scope.ts';
import type { CreatedBefore, Creator, Place, SentBefore, SentOutcome, SentRow } from './port.ts';
import { listOf, rowsOf, type Sql, type SqlRow } from './sql.ts';

/** The runs of an organization that may have sent rows. Parameters: the service, names of the organization. */
const RUNS =
  'n.service = ? AND n.organization IN (SELECT value ->> 0 FROM json_each(?)) AND n.has_begun = 1 AND n.is_forgotten = 0';

/** Its single writes. Parameters as of `RUNS`. */
const ENTRIES =
  'service = ? AND organization IN (SELECT value ->> 0 FROM json_each(?)) AND is_forgotten = 0';

const SENT = `SELECT s.row, s.state, s.id, s.intent, s.key, n.name, n.is_discarded, s.answer_row,
    (SELECT name FROM runs WHERE number = s.answer_run) AS answer_run FROM sent s JOIN runs n ON n.number = s.run`;

const PER_BATCH = 5_000;

/** Earlier writes of one organization to one service: rows of imports, and single commands. */
export class SentRows {
  readonly #sql: Sql;
  readonly scope: Scope;
  /** The parameters of `RUNS` and `ENTRIES`. */
  readonly #ours: readonly [service: string, names: string];

  constructor(sql: Sql, scope: Scope) {
    this.#sql = sql;
    this.scope = scope;
    this.#ours = [scope.service, listOf(scope.names)];
  }

  async isEmpty(): Promise<boolean> {
    const entry = `SELECT 1 FROM entries WHERE ${ENTRIES} LIMIT 1`;
    return !(await this.any()) && (await this.#sql.all(entry, ...this.#ours)).length === 0;
  }

  /** Whether imports may have sent rows. */
  async any(): Promise<boolean> {
    const first = `SELECT 1 FROM runs n WHERE ${RUNS} LIMIT 1`;
    return (await this.#sql.all(first, ...this.#ours)).length > 0;
  }

  /** Earlier writes by the fingerprint of their body. Leaves out writes without effect. */
  async find(fingerprints: readonly string[]): Promise<ReadonlyMap<string, readonly SentBefore[]>> {
    const found = new Map<string, SentBefore[]>();
    const add = (fingerprint: string, one: SentBefore) => {
      const all = found.get(fingerprint);
      if (all === undefined) found.set(fingerprint, [one]);
      else all.push(one);
    };
    const wanted = listOf(new Set(fingerprints));
    // Leaves out rows that a run inherited and a person dropped there. The earlier write that such a
    // row repeats is found instead.
    const rows = await this.#sql.all(
      `${SENT} WHERE s.key IN (SELECT 'body ' || (value ->> 0) FROM json_each(?)) AND ${RUNS}
        AND (s.at IS NOT NULL OR s.state = 'created') ORDER BY s.run, s.row`,
      wanted,
      ...this.#ours,
    );
    for (const stored of rows) add((stored.key as string).slice(5), await this.#sentRow(stored));
    const entries = await this.#sql.all(
      `SELECT id, state, created, fingerprint FROM entries WHERE ${ENTRIES}
        AND fingerprint IN (SELECT value ->> 0 FROM json_each(?)) AND state IN ('pending', 'unknown', 'done', 'adopted')
        ORDER BY seq`,
      ...this.#ours,
      wanted,
    );
    for (const { id, state, created, fingerprint } of entries) {
      add(fingerprint as string, {
        by: 'command',
        entry: id as string,
        isUnconfirmed: state === 'pending' || state === 'unknown',
        created: (created as string | null) ?? undefined,
      });
    }
    return found;
  }

  /** Links each row `from` to the row `to`, which has the outcome of both; undefined: to none. */
  async link(
    rows: readonly { readonly from: Place; readonly to: Place | undefined }[],
  ): Promise<void> {
    if (rows.length === 0) return;
    const links = rows.map(({ from, to }) => [
      from.run,
      from.row,
      to?.run ?? null,
      to?.row ?? null,
    ]);
    await this.#sql.run(
      `UPDATE sent SET answer_run = (SELECT number FROM runs WHERE name = w.value ->> 2),
          answer_row = CAST(w.value ->> 3 AS BIGINT)
        FROM json_each(?) w WHERE run = (SELECT number FROM runs WHERE name = w.value ->> 0)
          AND row = CAST(w.value ->> 1 AS BIGINT)`,
      rowsOf(links),
    );
  }

  /** The rows of `run` that `link` has linked to another row. */
  async answeredElsewhere(run: string): Promise<readonly SentRow[]> {
    const answered = `${SENT} WHERE n.name = ? AND s.answer_run IS NOT NULL ORDER BY s.row`;
    const found: SentRow[] = [];
    for (const stored of await this.#sql.all(answered, run))
      found.push(await this.#sentRow(stored));
    return found;
  }

  /** The rows that a run sent, in order. In batches. */
  async *ofRun(
    run: string,
  ): AsyncGenerator<readonly (SentRow & { readonly key: string | null })[]> {
    for (let last = 0; ; ) {
      const rows = await this.#sql.all(
        `${SENT} WHERE n.name = ? AND s.row > ? AND ${RUNS} ORDER BY s.row LIMIT ${PER_BATCH}`,
        ...[run, last, ...this.#ours],
      );
      if (rows.length === 0) return;
      last = Number(rows.at(-1)!.row);
      const sent: (SentRow & { readonly key: string | null })[] = [];
      for (const stored of rows) {
        sent.push({ ...(await this.#sentRow(stored)), key: stored.key as string | null });
      }
      yield sent;
    }
  }

  /** The first run of a noun that may have sent rows, also a discarded one. */
  async firstRun(noun: string): Promise<string | undefined> {
    const first = `SELECT name FROM runs n WHERE ${RUNS} AND n.noun = ? ORDER BY n.name LIMIT 1`;
    return (await this.#sql.all(first, ...this.#ours, noun))[0]?.name as string | undefined;
  }

  /** What runs of a noun created, except `run` and discarded runs. In batches. */
  async *created(noun: string, run: string): AsyncGenerator<readonly CreatedBefore[]> {
    const runs = `SELECT number FROM runs n WHERE ${RUNS} AND n.noun = ? AND n.name <> ? AND n.is_discarded = 0 ORDER BY n.number`;
    for (const { number } of await this.#sql.all(runs, ...this.#ours, noun, run)) {
      for (let last = 0; ; ) {
        const rows = await this.#sql.all(
          `SELECT row, id, key FROM sent WHERE run = ? AND row > ? AND state = 'created' AND id IS NOT NULL
            ORDER BY row LIMIT ${PER_BATCH}`,
          Number(number),
          last,
        );
        if (rows.length === 0) break;
        last = Number(rows.at(-1)!.row);
        yield rows.map(({ id, key }) => ({ id: id as string, ...namesIn(key) }));
      }
    }
  }

  /** The rows by which runs of a noun created records with these ids. Leaves out discarded runs. */
  async creators(noun: string, ids: readonly string[]): Promise<readonly Creator[]> {
    const found = await this.#sql.all(
      `SELECT s.id, s.row, s.key, n.name, n.finished_at FROM runs n JOIN sent s ON s.run = n.number
        WHERE ${RUNS} AND n.noun = ? AND n.is_discarded = 0
          AND s.state = 'created' AND s.id IN (SELECT value ->> 0 FROM json_each(?)) ORDER BY n.name, s.row`,
      ...this.#ours,
      noun,
      listOf(ids),
    );
    return found.map(({ id, row, key, name, finished_at: finishedAt }) => ({
      id: id as string,
      run: name as string,
      row: Number(row),
      code: namesIn(key).code,
      finishedAt: (finishedAt as number | null) ?? undefined,
    }));
  }

  async #sentRow(stored: SqlRow): Promise<SentRow> {
    const { name, row, state, id, answer_run: run, answer_row: answer } = stored;
    return {
      by: 'run',
      run: name as string,
      row: Number(row),
      outcome: state === 'maybe' ? 'unconfirmed' : (state as SentOutcome),
      created: (id as string | null) ?? undefined,
      intent: Number(stored.intent),
      isDiscarded: stored.is_discarded === 1,
      answer:
        run === null ? undefined : await this.#answer({ run: run as string, row: Number(answer) }),
    };
  }

  async #answer(place: Place): Promise<SentRow['answer']> {
    const [found] = await this.#sql.all(
      `${SENT} WHERE n.name = ? AND s.row = ?`,
      ...[place.run, place.row],
    );
    return { ...place, sent: found === undefined ? undefined : await this.#sentRow(found) };
  }
}

/** What the key of a row tells about its record. */
function namesIn(key: unknown): Pick<CreatedBefore, 'code' | 'name'> {
  const [, by, text = null] = /^(code|name) (.*)/s.exec(String(key)) ?? [];
  return { code: by === 'code' ? text : null, name: by === 'name' ? text : null };
}
