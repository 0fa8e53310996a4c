import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import * as z from 'zod/mini';
import { ProcError } from '../../core/errors.ts';
import { JsonError, readJson } from '../../core/text/strict-json.ts';
import { check } from '../../core/validate.ts';
import { SANDBOX_KEYS } from '../server/sandbox-keys.ts';
import { ID_PREFIX } from './sandbox-store.ts';
import { insertAll } from './seed.ts';

const text = z.optional(z.string());
const number = z.optional(z.number());
/** Fields that every record may have. A record without an id gets the next free id, e.g. `po-3`. */
const OWN = { id: text, createdAt: text, updatedAt: text };

const seedFile = z.object({
  orders: z.optional(
    z.array(
      z.object({ ...OWN, code: text, status: text, amount: number, currency: text, title: text }),
    ),
  ),
  items: z.optional(
    z.array(
      z.object({
        ...OWN,
        name: text,
        code: text,
        description: text,
        unitOfMeasure: text,
        brand: text,
        material: text,
        certification: text,
        type: text,
        title: text,
      }),
    ),
  ),
  sectors: z.optional(z.array(z.object({ ...OWN, key: text, name: text, description: text }))),
  addresses: z.optional(
    z.array(
      z.object({
        ...OWN,
        name: text,
        street: text,
        streetNumber: text,
        postalCode: text,
        city: text,
        state: text,
        country: text,
        formattedAddress: text,
      }),
    ),
  ),
});

/** The records of the first organization, by noun. A noun that is missing keeps its sample data. */
export type SeedRecords = z.output<typeof seedFile>;

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
  const { value: records, issues, unknown } = check(seedFile, value);
  const [issue] = issues;
  if (issue !== undefined) throw refuse(`${issue.field || 'the file'} ${issue.message}`);
  const [field] = unknown;
  if (field !== undefined) {
    const near = field.near === undefined ? '' : `, did you mean ${field.near}`;
    throw refuse(`there is no field ${field.field}${near}`);
  }
  for (const [noun, rows] of Object.entries(records!)) {
    const ids = (rows ?? []).flatMap(({ id }) => (id === undefined ? [] : [id]));
    const twice = ids.find((id, index) => ids.indexOf(id) < index);
    if (twice !== undefined) throw refuse(`two ${noun} have the id ${twice}`);
  }
  return records!;
}

export function applySeed(database: DatabaseSync, seed: SeedRecords): void {
  const { organizationId } = SANDBOX_KEYS[0];
  for (const noun of ['orders', 'items', 'sectors', 'addresses'] as const) {
    const rows = seed[noun];
    if (rows === undefined) continue;
    database.prepare(`DELETE FROM ${noun} WHERE organizationId = ?`).run(organizationId);
    const prefix = ID_PREFIX[noun];
    const taken = new Set(rows.map(({ id }) => id));
    let number = 0;
    const next = (): string => {
      do number++;
      while (taken.has(`${prefix}-${number}`));
      return `${prefix}-${number}`;
    };
    insertAll(
      database,
      noun,
      rows.map((row) => ({ organizationId, ...defined(row), id: row.id ?? next() })),
    );
    // Records that are created later must not reuse these ids.
    const highest = Math.max(
      0,
      ...[...taken].map((id) => Number(id?.slice(prefix.length + 1)) || 0),
    );
    database
      .prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?')
      .run(Math.min(highest, Number.MAX_SAFE_INTEGER), noun);
  }
}

function defined(row: Readonly<Record<string, SQLInputValue | undefined>>) {
  return Object.fromEntries(
    Object.entries(row).filter((entry): entry is [string, SQLInputValue] => entry[1] !== undefined),
  );
}
