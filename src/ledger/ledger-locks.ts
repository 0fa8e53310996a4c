import { ProcError } from '../core/errors.ts';
import type { Place } from './rows.ts';
import type { Sql, Statements } from './sql.ts';

/** How long a lock holds without being renewed. */
const HELD_MS = 30_000;

/** The clocks of two machines may differ, so only that of the database counts. */
const NOW = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)';

/** Another one after a failover, after a restore to an earlier time, and in a copy. */
export const TIMELINE =
  "(SELECT system_identifier FROM pg_control_system()) || '-' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";

/** What one process at a time may import. */
type LockedPlace = Pick<Place, 'place' | 'noun'>;

/** The process that has a lock. */
export interface LockHolder {
  /** What it said of itself. */
  readonly note: unknown;
  readonly expiresInMs: number;
}

/** The locks of imports in a shared ledger. Each is a row that its holder renews. */
export class LedgerLocks {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Whoever takes over a lock that was not released opens all runs that were being written there. So the process that had
   * the lock, and may only have been suspended, writes no intent any more.
   *
   * @param holder a text that no other process has
   * @param isDead whether the process that wrote a note cannot run any more
   * @returns who has the lock, if this process did not get it
   * @throws ProcError `ledger_changed` if the database may have lost commits, `ledger_refused` if it may lose them
   */
  acquire(
    place: LockedPlace,
    holder: string,
    note: unknown,
    isDead: (note: unknown) => boolean,
  ): Promise<LockHolder | undefined> {
    return this.#sql.transaction(async (sql) => {
      await this.check(sql);
      const found = await this.holder(place, sql);
      if (found !== undefined && found.expiresInMs > 0 && !isDead(found.note)) return found;
      await sql.run(
        `INSERT INTO locks (place, holder, note, expires) VALUES (?, ?, ?, ${NOW} + ${HELD_MS})
          ON CONFLICT (place) DO UPDATE SET holder = excluded.holder, note = excluded.note,
            expires = excluded.expires`,
        ...[nameOf(place), holder, JSON.stringify(note)],
      );
      if (found !== undefined) await openAll(sql, place);
      return undefined;
    });
  }

  /** @returns undefined if nobody has the lock */
  async holder(place: LockedPlace, sql: Statements = this.#sql): Promise<LockHolder | undefined> {
    const [found] = await sql.all(
      `SELECT note, expires - ${NOW} AS rest FROM locks WHERE place = ? AND holder IS NOT NULL`,
      nameOf(place),
    );
    if (found === undefined) return undefined;
    return { note: JSON.parse(found.note as string), expiresInMs: Number(found.rest) };
  }

  /** Whether this process still has the lock, in a transaction of the caller. */
  async isHeld(sql: Statements, place: LockedPlace, holder: string): Promise<boolean> {
    const found = await sql.all(
      'SELECT 1 FROM locks WHERE place = ? AND holder = ?',
      ...[nameOf(place), holder],
    );
    return found.length > 0;
  }

  /** @param note what the holder says of itself now */
  async renew(place: LockedPlace, holder: string, note: unknown): Promise<void> {
    await this.#sql.run(
      `UPDATE locks SET note = ?, expires = ${NOW} + ${HELD_MS} WHERE place = ? AND holder = ?`,
      ...[JSON.stringify(note), nameOf(place), holder],
    );
  }

  async release(place: LockedPlace, holder: string): Promise<void> {
    await this.#sql.run(
      'UPDATE locks SET holder = NULL WHERE place = ? AND holder = ?',
      ...[nameOf(place), holder],
    );
  }

  /** @throws ProcError as {@link acquire} */
  async check(sql: Statements = this.#sql): Promise<void> {
    const problem = problemOf(await this.durability(sql));
    if (problem !== undefined) throw problem;
  }

  async durability(sql: Statements = this.#sql): Promise<Durability> {
    const [found] = await sql.all(
      `SELECT current_setting('synchronous_commit') AS commits, current_setting('fsync') AS fsync,
        ${TIMELINE} AS timeline, (SELECT timeline FROM proc_ledger) AS known`,
    );
    const { commits, fsync, timeline, known } = found!;
    return {
      unsafe: [
        ...(commits === 'off' ? ['synchronous_commit=off'] : []),
        ...(fsync === 'off' ? ['fsync=off'] : []),
      ],
      timeline: timeline as string,
      known: known as string,
    };
  }
}

export interface Durability {
  /** Settings of the database with which it may lose commits. */
  readonly unsafe: readonly string[];
  readonly timeline: string;
  /** The timeline that the ledger was last used with. */
  readonly known: string;
}

/** Why no import may use the ledger. */
export function problemOf({ unsafe, timeline, known }: Durability): ProcError | undefined {
  if (unsafe.length > 0) {
    return new ProcError(
      'ledger_refused',
      `the ledger runs with ${unsafe.join(' and ')}: after a crash it could have lost which rows were sent`,
      { hint: 'Change the setting in PostgreSQL. Nothing was sent' },
    );
  }
  if (timeline === known) return undefined;
  return new ProcError(
    'ledger_changed',
    `the ledger was on the timeline ${known}, and is on ${timeline} now: a failover or a restore may have lost the last commits`,
    {
      hint: 'Check at the service what was sent last. Then: proc doctor --accept-ledger',
      details: { known, timeline },
    },
  );
}

async function openAll(sql: Statements, { place, noun }: LockedPlace): Promise<void> {
  await sql.run(
    "UPDATE runs SET generation = generation + 1, counts = NULL WHERE place = ? AND noun = ? AND phase <> 'ended'",
    ...[place, noun],
  );
}

function nameOf({ place, noun }: LockedPlace): string {
  return JSON.stringify([place, noun]);
}
