import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { FindingKind, RowFinding } from '../../../messages/findings.ts';

/** A row with its record, as it was staged. */
interface StagedRecord {
  readonly row: number;
  /** JSON text. */
  readonly fields: string | null;
  /** JSON text. */
  readonly body: string | null;
}

const PER_BATCH = 2_000;

/** The findings of rows as a JSON array; null if there are none. Part of queries whose rows are `r`. */
export const FINDINGS_OF_ROW =
  '(SELECT json_group_array(json(finding)) FROM findings f WHERE f.row = r.row HAVING count(*) > 0)';

/** What looks wrong in single rows. Must be written in a transaction. */
export class RowFindings {
  readonly #database: DatabaseSync;
  #insert: StatementSync | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  add(row: number, findings: readonly RowFinding[]): void {
    this.#insert ??= this.#database.prepare('INSERT OR IGNORE INTO findings VALUES (?, ?, ?)');
    for (const { kind, field, sample } of findings) {
      this.#insert.run(row, kind, JSON.stringify({ kind, field, sample }));
    }
  }

  /** @param text JSON of a list of findings, as {@link FINDINGS_OF_ROW} returns it */
  addText(row: number, text: string): void {
    this.add(row, JSON.parse(text) as RowFinding[]);
  }

  /** If planning was interrupted before, its findings are already there. */
  remove(kinds: readonly FindingKind[]): void {
    const statement = this.#database.prepare('DELETE FROM findings WHERE kind = ?');
    for (const kind of kinds) statement.run(kind);
  }

  /** In batches, so that no query is open while the caller writes. */
  *records(): Generator<readonly StagedRecord[]> {
    const statement = this.#database.prepare(
      `SELECT row, fields, body FROM records WHERE row > ? ORDER BY row LIMIT ${PER_BATCH}`,
    );
    for (let last = 0; ; ) {
      const rows = statement.all(last) as unknown as StagedRecord[];
      if (rows.length === 0) return;
      last = rows.at(-1)!.row;
      yield rows;
    }
  }
}
