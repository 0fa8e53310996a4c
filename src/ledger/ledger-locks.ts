import { ProcError } from '../core/errors.ts';
import type { Place } from './sent-since.ts';
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

export interface Acquired {
  /** Nobody has released the lock since its last import: requests of that import may still be under way. */
  readonly wasLost: boolean;
}

export interface Taken {
  /** Of the process that has the lock. */
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
   * @throws ProcError `ledger_unsafe` if the database may have lost commits, or may lose them
   */
  acquire(place: LockedPlace, holder: string, note: unknown): Promise<Acquired | Taken> {
    return this.#sql.transaction(async (sql) => {
      await checkDurable(sql);
      const name = nameOf(place);
      const [found] = await sql.all(
        `SELECT holder, note, expires - ${NOW} AS rest FROM locks WHERE place = ?`,
        name,
      );
      const rest = Number(found?.rest ?? 0);
      const isHeld = found !== undefined && found.holder !== null;
      if (isHeld && rest > 0) return { note: JSON.parse(found.note as string), expiresInMs: rest };
      await sql.run(
        `INSERT INTO locks (place, holder, note, generation, expires) VALUES (?, ?, ?, 1, ${NOW} + ${HELD_MS})
          ON CONFLICT (place) DO UPDATE SET holder = excluded.holder, note = excluded.note,
            generation = locks.generation + 1, expires = excluded.expires`,
        ...[name, holder, JSON.stringify(note)],
      );
      if (isHeld) await openAll(sql, place);
      return { wasLost: isHeld };
    });
  }

  /** @returns false if another process has taken over the lock */
  async renew(place: LockedPlace, holder: string): Promise<boolean> {
    const renewed = await this.#sql.run(
      `UPDATE locks SET expires = ${NOW} + ${HELD_MS} WHERE place = ? AND holder = ?`,
      ...[nameOf(place), holder],
    );
    return renewed > 0;
  }

  /** @returns false if another process has taken over the lock */
  async tell(place: LockedPlace, holder: string, note: unknown): Promise<boolean> {
    const told = await this.#sql.run(
      'UPDATE locks SET note = ? WHERE place = ? AND holder = ?',
      ...[JSON.stringify(note), nameOf(place), holder],
    );
    return told > 0;
  }

  async release(place: LockedPlace, holder: string): Promise<void> {
    await this.#sql.run(
      'UPDATE locks SET holder = NULL WHERE place = ? AND holder = ?',
      ...[nameOf(place), holder],
    );
  }

  /** Lets others have a lock that was lost before, and that is still lost for them. */
  async pass(place: LockedPlace, holder: string): Promise<void> {
    await this.#sql.run(
      `UPDATE locks SET holder = 'lost', expires = ${NOW} WHERE place = ? AND holder = ?`,
      ...[nameOf(place), holder],
    );
  }

  /** The notes of all processes that have a lock. */
  async notes(): Promise<readonly unknown[]> {
    const rows = await this.#sql.all(
      `SELECT note FROM locks WHERE holder IS NOT NULL AND expires > ${NOW}`,
    );
    return rows.map(({ note }) => JSON.parse(note as string));
  }

  async durability(): Promise<Durability> {
    return durabilityOf(this.#sql);
  }

  /** A person has checked what the database may have lost. */
  async accept(timeline: string): Promise<void> {
    await this.#sql.run('UPDATE proc_ledger SET timeline = ?', timeline);
  }
}

export interface Durability {
  /** Settings of the database with which it may lose commits. */
  readonly unsafe: readonly string[];
  readonly timeline: string;
  /** The timeline that the ledger was last used with. */
  readonly known: string;
}

async function durabilityOf(sql: Statements): Promise<Durability> {
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

async function checkDurable(sql: Statements): Promise<void> {
  const problem = problemOf(await durabilityOf(sql));
  if (problem !== undefined) throw problem;
}

/** Why no import may use the ledger. */
export function problemOf({ unsafe, timeline, known }: Durability): ProcError | undefined {
  if (unsafe.length > 0) {
    return new ProcError(
      'ledger_unsafe',
      `the ledger runs with ${unsafe.join(' and ')}: after a crash it could have lost which rows were sent`,
      { hint: 'Change the setting in PostgreSQL. Nothing was sent' },
    );
  }
  if (timeline === known) return undefined;
  return new ProcError(
    'ledger_unsafe',
    `the ledger was on the timeline ${known}, and is on ${timeline} now: a failover or a restore may have lost the last commits`,
    {
      hint: 'Check at the service what was sent last',
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
