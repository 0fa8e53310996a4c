import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { TIMELINE } from '../../../src/ledger/ledger-locks.ts';
import { between, type Random } from '../../support/random.ts';
import type { Machine, Owner } from '../machine/machine.ts';
import type { Trace } from '../machine/trace.ts';
import { here } from '../machine/world.ts';

export interface DatabaseHabits {
  /** The share of statements at which the connection is lost: before they arrive, or with their answers. */
  readonly lost: number;
  /** The share of connections that are refused. */
  readonly refused: number;
  /** Maximum latency in one direction. */
  readonly mostMs: number;
}

/** What `BEGIN` of proc asks for. */
const IDLE_MS = 10_000;
const LOCK_MS = 15_000;
/** What a lost connection had sent may arrive so much later. */
const LATE_MS = 6_000;
/** When the database notices that a client is gone. */
const NOTICE_MS = 3_000;

interface Answer {
  readonly rows: readonly unknown[];
  readonly rowCount: number;
}

interface Statement {
  readonly text: string;
  readonly values: readonly SQLInputValue[];
  answer(failure: Error | undefined, found?: Answer | readonly Answer[]): void;
}

/**
 * The database of a shared ledger: SQLite behind a network. All transactions of proc lock the same row first, so here
 * each statement waits for the transaction of another connection. A real PostgreSQL is in bench/crash-team.ts.
 */
export class Database {
  readonly path: string;
  readonly machine: Machine;
  readonly random: Random;
  readonly trace: Trace;
  readonly #sql: DatabaseSync;
  readonly #connections = new Set<Connection>();
  #holder: Connection | undefined;
  #waiting: (() => void)[] = [];
  habits: DatabaseHabits;

  constructor(
    path: string,
    habits: DatabaseHabits,
    machine: Machine,
    random: Random,
    trace: Trace,
  ) {
    this.path = path;
    this.machine = machine;
    this.random = random;
    this.trace = trace;
    this.habits = habits;
    this.#sql = new DatabaseSync(path);
    this.#sql.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    const define = this.#sql.function.bind(this.#sql);
    define('sim_now', () => Math.floor(machine.time));
    define('current_setting', (name) => (name === 'server_version_num' ? 150_000 : 'on'));
    const table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?";
    define('to_regclass', (name) =>
      this.#sql.prepare(table).get(name as string) === undefined ? null : (name as string),
    );
    define('pg_advisory_xact_lock', (_number) => null);
  }

  calmDown(): void {
    this.habits = { lost: 0, refused: 0, mostMs: 3 };
  }

  close(): void {
    this.#sql.close();
  }

  async connect(): Promise<Connection> {
    const { life } = here();
    await new Promise<void>((done) => void this.machine.after(this.latency(), done, life));
    if (this.random() < this.habits.refused) throw lost('ECONNREFUSED');
    const connection = new Connection(this, life);
    this.#connections.add(connection);
    return connection;
  }

