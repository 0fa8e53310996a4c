import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type pg from 'pg';
import type { PostgresPlace } from '../config/addresses.ts';
import { messageOf, ProcError } from '../core/errors.ts';
import { problemOf, TIMELINE } from './ledger-locks.ts';
import { POSTGRES_SCHEMA, POSTGRES_VERSION } from './run-tables.ts';
import {
  type Counting,
  type Sql,
  type SqlRow,
  type SqlValue,
  type Statements,
  watched,
} from './sql.ts';

const OLDEST = 150_000;

const INT8 = 20;

/** Any number: the lock of those who create the tables. */
const CREATION = 7_062_045;

/**
 * A transaction of a process that was suspended ends after 10 s, because it keeps all others waiting. The lock of the
 * only row of `intents` makes it the only one. Both hold for the transaction alone, so a pooler may give each
 * transaction another connection, also to a server that has taken over.
 */
const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '10s'; SET LOCAL lock_timeout = '15s';
  SELECT ${TIMELINE} AS timeline FROM intents FOR UPDATE`;

interface PostgresOptions {
  /** For connecting, and for each statement. */
  readonly timeoutMs: number;
  /** For a dry run, which creates no tables: an empty database is read as this empty ledger. */
  readonly empty?: (() => Sql) | undefined;
  readonly memory?: Counting | undefined;
}

/** The shared ledger. Loads the library and connects with the first statement. */
export class Postgres implements Sql {
  readonly #place: PostgresPlace;
  #pool: Promise<pg.Pool> | undefined;
  /** As this process found it: what it has read since may be lost on another one. */
  #timeline: string | undefined;
  /** A dry run has found no tables. */
  #empty: Sql | undefined;

  readonly #options: PostgresOptions;

  constructor(place: PostgresPlace, options: PostgresOptions) {
    this.#place = place;
    this.#options = options;
  }

  async all(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#using(async (client) =>
      this.#empty === undefined
        ? (await query(client, sql, values)).rows
        : this.#empty.all(sql, ...values),
    );
  }

  run(sql: string, ...values: readonly SqlValue[]): Promise<number> {
    return this.#using(async (client) => (await query(client, sql, values)).rowCount ?? 0);
  }

  /**
   * If the answer to COMMIT is lost, the transaction may be committed. So this throws, as for any other lost
   * connection, and whoever reads the ledger next sees what has happened.
   */
  transaction<T>(work: (sql: Statements) => Promise<T>): Promise<T> {
    const { memory } = this.#options;
    return this.#using(async (client) => {
      const begun = this.#begin(client);
      const [own, all] = watched({
        all: async (sql, ...values) => (await query(client, sql, values)).rows,
        run: async (sql, ...values) => (await query(client, sql, values)).rowCount ?? 0,
      });
      // Its first statements leave with BEGIN, and fail if that fails.
      const done = work(own);
      done.catch(() => undefined);
      await begun;
      const result = await done;
      const counting = (await memory?.counting(own)) || 'SELECT 1 WHERE false';
      // If a statement fails, this rolls back.
      const [[counted]] = await Promise.all([queries(client, `${counting}; COMMIT`), ...all]);
      memory?.remember(counted!.rows[0]);
      return result;
    });
  }

  async #begin(client: pg.PoolClient): Promise<void> {
    const results = await queries(client, BEGIN);
    const { timeline } = results.at(-1)!.rows[0] as { timeline: string };
    this.#timeline ??= timeline;
    const problem = problemOf({ unsafe: [], known: this.#timeline, timeline });
    if (problem !== undefined) throw problem;
  }

  /** Ends with the process: other parts of the command use the same connections. */
  close(): void {}

  async #using<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    this.#pool ??= this.#open();
    let pool: pg.Pool;
    try {
      pool = await this.#pool;
    } catch (thrown) {
      this.#pool = undefined;
      throw this.#errorOf(thrown);
    }
    return this.#connected(pool, work);
  }

  async #connected<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    let client: pg.PoolClient | undefined;
    try {
      client = await pool.connect();
      const result = await work(client);
      client.release();
      return result;
    } catch (thrown) {
      // Closing the connection rolls back.
      client?.release(true);
      throw this.#errorOf(thrown);
    }
  }

  /** Checks the server, and creates the tables if there are none. */
  async #open(): Promise<pg.Pool> {
    const pool = poolOf(this.#place, this.#options.timeoutMs, (await import('pg')).default);
    await this.#connected(pool, async (client) => {
      const { rows } = await client.query(
        "SELECT current_setting('server_version_num')::int AS server, to_regclass('proc_ledger') AS tables",
      );
      const { server, tables } = rows[0] as { server: number; tables: string | null };
      if (server < OLDEST) {
        throw new ProcError(
          'ledger_refused',
          `${this.#place.name} is PostgreSQL ${Math.floor(server / 10_000)}; the ledger needs 15 or newer`,
          { hint: 'Upgrade PostgreSQL, or set PROC_LEDGER to another database' },
        );
      }
      if (tables === null && this.#options.empty !== undefined) {
        this.#empty = this.#options.empty();
        return;
      }
      if (tables === null) await createTables(client);
      const found = await client.query('SELECT version FROM proc_ledger');
      const version = Number((found.rows[0] as { version: number } | undefined)?.version);
      if (version === POSTGRES_VERSION) return;
      throw new ProcError(
        'config_unreadable',
        `the ledger ${this.#place.name} was written by another version of proc`,
        { hint: 'Use that version, or set PROC_LEDGER to another database' },
      );
    });
    return pool;
  }

  #errorOf(thrown: unknown): unknown {
    if (thrown instanceof ProcError) return thrown;
    const code = (thrown as { code?: unknown } | null)?.code;
    // Of the work in a transaction, or of a bug.
    const isOwn = code === undefined && (thrown as object).constructor !== Error;
    // The wrong SQL of a bug.
    if (isOwn || (typeof code === 'string' && /^42(?!501|P01)/.test(code))) return thrown;
    const refusal = refusalOf(thrown, code);
    return new ProcError(
      refusal === undefined ? 'ledger_unreachable' : 'ledger_refused',
      `cannot use the ledger ${this.#place.name}: ${messageOf(thrown)}`,
      {
        hint: refusal ?? 'Check that the database runs and can be reached',
        cause: thrown,
      },
    );
  }
}

