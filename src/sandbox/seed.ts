import * as z from 'zod/mini';
import { ProcError } from '../core/errors.ts';
import { JsonError, readJson } from '../core/json.ts';
import { PUBLISHED_KEYS } from '../core/secret.ts';
import { check } from '../core/validate.ts';
import addresses from './data/addresses.json' with { type: 'json' };
import items from './data/items.json' with { type: 'json' };
import orders from './data/orders.json' with { type: 'json' };
import other from './data/other.json' with { type: 'json' };
import sectors from './data/sectors.json' with { type: 'json' };
import { type Store, TABLES, type TableForm } from './store.ts';

export interface SandboxKey {
  readonly organizationId: string;
  readonly apiKey: string;
  /** A bearer token in the form of an unsigned JWT. */
  readonly token: string;
}

/** The keys of the two organizations. They are public, and valid only for sandboxes. */
export const SANDBOX_KEYS: readonly [SandboxKey, SandboxKey] = [
  {
    organizationId: 'org-1',
    apiKey: PUBLISHED_KEYS[0]!,
    token: 'eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJvcmdhbml6YXRpb24iOiJvcmctMSJ9.sandbox',
  },
  {
    organizationId: 'zz-org-2',
    apiKey: PUBLISHED_KEYS[1]!,
    token: 'eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJvcmdhbml6YXRpb24iOiJ6ei1vcmctMiJ9.sandbox',
  },
];

/** What a new database begins with. */
export interface Beginning {
  /** No records. */
  readonly empty?: boolean | undefined;
  /** The day of the newest sample order, e.g. `2026-01-31`. The other dates move with it. */
  readonly asOf?: string | undefined;
  /** Also the sample items. */
  readonly hasItems?: boolean | undefined;
  /** Records that replace the sample data of their nouns. */
  readonly seed?: SeedRecords | undefined;
}

type Records = readonly Readonly<Record<string, unknown>>[];

const SEEDED = ['orders', 'items', 'sectors', 'addresses'] as const;
type Seeded = (typeof SEEDED)[number];

/** Call it in a transaction, so that a killed process leaves nothing behind. */
export function fill(store: Store, { empty, seed = {}, ...samples }: Beginning): void {
  const [first, second] = SANDBOX_KEYS.map(({ organizationId }) => organizationId);
  for (const noun of SEEDED) {
    const { prefix } = TABLES[noun];
    const own: Records = seed[noun] ?? (empty ? [] : sampleRecords(noun, samples));
    const ids = new Set(own.map(({ id }) => id));
    let number = 0;
    const nextId = (): string => {
      const id = `${prefix}-${++number}`;
      return ids.has(id) ? nextId() : id;
    };
    for (const record of own) {
      store.insert(noun, first!, { ...SEEDED_AT, ...record, id: record.id ?? nextId() });
    }
    const others: Records = empty ? [] : other[noun];
    for (const [index, record] of others.entries()) {
      store.insert(noun, second!, { ...SEEDED_AT, ...record, id: `zz-${prefix}-${index + 1}` });
    }
    // Records that are created later must not reuse these ids.
    const highest = Math.max(0, ...[...ids].map((id) => Number(String(id).split('-')[1]) || 0));
    store
      .prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?')
      .run(Math.min(highest, Number.MAX_SAFE_INTEGER), noun);
  }
}

/** Dates of records that have none. Fixed, so that every sandbox starts with the same data. */
const SEEDED_AT = { createdAt: '2014-01-01T00:00:00.000Z', updatedAt: '2014-01-01T00:00:00.000Z' };

function sampleRecords(noun: Seeded, { asOf, hasItems }: Beginning): Records {
  switch (noun) {
    case 'items':
      return hasItems ? items.map(([code, name, type]) => ({ code, name, type })) : [];
    case 'sectors':
      return sectors;
    case 'addresses':
      return addresses.map((address) => ({
        ...address,
        formattedAddress: [address.city, address.state, address.country].join(', '),
      }));
    case 'orders':
      return (orders as unknown as readonly SampleOrder[]).map((sample, index) =>
        orderOf(sample, index, asOf),
      );
  }
}

