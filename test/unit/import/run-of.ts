import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DEFAULT_DIALECT } from '../../../src/client/dialect.ts';
import type { EndpointSpec } from '../../../src/core/endpoint.ts';
import { type Problem, storedProblem } from '../../../src/core/problem/row-problem.ts';
import type { Row } from '../../../src/core/result.ts';
import type { Dialect } from '../../../src/core/service-target.ts';
import type { Choices, RunHeader } from '../../../src/import/store/facts.ts';
import { SCHEMA } from '../../../src/import/store/run-database.ts';
import { Run } from '../../../src/import/store/run-file.ts';
import { RunRows } from '../../../src/import/store/run-rows.ts';
import { runPath } from '../../../src/import/store/runs.ts';
import type { RowState } from '../../../src/import/store/transitions.ts';
import { ITEM_IMPORT } from '../../../src/import/targets/item-import.ts';
import type { ListSource } from '../../../src/listing/list-reader.ts';
import { Listing } from '../../../src/listing/listing.ts';
import { IN_MEMORY, openDatabase } from '../../../src/store/open-database.ts';
import { freshWorld } from '../../support/run.ts';

export interface GivenRow {
  readonly row?: number;
  readonly state?: RowState;
  readonly code?: string | null;
  readonly name?: string | null;
  readonly id?: string | null;
  readonly status?: number | null;
  readonly reason?: Problem | null;
  readonly sentAt?: number | null;
  readonly tries?: number;
  readonly lookedUp?: 0 | 1;
  readonly fingerprint?: string | null;
  readonly line?: number | null;
  readonly body?: string;
}

export const CHOICES: Choices = {
  ...{ onExisting: 'skip', onDuplicate: undefined },
  ...{ maxCreate: undefined, maxRejected: undefined, onSent: undefined },
};

/**
 * A run in a fresh folder. A row is pending, with the code `A-` and its number, unless it says otherwise.
 *
 * @param state the folder of a ledger that knows the run too
 */
export async function runOf(
  rows: readonly GivenRow[],
  header: Partial<RunHeader> = {},
  state?: string,
): Promise<Run> {
  const folder = state === undefined ? (await freshWorld()).folder : join(state, 'imports');
  const path = runPath(folder, header.run ?? 'r');
  const full = {
    ...{ run: 'r', noun: 'items', choices: CHOICES, mapping: { fields: {} } },
    source: { name: 'a.csv', format: { kind: 'csv' } },
    ...header,
  } as RunHeader;
  const run = await Run.create(path, full, state !== undefined);
  const database = new DatabaseSync(path);
  insertRows(database, rows);
  database.close();
  return run;
}

export const HERE = { baseUrl: 'http://a.example', organization: 'acme' };

/** A run that has begun to send. @param state the folder of its ledger */
export async function begun(
  state: string,
  rows: readonly GivenRow[],
  header: Partial<RunHeader> = {},
): Promise<Run> {
  const run = await runOf(rows, { ...HERE, ...header }, state);
  run.rows.addIndexes();
  await run.advance('read');
  await run.noteSeen();
  await run.begin('begin', { facts: {} });
  return run;
}

/** The rows of a run that has no file. */
export function rowsOf(rows: readonly GivenRow[]): RunRows {
  const database = openDatabase(IN_MEMORY);
  database.exec(SCHEMA);
  insertRows(database, rows);
  const found = new RunRows(database);
  found.addIndexes();
  return found;
}