/** Several processes may find no tables at once. */
async function createTables(client: pg.PoolClient): Promise<void> {
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${CREATION})`);
  // Not to_regclass: it would repeat what it found before this process waited for the lock.
  const { rows } = await client.query(
    "SELECT 1 FROM pg_tables WHERE tablename = 'proc_ledger' AND schemaname = ANY (current_schemas(false))",
  );
  if (rows.length === 0) {
    await client.query(POSTGRES_SCHEMA);
    const random = () => randomBytes(16).toString('hex');
    await client.query('INSERT INTO ledger VALUES ($1, $2, 0)', [random(), random()]);
    await client.query(`INSERT INTO proc_ledger VALUES ($1, ${TIMELINE})`, [POSTGRES_VERSION]);
  }
  await client.query('COMMIT');
}

/** What to do about an answer that stays the same until somebody changes something. */
function refusalOf(thrown: unknown, code: unknown): string | undefined {
  switch (code) {
    case '28P01':
    case '28000':
      return 'Check the user and the password: PROC_LEDGER, PGPASSWORD or .pgpass';
    case '3D000':
      return 'Create the database, or correct PROC_LEDGER';
    case '42501':
      return 'Ask for the right to create tables, and to read and write them';
    default:
      if (/certificate|not support SSL/.test(messageOf(thrown)))
        return 'The server needs TLS; name a certificate authority of your own: sslrootcert=FILE';
      // The library finds out that the server asks for one.
      return /password must be a/.test(messageOf(thrown))
        ? 'Give the password with PGPASSWORD, or in .pgpass'
        : undefined;
  }
}

function poolOf(
  { tls, password, ...place }: PostgresPlace,
  timeoutMs: number,
  { Pool, types }: typeof pg,
): pg.Pool {
  const ca = tls?.rootCertificate;
  const pool = new Pool({
    ...place,
    // Without one, pg looks into the file of PGPASSFILE, or into ~/.pgpass.
    password: password?.reveal(),
    ssl: tls !== undefined && {
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca: readFileSync(ca, 'utf8') }),
    },
    max: 4,
    pipeline: true,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    idleTimeoutMillis: 10_000,
    allowExitOnIdle: true,
    keepAlive: true,
    application_name: 'proc',
    types: {
      getTypeParser: (oid, format) =>
        oid === INT8 ? Number : types.getTypeParser(oid, format as 'text'),
    },
  });
  // Whoever uses the connection gets the error too. If nobody does, the next statement opens another one.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function query(
  client: pg.PoolClient,
  sql: string,
  values: readonly SqlValue[],
): Promise<pg.QueryResult<SqlRow>> {
  let count = 0;
  const text = sql
    .replaceAll('json_each(?)', 'json_array_elements(CAST(? AS json))')
    .replace(/\?/g, () => `$${++count}`);
  return client.query<SqlRow>(text, values.map(storable));
}

/** Several statements at once have an array of results. */
async function queries(
  client: pg.PoolClient,
  sql: string,
): Promise<readonly pg.QueryResult<SqlRow>[]> {
  return (await client.query(sql)) as unknown as readonly pg.QueryResult<SqlRow>[];
}

/** PostgreSQL cannot store the character 0. */
function storable(value: SqlValue): SqlValue {
  return typeof value === 'string' ? value.replaceAll('\0', '\u{fffd}') : value;
}
