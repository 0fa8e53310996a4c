import type { DatabaseSync } from 'node:sqlite';

/** Where the same write was sent before. */
export type SentBefore =
  | { readonly by: 'run'; readonly run: string; readonly row: number }
  | {
      readonly by: 'command';
      readonly entry: string;
      readonly inDoubt: boolean;
      readonly created: string | undefined;
    };

/**
 * What imports sent to one service, by fingerprint: kept apart from their journals, which can be
 * discarded. Rows are noted before the first request of their run leaves, so a row that is noted was
 * sent or may have been, unless the journal tells otherwise.
 */
export class SentRows {
  readonly #database: DatabaseSync;
  readonly #service: string;
  readonly #commit: (work: () => void) => void;

  constructor(database: DatabaseSync, service: string, commit: (work: () => void) => void) {
    this.#database = database;
    this.#service = service;
    this.#commit = commit;
  }

  /** Nothing was ever sent to this service from here. */
  isEmpty(): boolean {
    const { sent } = this.#database
      .prepare(
        'SELECT EXISTS (SELECT 1 FROM sent_rows WHERE service = ?1) OR EXISTS (SELECT 1 FROM entries WHERE service = ?1) AS sent',
      )
      .get(this.#service) as { sent: number };
    return sent === 0;
  }

  /** Notes the rows of a run, all of them or none. */
  note(run: string, rows: Iterable<{ readonly row: number; readonly fingerprint: string }>): void {
    this.#commit(() => {
      const insert = this.#database.prepare('INSERT OR REPLACE INTO sent_rows VALUES (?, ?, ?, ?)');
      for (const { row, fingerprint } of rows) insert.run(run, row, this.#service, fingerprint);
    });
  }

  /** Takes back the rows of a run that were surely not sent; all of them where none is named. */
  takeBack(run: string, rows?: Iterable<number>): void {
    this.#commit(() => {
      if (rows === undefined) {
        this.#database.prepare('DELETE FROM sent_rows WHERE run = ?').run(run);
        return;
      }
      const remove = this.#database.prepare('DELETE FROM sent_rows WHERE run = ? AND row = ?');
      for (const row of rows) remove.run(run, row);
    });
  }

  /** Finds every earlier write with a fingerprint. */
  finder(): (fingerprint: string) => SentBefore[] {
    const rows = this.#database.prepare(
      'SELECT run, row FROM sent_rows WHERE service = ? AND fingerprint = ?',
    );
    const entries = this.#database.prepare(
      "SELECT id, state, created FROM entries WHERE service = ? AND fingerprint = ? AND state IN ('pending', 'unknown', 'done', 'adopted')",
    );
    return (fingerprint) => [
      ...rows
        .all(this.#service, fingerprint)
        .map(({ run, row }): SentBefore => ({ by: 'run', run: run as string, row: Number(row) })),
      ...entries.all(this.#service, fingerprint).map(
        ({ id, state, created }): SentBefore => ({
          by: 'command',
          entry: id as string,
          inDoubt: state === 'pending' || state === 'unknown',
          created: (created as string | null) ?? undefined,
        }),
      ),
    ];
  }
}