function insertRows(database: DatabaseSync, rows: readonly GivenRow[]): void {
  const intoRows = database.prepare(
    'INSERT INTO rows (row, state, code, name, id, status, reason, sent_at, tries, looked_up, fingerprint) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const intoRecords = database.prepare('INSERT INTO records (row, line, body) VALUES (?, ?, ?)');
  for (const [index, given] of rows.entries()) {
    const { row = index + 1, state = 'pending', code = `A-${row}`, name = null } = given;
    const { id = null, status = null, reason, sentAt = null, tries = 0, lookedUp = 0 } = given;
    const { fingerprint = null, line = null, body = JSON.stringify({ code, name }) } = given;
    const stored = reason == null ? null : storedProblem(reason);
    intoRows.run(
      ...[row, state, code, name, id, status, stored, sentAt, tries, lookedUp, fingerprint],
    );
    intoRecords.run(row, line, body);
  }
}

/** `A-1 pending`, or `A-1 created i-1`, a line for each row. */
export function statesIn(run: Run): string[] {
  const database = new DatabaseSync(run.path, { readOnly: true });
  const rows = database.prepare('SELECT row, state, id, reason FROM rows ORDER BY row').all();
  database.close();
  return rows.map(({ row, state, id, reason }) => {
    const why = reason === null ? undefined : JSON.parse(String(reason)).code;
    return [row, state, id, why].filter((one) => one != null).join(' ');
  });
}

/** What a service does with its list. */
export interface Shop {
  /** In the order of the service. Sorted by code if a request asks for it. */
  readonly items: Row[];
  /** E.g. `0+100 code asc`, each request that arrived. */
  readonly log: string[];
  /** Called before each answer. */
  before?: ((request: number) => void) | undefined;
  /** The service does not know the parameters of lists. */
  isUnpaged?: boolean;
  isUnsorted?: boolean;
  /** The parameters of the list, where they are not the usual ones. The service ignores others. */
  names?: Readonly<Record<string, string>>;
}

export function shopOf(codes: readonly (string | null)[]): Shop {
  const items = codes.map((code, at) => ({ id: `i-${at + 1}`, code, name: `Name ${at + 1}` }));
  return { items, log: [] };
}

/** The list of items of a shop, in memory. */
export function listOf(shop: Shop): Listing {
  return new Listing(ITEM_IMPORT, listingSource(shop));
}

function listingSource(shop: Shop): ListSource {
  const { items, log } = shop;
  const orders = new Map<string, Row[]>();
  return {
    target: { dialect: () => DEFAULT_DIALECT },
    async read(_, { limit = 20, offset = 0, sort, dir }) {
      log.push(`${offset}+${limit}${sort === undefined ? '' : ` ${sort} ${dir}`}`);
      shop.before?.(log.length);
      const way = dir === 'desc' ? -1 : 1;
      const by = String(sort);
      const isSorted = sort !== undefined && shop.isUnsorted !== true;
      const order = `${by} ${way} ${items.length}`;
      if (isSorted && !orders.has(order)) {
        const before = (a: Row, b: Row) => (String(a[by] ?? '') < String(b[by] ?? '') ? -way : way);
        orders.set(order, items.toSorted(before));
      }
      const rows = isSorted ? orders.get(order)! : items;
      return shop.isUnpaged === true
        ? rows
        : rows.slice(Number(offset), Number(offset) + Number(limit));
    },
  };
}

/** A record that this machine has created before. */
interface Known {
  readonly id: string;
  readonly code: string | null;
}

interface Told {
  readonly kind: string;
  readonly text: string;
}

/** What a command of an import gets, with a service in memory. */
export function portsOf(
  shop: Shop,
  {
    typed = ['items', 'import', 'a.csv'],
    flags = {},
    known = [],
    hasKey = true,
    ...more
  }: Partial<Around> = {},
) {
  const said: Told[] = [];
  const dialect = () => DEFAULT_DIALECT;
  const target = {
    dialect,
    key: hasKey ? 'k' : undefined,
    profile: undefined,
    baseUrl: 'http://x',
    settleMs: 1_000,
  };
  const list = listingSource(shop);
  const history = {
    sentRows: () => ({
      async *created() {
        yield known.map((one) => ({ ...one, name: null }));
      },
      creators: async () => [],
      isEmpty: async () => true,
    }),
    entries: () => [],
    createdAmong: () => [],
    creatorOf: () => undefined,
  };
  const ports = {
    io: {
      terminal: { interactive: more.interactive === true },
      say: (one: Omit<Told, 'text'> & { readonly text: string }) =>
        void said.push({ ...one, text: one.text }),
    },
    api: {
      isPreview: false,
      target: async () => target,
      sender: async (_: number, names = dialect as (noun: string) => Partial<Dialect>) => ({
        target: { ...target, dialect: names },
        send: async ({ path }: EndpointSpec, { query = {} }: { query?: Row }) => {
          const inPath = new URL(path, 'http://x').searchParams;
          const sent =
            inPath.size > 0 ? Object.fromEntries(inPath) : translated(query, names('items'));
          const known = Object.entries(shop.names ?? USUAL).flatMap(([word, name]) =>
            sent[name] === undefined ? [] : [[word, sent[name]]],
          );
          return {
            ...{ kind: 'done', status: 200, requestId: undefined },
            value: await list.read(undefined as never, Object.fromEntries(known)),
          };
        },
      }),
    },
    lookup: { mayReadLists: async () => hasKey },
    store: { scope: async () => ({ ownershipOf: () => 'ours' }), open: async () => history },
    self: {
      ...{
        typed,
        flags: { offline: false, retries: 0, ...flags },
        cwd: '/',
        signal: new AbortController().signal,
      },
      env: {
        PROC_CONFIG_DIR: '/no-such-folder',
        PROC_STATE_DIR: '/no-such-folder',
        HOME: '/no-such-folder',
        PROC_BASE_URL: 'http://127.0.0.1:9/api/v1',
      },
      clock: { now: () => 0, monotonic: () => 0, random: () => 0, sleep: async () => undefined },
    },
  };
  return { ports: ports as never, said };
}

const USUAL = { limit: 'limit', offset: 'offset', sort: 'sort', dir: 'dir' };

/** The query with the names of a dialect. */
function translated(query: Row, names: Partial<Dialect>): Row {
  return Object.fromEntries(
    Object.entries(query).map(([word, value]) => [names[word as 'limit'] ?? word, value]),
  );
}

interface Around {
  readonly typed: readonly string[];
  readonly flags: object;
  readonly known: readonly Known[];
  readonly hasKey: boolean;
  readonly interactive: boolean;
}