/** A line of `orders.json`, with the days of its creation and of its last change. */
type SampleOrder = readonly [
  status: string,
  amount: number,
  title: string,
  created: string,
  updated: string,
];

/** Every fifth order is in EUR, so that sums must separate currencies. The source is all in USD. */
const EUR_EVERY = 5;
/** Of the orders of the last 30 days, every third is pending, so that there is something to wait for. */
const PENDING_EVERY = 3;
/** The day of the newest sample order. */
const NEWEST = '2013-08-10';
const DAY_MS = 86_400_000;

function orderOf(sample: SampleOrder, index: number, asOf: string | undefined) {
  const [status, amount, title, ...days] = sample;
  const last = Date.parse(asOf ?? NEWEST);
  const [created, changed] = days.map((day) => Date.parse(day) - Date.parse(NEWEST) + last) as [
    number,
    number,
  ];
  const isPending =
    asOf !== undefined && created > last - 30 * DAY_MS && index % PENDING_EVERY === 0;
  const updated = isPending ? created : asOf === undefined ? changed : Math.min(changed, last);
  return {
    code: `PO-${String(index + 1).padStart(5, '0')}`,
    status: isPending ? 'pending' : status,
    amount,
    currency: (index + 1) % EUR_EVERY === 0 ? 'EUR' : 'USD',
    title,
    createdAt: dateText(created),
    updatedAt: dateText(updated),
  };
}

function dateText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** The records of the first organization, by noun. A noun that is missing keeps its sample data. */
export type SeedRecords = Readonly<Partial<Record<Seeded, Records>>>;

/** A record without an id gets the next free id, e.g. `po-3`. */
function recordOf(noun: Seeded) {
  const form: TableForm = TABLES[noun];
  const of = (names: readonly string[], type: z.ZodMiniType) =>
    names.map((name) => [name, z.optional(type)] as const);
  const texts = of(['id', 'createdAt', 'updatedAt', ...form.texts], z.string());
  return z.object(Object.fromEntries([...texts, ...of(form.numbers ?? [], z.number())]));
}

/**
 * Reads a file of `--seed`: a JSON object with a list of records for each noun.
 *
 * @throws ProcError `invalid_input`, naming the file and the field
 */
export function readSeed(content: string, file: string): SeedRecords {
  const refuse = (problem: string) =>
    new ProcError('invalid_input', `${file}: ${problem}`, {
      hint: 'Use e.g. {"orders": [{"code": "PO-1", "status": "pending", "amount": 100, "currency": "USD"}]}',
    });
  let value: unknown;
  try {
    value = readJson(content);
  } catch (thrown) {
    if (thrown instanceof JsonError) throw refuse(thrown.message);
    throw thrown;
  }
  const lists = SEEDED.map((noun) => [noun, z.optional(z.array(recordOf(noun)))] as const);
  const checked = check(z.object(Object.fromEntries(lists)), value);
  const { issues, unknown } = checked;
  const records = (checked.value ?? {}) as SeedRecords;
  const [issue] = issues;
  if (issue !== undefined) throw refuse(`${issue.field || 'the file'} ${issue.message}`);
  const [field] = unknown;
  if (field !== undefined) {
    const near = field.near === undefined ? '' : `, did you mean ${field.near}`;
    throw refuse(`there is no field ${field.field}${near}`);
  }
  for (const [noun, rows = []] of Object.entries(records)) {
    const ids = rows.flatMap(({ id }) => (id === undefined ? [] : [id]));
    const twice = ids.find((id, index) => ids.indexOf(id) < index);
    if (twice !== undefined) throw refuse(`two ${noun} have the id ${twice}`);
  }
  return records;
}
