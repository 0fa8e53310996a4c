import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import addresses from '../data/addresses.json' with { type: 'json' };
import items from '../data/items.json' with { type: 'json' };
import orders from '../data/orders.json' with { type: 'json' };
import sectors from '../data/sectors.json' with { type: 'json' };
import { SANDBOX_KEYS } from '../server/sandbox-keys.ts';

/**
 * Every fifth order is in EUR, so that sums must separate currencies. The source data is all in
 * USD.
 */
const EUR_EVERY = 5;

/** A line of `orders.json`, with the days of its creation and of its last change. */
type SampleOrder = readonly [
  status: string,
  amount: number,
  title: string,
  created: string,
  updated: string,
];

/** Dates of seeded records that have none. Fixed, so that every sandbox starts with the same data. */
const SEEDED_AT = '2014-01-01T00:00:00.000Z';

/** The day of the newest sample order. */
const NEWEST = Date.parse('2013-08-10T00:00:00Z');
const DAY_MS = 86_400_000;

/** Of the orders of the last 30 days, every third is pending, so that there is something to wait for. */
const PENDING_EVERY = 3;

const [FIRST, SECOND] = SANDBOX_KEYS.map((key) => key.organizationId) as [string, string];

export function seedOrganizations(database: DatabaseSync): void {
  insertAll(database, 'organizations', [
    { id: FIRST, name: 'Adventure Works' },
    { id: SECOND, name: 'Contoso' },
  ]);
}

export function seedData(
  database: DatabaseSync,
  { asOf: day, hasItems }: { readonly asOf: string | undefined; readonly hasItems: boolean },
): void {
  const asOf = day === undefined ? undefined : Date.parse(`${day}T00:00:00Z`);
  if (hasItems) {
    insertAll(
      database,
      'items',
      items.map(([code = '', name = '', type = ''], index) => ({
        id: `itm-${index + 1}`,
        organizationId: FIRST,
        code,
        name,
        type,
      })),
    );
  }
  insertAll(
    database,
    'orders',
    (orders as unknown as readonly SampleOrder[]).map((sample, index) => {
      const order = orderOf(sample, index);
      return asOf === undefined ? order : recent(order, index, asOf);
    }),
  );
  insertAll(
    database,
    'sectors',
    sectors.map((sector, index) => ({
      id: `sec-${index + 1}`,
      organizationId: FIRST,
      ...sector,
    })),
  );
  insertAll(
    database,
    'addresses',
    addresses.map((address, index) => ({
      id: `adr-${index + 1}`,
      organizationId: FIRST,
      ...address,
      formattedAddress: [address.city, address.state, address.country].join(', '),
    })),
  );
  seedSecond(database, asOf);
}

function orderOf([status, amount, title, created, updated]: SampleOrder, index: number) {
  return {
    id: `po-${index + 1}`,
    organizationId: FIRST,
    code: `PO-${String(index + 1).padStart(5, '0')}`,
    status,
    amount,
    currency: (index + 1) % EUR_EVERY === 0 ? 'EUR' : 'USD',
    title,
    createdAt: `${created}T00:00:00Z`,
    updatedAt: `${updated}T00:00:00Z`,
  };
}

type Order = ReturnType<typeof orderOf>;

function recent(order: Order, index: number, asOf: number): Order {
  const moved = (text: string) => Date.parse(text) + asOf - NEWEST;
  const created = moved(order.createdAt);
  const isPending = created > asOf - 30 * DAY_MS && index % PENDING_EVERY === 0;
  const updated = isPending ? created : Math.min(moved(order.updatedAt), asOf);
  return {
    ...order,
    status: isPending ? 'pending' : order.status,
    createdAt: dateText(created),
    updatedAt: dateText(updated),
  };
}

function dateText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

function seedSecond(database: DatabaseSync, asOf: number | undefined): void {
  const organizationId = SECOND;
  const keys = ['cement', 'steel', 'timber'];
  insertAll(
    database,
    'orders',
    [1200, 88.5, 430.25, 9100, 77].map((amount, index) => ({
      id: `zz-po-${index + 1}`,
      organizationId,
      code: `PO-9000${index + 1}`,
      status: index % 2 === 0 ? 'complete' : 'pending',
      amount,
      currency: index % 2 === 0 ? 'EUR' : 'USD',
      title: `Contoso supplies ${index + 1}`,
      ...(asOf === undefined ? {} : { createdAt: dateText(asOf), updatedAt: dateText(asOf) }),
    })),
  );
  insertAll(
    database,
    'sectors',
    keys.map((key, index) => ({
      id: `zz-sec-${index + 1}`,
      organizationId,
      key,
      name: `${key.charAt(0).toUpperCase()}${key.slice(1)}`,
      description: 'Construction',
    })),
  );
  insertAll(
    database,
    'addresses',
    ['Lyon', 'Nantes'].map((city, index) => ({
      id: `zz-adr-${index + 1}`,
      organizationId,
      name: `Contoso ${city}`,
      city,
      country: 'France',
      formattedAddress: `${city}, France`,
    })),
  );
}

export function insertAll(
  database: DatabaseSync,
  table: string,
  rows: readonly Readonly<Record<string, SQLInputValue>>[],
): void {
  const statements = new Map<string, StatementSync>();
  for (const row of rows) {
    const full = { createdAt: SEEDED_AT, updatedAt: SEEDED_AT, ...row };
    const names = Object.keys(full);
    const columns = names.join(', ');
    let insert = statements.get(columns);
    if (insert === undefined) {
      const values = names.map(() => '?').join(', ');
      insert = database.prepare(`INSERT INTO ${table} (${columns}) VALUES (${values})`);
      statements.set(columns, insert);
    }
    insert.run(...Object.values(full));
  }
}
