import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { TIMELINE } from '../../../src/ledger/ledger-locks.ts';
import { pick, type Random } from '../../support/random.ts';
import type { Machine, Owner } from '../machine/machine.ts';
import type { Trace } from '../machine/trace.ts';
import { here } from '../machine/world.ts';

/** All but `mostMs` are probabilities in [0, 1], per statement. */
export interface DatabaseHabits {
  /** The connection is lost before the statement arrives. */
  readonly before: number;
  /** The statement is executed, and its answer is lost. */
  readonly after: number;
  /** As `after`, but the statement is executed up to some seconds after the client has given up. */
  readonly late: number;
  readonly refused: number;
  /** Maximum latency in one direction. */
  readonly mostMs: number;
}

const CALM: DatabaseHabits = { before: 0, after: 0, late: 0, refused: 0, mostMs: 3 };

/** What `BEGIN` of proc asks for. */
const IDLE_MS = 10_000;
const LOCK_MS = 15_000;
/** When a client gives up a statement that is not answered. */
const STATEMENT_MS = 20_000;
const LATE_MS = 6_000;

/**
 * The database of a shared ledger: SQLite behind a network. All transactions of proc lock the same row first, so here
 * each statement waits for the transaction of another connection. The real PostgreSQL is in test/e2e/team-ledger.test.ts.
 */
export class DatabaseServer {
  readonly path: string;
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #trace: Trace;
  readonly #database: DatabaseSync;
  readonly #clients = new Set<SimConnection>();
  #habits: DatabaseHabits;
  #holder: SimConnection | undefined;
  #waiting: (() => void)[] = [];
  readonly #connecting = new Map<Owner, ((failure: Error) => void)[]>();

  constructor(
    path: string,
    habits: DatabaseHabits,
    { machine, random, trace }: { machine: Machine; random: Random; trace: Trace },
  ) {
    this.path = path;
    this.#habits = habits;
    this.#machine = machine;
    this.#random = random;
    this.#trace = trace;
    this.#database = new DatabaseSync(path);
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?";
    const define = this.#database.function.bind(this.#database);
    define('sim_now', () => Math.floor(machine.time));
    define('current_setting', (name) => (name === 'server_version_num' ? 150_000 : 'on'));
    define('to_regclass', (name) => {
      const found = this.#database.prepare(tables).get(name as string);
      return found === undefined ? null : (name as string);
    });
    define('pg_advisory_xact_lock', () => null);
  }

  /** From now on, no connection is lost. */
  calmDown(): void {
    this.#habits = CALM;
  }

  close(): void {
    this.#database.close();
  }

