import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../core/errors.ts';
import { reasonOf } from '../core/machine-errors.ts';
import type { Kept, KeptKind } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import { inEach } from '../core/text/phrase.ts';
import { databaseError, openDatabase } from '../store/open-database.ts';

const PER_BATCH = 1_000;

/**
 * A temporary folder with a database, for rows that may not fit in memory. It is removed at the end
 * of the command.
 */
export class ScratchFolder implements Kept {
  readonly path: string;
  readonly database: DatabaseSync;
  readonly #file: string;

  constructor() {
    try {
      this.path = mkdtempSync(join(tmpdir(), 'proc-compare-'));
    } catch (thrown) {
      throw new ProcError(
        'state_unwritable',
        inEach(
          (lang) =>
            `${lang === 'es' ? 'no se puede usar' : 'cannot use'} ${tmpdir()}: ${reasonOf(thrown)[lang]}`,
        ),
        {
          hint: 'Set TMPDIR to another folder',
          cause: thrown,
        },
      );
    }
    this.#file = join(this.path, 'rows.db');
    this.database = openDatabase(this.#file, { wal: false, pageSize: 16_384 });
    // The database is removed at the end of the command, so no commit needs to reach the disk.
    this.database.exec(
      'PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE',
    );
  }

  /**
   * Runs statements in one transaction, which is much faster.
   *
   * @throws ProcError `state_unwritable`, e.g. if the disk is full
   */
  commit<T>(work: () => T): T {
    try {
      this.database.exec('BEGIN');
      const done = work();
      this.database.exec('COMMIT');
      return done;
    } catch (thrown) {
      throw databaseError(this.#file, thrown);
    }
  }

  /** The rows of a query by number, many at a time. @param sql with `number > ?`, and in the order of `number` */
  *batches(sql: string): Generator<readonly Row[]> {
    const statement = this.database.prepare(`${sql} LIMIT ${PER_BATCH}`);
    for (let last = 0; ; ) {
      const batch: readonly Row[] = statement.all(last);
      if (batch.length === 0) return;
      last = batch.at(-1)!.number as number;
      yield batch.map(({ number: _, ...row }) => row);
    }
  }

  close(): void {
    if (this.database.isOpen) this.database.close();
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** For `store.open`, which removes the folder at the end of the command. */
export const SCRATCH: KeptKind<ScratchFolder> = {
  open: () => new ScratchFolder(),
  twin: () => new ScratchFolder(),
};
