import { DatabaseSync } from 'node:sqlite';

/** Compares the rows of the source, the database of the service and what proc says about the rows after an import. */
export interface Count {
  /** Rows that are neither in the service nor parked. */
  readonly lost: number;
  /** Surplus records: three records of one row count as two. */
  readonly doubled: number;
  /** Rows with a wrong state or id, records that no row sent, and incomplete records. */
  readonly misjudged: number;
  /** Parked rows, whether the service has them or not. */
  readonly parked: number;
  readonly parkedThere: number;
}

export interface LedgerNoun {
  /** The command, without `import`. */
  readonly command: string;
  readonly table: string;
  /** The column that identifies a record in the service. `key` is its value for row `n` (from 0). */
  readonly column: string;
  key(n: number): string;
  row(n: number): object;
  /** Without a list, unconfirmed rows are parked. */
  readonly isListed: boolean;
  readonly halves?: string;
}

// As in real files, the codes are not in the order of the rows.
const code = (n: number) => `CL-${String((n * 7919) % 1_000_003).padStart(7, '0')}`;
const reference = (n: number) => `R-${n}`;

export const NOUNS = {
  items: {
    command: 'items',
    table: 'items',
    column: 'code',
    key: code,
    row: (n) => ({ code: code(n), name: `Row ${n}` }),
    isListed: true,
  },
  imputations: {
    command: 'imputations',
    table: 'imputations',
    column: 'reference',
    key: reference,
    row: (n) => ({
      ...{ reference: reference(n), account: '6000', amount: n + 0.5 },
      ...{ currency: 'USD', contractId: 'c-1' },
    }),
    isListed: false,
  },
  requisitions: {
    command: 'requisition',
    table: 'requisitions',
    column: 'title',
    key: reference,
    row: (n) => ({
      title: reference(n),
      groups: [{ deliveryMethod: 'pickup', items: [{ quantity: 1, item: { name: 'Bolt' } }] }],
    }),
    isListed: false,
    halves:
      'SELECT (SELECT count(*) FROM requisitions) * 2 - (SELECT count(*) FROM groups) - (SELECT count(*) FROM lines) AS n',
  },
} as const satisfies Readonly<Record<string, LedgerNoun>>;

/** A row as `imports rows -o json` has it. */
export interface SaidRow {
  readonly row: number;
  readonly state: string;
  readonly id: string | null;
  readonly reason: unknown;
}

/** @param told by number of the row, from 1 */
export function count(
  db: string,
  told: ReadonlyMap<number, SaidRow>,
  rows: number,
  noun: LedgerNoun,
): Count {
  const service = new DatabaseSync(db, { readOnly: true });
  try {
    const ids = new Map<unknown, unknown[]>();
    for (const { key, id } of service
      .prepare(`SELECT ${noun.column} AS key, id FROM ${noun.table}`)
      .iterate()) {
      ids.set(key, [...(ids.get(key) ?? []), id]);
    }
    const found = { lost: 0, doubled: 0, misjudged: 0, parked: 0, parkedThere: 0 };
    for (let n = 0; n < rows; n++) {
      const there = ids.get(noun.key(n)) ?? [];
      const { state, id } = told.get(n + 1) ?? {};
      const isParked = state === 'unconfirmed' && !noun.isListed;
      if (isParked) found.parked++;
      if (isParked && there.length > 0) found.parkedThere++;
      if (there.length === 0 && !isParked) found.lost++;
      if (there.length > 1) found.doubled += there.length - 1;
      if (!isParked && !(state === 'created' && there.includes(id))) found.misjudged++;
      ids.delete(noun.key(n));
    }
    const halves = noun.halves === undefined ? 0 : Number(service.prepare(noun.halves).get()!.n);
    // What is left in `ids` are records that no row sent.
    return { ...found, misjudged: found.misjudged + ids.size + Math.abs(halves) };
  } finally {
    service.close();
  }
}