  async connect(): Promise<SimConnection> {
    const { life } = here();
    await this.#latency(life);
    if (this.#happens(this.#habits.refused)) throw lost('ECONNREFUSED');
    const client = new SimConnection(this, life);
    this.#clients.add(client);
    return client;
  }

  /** The operating system closes the connections of a process that has ended. What it had sent still arrives. */
  ended(owner: Owner): void {
    for (const client of this.#clients) if (client.owner === owner) this.drop(client, 50);
    // All simulated processes of a machine share the modules of proc, which may wait for this connection.
    for (const fail of this.#connecting.get(owner) ?? []) fail(lost('ECONNRESET'));
    this.#connecting.delete(owner);
  }

  /** The client is gone, and the database notices it some time later. */
  drop(client: SimConnection, withinMs: number): void {
    client.lose();
    this.#clients.delete(client);
    // Also a client that is gone already: what it had sent may only have arrived now.
    this.#later(this.#random() * withinMs, () => this.#rollBack(client));
  }

  query(client: SimConnection, text: string, values: readonly SQLInputValue[]): Promise<Answer> {
    const { owner } = client;
    return new Promise((resolve, reject) => {
      client.pending.add(reject);
      const answer = (run: () => void, ms: number) =>
        this.#machine.after(ms, () => client.pending.delete(reject) && run(), owner);
      const draw = this.#random();
      const { before, after, late, mostMs } = this.#habits;
      const isLate = draw < late;
      const isLost = draw < late + before + after;
      const arrives = this.#random() * (isLate ? LATE_MS : mostMs);
      if (isLost) {
        const what = isLate ? 'late' : draw < late + before ? 'before' : 'after';
        this.#trace.add(this.#machine.time, `the ledger is lost ${what}: ${text.slice(0, 40)}`);
        // Until then the client waits for an answer.
        const ms = mostMs * 2 + pick(this.#random, [0, 0, 1]) * STATEMENT_MS;
        answer(() => reject(lost('ECONNRESET')), ms);
        if (what === 'before') {
          this.drop(client, 3_000);
          return;
        }
      }
      this.#later(arrives, () =>
        this.#execute(client, text, values, (failure, found) => {
          if (isLost) this.drop(client, 3_000);
          else answer(() => (failure ? reject(failure) : resolve(found!)), this.#random() * mostMs);
        }),
      );
      if (isLost) client.lose(reject);
    });
  }

  /** Waits until no other connection has a transaction. */
  #execute(
    client: SimConnection,
    text: string,
    values: readonly SQLInputValue[],
    done: (failure: Error | undefined, found?: Answer) => void,
  ): void {
    if (this.#holder !== undefined && this.#holder !== client) {
      let isOver = false;
      const retry = () => {
        if (isOver) return;
        isOver = true;
        this.#execute(client, text, values, done);
      };
      this.#waiting.push(retry);
      this.#later(LOCK_MS, () => {
        if (isOver) return;
        isOver = true;
        done(
          Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' }),
        );
      });
      return;
    }
    let found: Answer;
    try {
      found = this.#run(client, text, values);
    } catch (thrown) {
      done(thrown as Error);
      return;
    }
    const { holder, count } = { holder: this.#holder, count: ++client.statements };
    if (holder === client)
      this.#later(IDLE_MS, () => {
        if (this.#holder === client && client.statements === count) this.drop(client, 0);
      });
    done(undefined, found);
  }

  #run(client: SimConnection, text: string, values: readonly SQLInputValue[]): Answer {
    // Its transaction was rolled back meanwhile.
    if (client.hasBegun && this.#holder !== client) throw lost('ECONNRESET');
    if (text.startsWith('BEGIN')) {
      this.#holder = client;
      client.hasBegun = true;
      this.#database.exec('BEGIN IMMEDIATE');
      // Of several statements, each has a result.
      return [NOTHING, { rows: [{ timeline: TIME }], rowCount: 1 }];
    }
    if (text === 'COMMIT') {
      this.#database.exec('COMMIT');
      client.hasBegun = false;
      this.#free();
      return NOTHING;
    }
    const sql = translated(text);
    if (values.length === 0 && sql.includes(';')) {
      this.#database.exec(sql);
      return NOTHING;
    }
    const statement = this.#database.prepare(sql);
    if (/^\s*SELECT|RETURNING/.test(sql)) {
      const rows = statement.all(...values);
      return { rows, rowCount: rows.length };
    }
    return { rows: [], rowCount: Number(statement.run(...values).changes) };
  }

  #rollBack(client: SimConnection): void {
    if (this.#holder !== client) return;
    this.#database.exec('ROLLBACK');
    this.#free();
  }

  #free(): void {
    this.#holder = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const retry of waiting) this.#later(0, retry);
  }

  #happens(chance: number): boolean {
    return chance > 0 && this.#random() < chance;
  }

  #latency(owner: Owner): Promise<void> {
    const ms = this.#random() * this.#habits.mostMs;
    return new Promise((resolve, reject) => {
      this.#connecting.set(owner, [...(this.#connecting.get(owner) ?? []), reject]);
      this.#machine.after(ms, () => resolve(), owner);
    });
  }

  #later(ms: number, run: () => void): void {
    this.#machine.after(ms, run, this.#machine.around);
  }
}

interface Result {
  readonly rows: readonly unknown[];
  readonly rowCount: number;
}

type Answer = Result | readonly Result[];

const NOTHING: Result = { rows: [], rowCount: 0 };

class SimConnection {
  readonly #server: DatabaseServer;
  readonly owner: Owner;
  readonly pending = new Set<(failure: Error) => void>();
  statements = 0;
  hasBegun = false;
  #isLost = false;

  constructor(server: DatabaseServer, owner: Owner) {
    this.#server = server;
    this.owner = owner;
  }

  on(): void {}

  async query(text: string, values: readonly SQLInputValue[] = []): Promise<Answer> {
    if (this.#isLost || !here().life.isAlive) throw lost('ECONNRESET');
    return this.#server.query(this, text, values);
  }

  release(isBroken = false): void {
    if (isBroken) this.#server.drop(this, 5);
  }

  /** @param except is answered later */
  lose(except?: (failure: Error) => void): void {
    this.#isLost = true;
    if (this.owner.isAlive) return;
    for (const reject of this.pending) if (reject !== except) reject(lost('ECONNRESET'));
    this.pending.clear();
  }
}

function lost(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

const TIME = 'timeline';

/** How proc asks for the time. */
export const NOW = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)';

/** The SQL of proc for PostgreSQL, as SQLite reads it. */
function translated(text: string): string {
  return text
    .replaceAll(NOW, 'sim_now()')
    .replaceAll(TIMELINE, `'${TIME}'`)
    .replace(/\$(\d+)/g, '?$1')
    .replace(/json_array_elements\(CAST\((\?\d+) AS json\)\)/g, 'json_each($1)')
    .replaceAll(
      'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
      'INTEGER PRIMARY KEY AUTOINCREMENT',
    )
    .replaceAll('::int', '')
    .replace(
      /SELECT 1 FROM pg_tables .*/s,
      "SELECT 1 FROM sqlite_master WHERE name = 'proc_ledger'",
    );
}

class Pool {
  on(): void {}

  connect(): Promise<SimConnection> {
    const { ledger, life } = here();
    if (ledger === undefined || !life.isAlive) throw lost('ECONNREFUSED');
    return ledger.connect();
  }
}

/** What proc imports from pg. */
export default { Pool, types: { getTypeParser: () => String } };