  /** The operating system closes the connections of a process that has ended. What it had sent still arrives. */
  ended(owner: Owner): void {
    for (const one of this.#connections) if (one.owner === owner) one.close();
  }

  latency(): number {
    return this.random() * this.habits.mostMs;
  }

  later(ms: number, run: () => void): void {
    this.machine.after(ms, run, this.machine.around);
  }

  /** @param done called once no other connection has a transaction, and the statement was executed */
  execute(by: Connection, { text, values }: Statement, done: Statement['answer']): void {
    if (this.#holder !== undefined && this.#holder !== by) {
      let isOver = false;
      const once = (work: () => void) => () => {
        if (!isOver) work();
        isOver = true;
      };
      this.#waiting.push(once(() => this.execute(by, { text, values, answer: done }, done)));
      const failure = Object.assign(new Error('lock timeout'), { code: '55P03' });
      const fail = () => {
        by.isAborted = text.startsWith('BEGIN');
        done(failure);
      };
      this.later(LOCK_MS, once(fail));
      return;
    }
    try {
      const parts = values.length > 0 ? [text] : text.split(';').filter((part) => part.trim());
      const found = parts.map((part) => this.#run(by, part.trim(), values));
      done(undefined, found.length === 1 ? found[0] : found);
    } catch (thrown) {
      by.isAborted = this.#holder === by;
      done(thrown as Error);
    }
    const count = ++by.statements;
    if (this.#holder === by)
      this.later(IDLE_MS, () => by.statements === count && this.rollBack(by));
  }

  #run(by: Connection, text: string, values: readonly SQLInputValue[]): Answer {
    if (text === 'COMMIT') {
      if (by.isAborted) this.rollBack(by);
      else if (this.#holder !== by) throw lost('ECONNRESET');
      else this.#sql.exec('COMMIT');
      this.#free(by);
      return NOTHING;
    }
    if (text === 'BEGIN') {
      this.#sql.exec('BEGIN IMMEDIATE');
      this.#holder = by;
      by.hasBegun = true;
    }
    // Its transaction was rolled back meanwhile.
    else if (by.isAborted || (by.hasBegun && this.#holder !== by))
      throw Object.assign(new Error('current transaction is aborted'), { code: '25P02' });
    if (/^(BEGIN|SET LOCAL)/.test(text)) return NOTHING;
    const statement = this.#sql.prepare(translated(text));
    if (/^\s*(SELECT|WITH)|RETURNING/.test(text) && !/^\s*WITH[^;]*\bUPDATE rows\b/s.test(text)) {
      const rows = statement.all(...values);
      return { rows, rowCount: rows.length };
    }
    return { rows: [], rowCount: Number(statement.run(...values).changes) };
  }

  rollBack(by: Connection): void {
    if (this.#holder === by) this.#sql.exec('ROLLBACK');
    by.isAborted = by.hasBegun;
    this.#free(by);
  }

  #free(by: Connection): void {
    if (this.#holder !== by) return;
    this.#holder = undefined;
    if (!by.isAborted) by.hasBegun = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const retry of waiting) this.later(0, retry);
  }
}

const NOTHING: Answer = { rows: [], rowCount: 0 };

/** Statements arrive in their order, without waiting for the answers to earlier ones. */
class Connection {
  readonly #database: Database;
  readonly owner: Owner;
  statements = 0;
  hasBegun = false;
  isAborted = false;
  #sent: Statement[] = [];
  readonly #unanswered = new Set<Statement>();
  #isBusy = false;
  #isLost = false;

  constructor(database: Database, owner: Owner) {
    this.#database = database;
    this.owner = owner;
  }

  on(): void {}

  async query(
    text: string,
    values: readonly SQLInputValue[] = [],
  ): Promise<Answer | readonly Answer[]> {
    if (this.#isLost || !here().life.isAlive) throw lost('ECONNRESET');
    return new Promise((resolve, reject) => {
      const statement: Statement = {
        ...{ text, values },
        answer: (failure, found) => (failure ? reject(failure) : resolve(found!)),
      };
      this.#sent.push(statement);
      this.#unanswered.add(statement);
      // Statements that are called together are sent together.
      this.#database.machine.immediate(() => this.#next(), this.#database.machine.around);
    });
  }

  release(isBroken = false): void {
    if (isBroken) this.close();
  }

  /** What was sent still arrives; nobody gets the answers. */
  close(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const { machine } = this.#database;
    const failing = [...this.#unanswered];
    machine.after(
      this.#database.latency(),
      () => {
        for (const { answer } of failing) answer(lost('ECONNRESET'));
      },
      this.owner,
    );
    this.#database.later(0, () => this.#next());
  }

  #next(): void {
    const database = this.#database;
    if (this.#isBusy) return;
    const [statement] = this.#sent;
    if (statement === undefined) {
      if (this.#isLost)
        database.later(database.random() * NOTICE_MS, () => database.rollBack(this));
      return;
    }
    // While nothing is sent, a loss ends a command, and no more.
    const isSending = here().books.phases()[0]?.phase === 'sending';
    const chance = database.habits.lost * (isSending ? 1 : 0.1);
    if (!this.#isLost && database.random() < chance) {
      // Of what was sent together, the last ones may not arrive.
      this.#sent = this.#sent.slice(0, between(database.random, 0, this.#sent.length));
      const what = `the ledger is lost, ${this.#sent.length} arrive: ${statement.text.slice(0, 40)}`;
      database.trace.add(database.machine.time, what);
      this.close();
      return;
    }
    this.#isBusy = true;
    this.#sent.shift();
    const isLate = this.#isLost && database.random() < 0.3;
    database.later(isLate ? database.random() * LATE_MS : database.latency(), () =>
      database.execute(this, statement, (failure, found) => {
        this.#isBusy = false;
        here().promises.inside.committed();
        const answer = () => {
          if (this.#isLost || !this.#unanswered.delete(statement)) return;
          statement.answer(failure, found);
        };
        database.machine.after(database.latency(), answer, this.owner);
        this.#next();
      }),
    );
  }
}

function lost(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

const NOW = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)';

/** The SQL of proc for PostgreSQL, as SQLite reads it. */
function translated(text: string): string {
  return text
    .replaceAll(NOW, 'sim_now()')
    .replaceAll(TIMELINE, "'timeline'")
    .replace(/\$\d+/g, '?')
    .replaceAll('json_array_elements(CAST(? AS json))', 'json_each(?)')
    .replaceAll('BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', 'INTEGER PRIMARY KEY')
    .replaceAll('::int', '')
    .replace(/ FOR UPDATE$/, '')
    .replace(/SELECT 1 FROM pg_tables .*/s, "SELECT 1 FROM sqlite_master WHERE name = 'locks'");
}

class Pool {
  on(): void {}

  connect(): Promise<Connection> {
    const { database, life } = here();
    if (database === undefined || !life.isAlive) throw lost('ECONNREFUSED');
    return database.connect();
  }
}

/** What proc imports from pg. */
export default { Pool, types: { getTypeParser: () => String } };
