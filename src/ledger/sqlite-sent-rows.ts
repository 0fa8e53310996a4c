import type { DatabaseSync } from 'node:sqlite';
import type { Scope } from '../core/scope.ts';
import type {
  CreatedBefore,
  Creator,
  Place,
  RunOf,
  SentBefore,
  SentOutcome,
  SentRow,
  SentRows,
} from './port.ts';

/** The runs of a service that may have sent rows. */
const COUNTS = 'n.service = ? AND n.has_begun AND NOT n.is_forgotten';

const SENT = `SELECT s.row, s.state, s.id, s.intent, n.name, n.organization, n.is_discarded, n.key_mark,
    s.answer_run, s.answer_row FROM sent s JOIN runs n ON n.number = s.run`;

const PER_BATCH = 5_000;

type Stored = Readonly<Record<string, unknown>>;

export class SqliteSentRows implements SentRows {
  readonly #database: DatabaseSync;
  readonly scope: Scope;

  constructor(database: DatabaseSync, scope: Scope) {
    this.#database = database;
    this.scope = scope;
  }

  async isEmpty(): Promise<boolean> {
    const { service } = this.scope;
    const { sent } = this.#database
      .prepare(
        `SELECT EXISTS (SELECT 1 FROM runs n WHERE ${COUNTS})
          OR EXISTS (SELECT 1 FROM entries WHERE service = ?) AS sent`,
      )
      .get(service, service)!;
    return sent === 0;
  }

  async any(): Promise<boolean> {
    const found = `SELECT 1 FROM runs n WHERE ${COUNTS} LIMIT 1`;
    return this.#database.prepare(found).get(this.scope.service) !== undefined;
  }

  async find(fingerprints: readonly string[]): Promise<ReadonlyMap<string, readonly SentBefore[]>> {
    // Leaves out rows that a run inherited and a person dropped there. The earlier write that such a
    // row repeats is found instead.
    const rows = this.#database.prepare(
      `${SENT} WHERE s.key = ? AND ${COUNTS} AND (s.at IS NOT NULL OR s.state = 'created')
        ORDER BY s.run, s.row`,
    );
    const entries = this.#database.prepare(
      "SELECT id, state, created, organization FROM entries WHERE service = ? AND fingerprint = ? AND state IN ('pending', 'unknown', 'done', 'adopted')",
    );
    const { service } = this.scope;
    const found = new Map<string, SentBefore[]>();
    for (const fingerprint of new Set(fingerprints)) {
      const all: SentBefore[] = rows
        .all(`body ${fingerprint}`, service)
        .map((stored) => this.#sentRow(stored));
      for (const { id, state, created, organization } of entries.all(service, fingerprint)) {
        all.push({
          by: 'command',
          entry: id as string,
          isUnconfirmed: state === 'pending' || state === 'unknown',
          ownership: this.scope.ownershipIn(organization as string | null),
          created: (created as string | null) ?? undefined,
        });
      }
      const ours = all.filter(({ ownership }) => ownership !== 'foreign');
      if (ours.length > 0) found.set(fingerprint, ours);
    }
    return found;
  }

  async link(
    rows: readonly { readonly from: Place; readonly to: Place | undefined }[],
  ): Promise<void> {
    if (rows.length === 0) return;
    const link = this.#database.prepare(
      `UPDATE sent SET answer_run = (SELECT number FROM runs WHERE name = ?), answer_row = ?
        WHERE run = (SELECT number FROM runs WHERE name = ?) AND row = ?`,
    );
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { from, to } of rows)
        link.run(to?.run ?? null, to?.row ?? null, from.run, from.row);
      this.#database.exec('COMMIT');
    } catch (thrown) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw thrown;
    }
  }

  async answeredElsewhere(run: string): Promise<readonly SentRow[]> {
    return this.#database
      .prepare(`${SENT} WHERE n.name = ? AND s.answer_run IS NOT NULL ORDER BY s.row`)
      .all(run)
      .map((stored) => this.#sentRow(stored));
  }

  async runs(noun: string): Promise<readonly RunOf[]> {
    return this.#database
      .prepare(
        `SELECT number, name, organization, key_mark, finished_at FROM runs n
          WHERE ${COUNTS} AND n.noun = ? AND NOT n.is_discarded ORDER BY n.name`,
      )
      .all(this.scope.service, noun)
      .map((stored) => ({
        number: Number(stored.number),
        name: stored.name as string,
        ownership: this.#ownership(stored),
        finishedAt: (stored.finished_at as number | null) ?? undefined,
      }))
      .filter(({ ownership }) => ownership !== 'foreign');
  }

  async everyRun(noun: string): Promise<readonly string[]> {
    return this.#database
      .prepare(
        `SELECT name, organization, key_mark FROM runs n WHERE ${COUNTS} AND n.noun = ? ORDER BY n.name`,
      )
      .all(this.scope.service, noun)
      .filter((stored) => this.#ownership(stored) !== 'foreign')
      .map(({ name }) => name as string);
  }

  async *createdBy({ number }: RunOf): AsyncGenerator<readonly CreatedBefore[]> {
    const created = this.#database.prepare(
      `SELECT row, id, key FROM sent WHERE run = ? AND row > ? AND state = 'created' AND id IS NOT NULL
        ORDER BY row LIMIT ${PER_BATCH}`,
    );
    for (let last = 0; ; ) {
      const rows = created.all(number, last);
      if (rows.length === 0) return;
      last = Number(rows.at(-1)!.row);
      yield rows.map(({ id, key }) => ({ id: id as string, ...namesIn(key) }));
    }
  }

  async creators(ids: readonly string[], { number }: RunOf): Promise<ReadonlyMap<string, Creator>> {
    const rows = this.#database
      .prepare(
        "SELECT id, row, key FROM sent WHERE run = ? AND state = 'created' AND id IN (SELECT value FROM json_each(?))",
      )
      .all(number, JSON.stringify(ids));
    return new Map(
      rows.map(({ id, row, key }) => [id as string, { row: Number(row), code: namesIn(key).code }]),
    );
  }

  #sentRow(stored: Stored): SentRow {
    const { name, row, state, id, answer_run: run, answer_row: answer } = stored;
    return {
      by: 'run',
      run: name as string,
      row: Number(row),
      outcome: state === 'maybe' ? 'unconfirmed' : (state as SentOutcome),
      created: (id as string | null) ?? undefined,
      ownership: this.#ownership(stored),
      intent: Number(stored.intent),
      isDiscarded: stored.is_discarded === 1,
      answer: run === null ? undefined : this.#answer(Number(run), Number(answer)),
    };
  }

  #answer(number: number, row: number): SentRow['answer'] {
    const run = this.#database.prepare('SELECT name FROM runs WHERE number = ?').get(number);
    if (run === undefined) return undefined;
    const found = this.#database.prepare(`${SENT} WHERE s.run = ? AND s.row = ?`).get(number, row);
    const sent = found === undefined ? undefined : this.#sentRow(found);
    return { run: run.name as string, row, sent };
  }

  #ownership({ name, organization, key_mark: mark }: Stored): RunOf['ownership'] {
    const ownership = this.scope.ownershipIn(organization as string | null);
    if (ownership !== 'unrecorded' || mark === null) return ownership;
    return this.scope.sentWithThisKey(name as string, mark as string) ? 'ours' : ownership;
  }
}

/** What the key of a row tells about its record. */
function namesIn(key: unknown): Pick<CreatedBefore, 'code' | 'name'> {
  const [, by, text = null] = /^(code|name) (.*)$/s.exec(String(key)) ?? [];
  return { code: by === 'code' ? text : null, name: by === 'name' ? text : null };
}
