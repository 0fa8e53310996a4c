import { ProcError } from '../core/errors.ts';
import { textOf } from '../core/numbers.ts';
import type { Row } from '../core/result.ts';
import { show } from '../core/validate.ts';
import { closeness, foldCode } from '../core/wording.ts';

export type ReferenceKind = 'order' | 'item' | 'sector' | 'address' | 'requisition';

/** The fields by which people refer to a record. A bare word may be the value of any of them. */
const FIELDS: Readonly<Record<ReferenceKind, readonly string[]>> = {
  order: ['id', 'code'],
  item: ['id', 'code', 'name'],
  sector: ['id', 'key', 'name'],
  // The service cannot list addresses.
  address: ['id'],
  // Those that were sent from here.
  requisition: ['id', 'code'],
};

export interface Reference {
  readonly kind: ReferenceKind;
  readonly typed: string;
  /** The field, if it was typed, or if there is only one. */
  readonly form: string | undefined;
  readonly text: string;
}

/**
 * Reads `PO-7`, `id=po-7` or `code=PO-7`.
 *
 * @throws ProcError `invalid_usage`
 */
export function parseReference(kind: ReferenceKind, typed: string): Reference {
  const fields = FIELDS[kind];
  const bare = fields.length === 1 ? 'id' : undefined;
  const [, form = bare, text = typed] = /^(id|code|key|name)=([\s\S]*)$/.exec(typed) ?? [];
  if (form !== undefined && !fields.includes(form)) {
    const a = /^[aeio]/.test(kind) ? 'an' : 'a';
    throw new ProcError('invalid_usage', `${show(typed)}: ${a} ${kind} has no ${form}`, {
      hint: `Use one of: ${fields.map((one) => `${one}=…`).join(', ')}`,
    });
  }
  if (text !== '') return { kind, typed, form, text };
  throw new ProcError('invalid_usage', `${typed || `the ${kind}`} has no value`);
}

/** @throws ProcError `invalid_usage` */
export function addressId(typed: string): string {
  return parseReference('address', typed).text;
}

/** The rows that references may mean. Keeps no others. */
export class Candidates {
  readonly #fields: readonly string[];
  readonly #wanted: ReadonlySet<string>;
  /** By `field=text`, folded. */
  readonly #rows = new Map<string, Row[]>();

  constructor(kind: ReferenceKind, references: readonly Reference[]) {
    this.#fields = FIELDS[kind];
    this.#wanted = new Set(references.map(({ text }) => foldCode(text)));
  }

  add(rows: Iterable<Row>): this {
    for (const row of rows)
      for (const field of this.#fields) {
        const text = foldCode(textOf(row[field]) ?? '');
        if (!this.#wanted.has(text)) continue;
        const key = `${field}=${text}`;
        const known = this.#rows.get(key);
        if (known === undefined) this.#rows.set(key, [row]);
        else known.push(row);
      }
    return this;
  }

  /**
   * The rows with this text in one of the fields, each id once. The fold counts only if no row has exactly this text,
   * and never for ids.
   */
  named(text: string, fields: readonly string[]): readonly Row[] {
    const isExact = (row: Row, field: string) => textOf(row[field]) === text;
    const found = fields.flatMap((field) =>
      (this.#rows.get(`${field}=${foldCode(text)}`) ?? [])
        .filter((row) => field !== 'id' || isExact(row, field))
        .map((row) => ({ row, isExact: isExact(row, field) })),
    );
    const exact = found.filter((one) => one.isExact);
    const rows = (exact.length > 0 ? exact : found).map(({ row }) => row);
    return [...new Map(rows.map((row) => [textOf(row.id) ?? row, row])).values()];
  }
}

/** The fields that may have the text of a reference. @param bare those of a bare word */
export function fieldsOf({ kind, form }: Reference, bare = FIELDS[kind]): readonly string[] {
  return form === undefined ? bare : [form];
}

/** How to select one of several rows: `code=PO-7` if no other row has that code, otherwise its id. */
export function explicitForm({ kind, text }: Reference, row: Row, rows: readonly Row[]): string {
  const has = (one: Row, field: string) => textOf(one[field]) === text;
  const form = FIELDS[kind].find(
    (field) => has(row, field) && rows.filter((other) => has(other, field)).length === 1,
  );
  return form === undefined ? `id=${textOf(row.id) ?? ''}` : `${form}=${text}`;
}

type Named = Partial<Record<'id' | 'code' | 'key' | 'name' | 'title', unknown>>;

/** How many rows a message names. */
const NAMED = 3;
/** Of longer lists, only the first rows are kept. */
const MOST_KEPT = 50_000;
/** A search of so many rows takes most of a second, and an import may have thousands of wrong references. */
const MOST_ASKED = 5;

/** Keeps the names of the rows that a look-up reads, to tell the nearest if it finds nothing. */
export class NearRows {
  readonly #noun: string;
  /** By id. */
  readonly #kept = new Map<unknown, Named>();
  #asked = 0;

  /** @param noun plural, e.g. `orders` */
  constructor(noun: string) {
    this.#noun = noun;
  }

  add(rows: Iterable<Named>): this {
    for (const { id, code, key, name, title } of rows) {
      const row = { id, code, key, name, title };
      if (this.#kept.size < MOST_KEPT) this.#kept.set(id ?? row, row);
    }
    return this;
  }

  /** At most three rows, the nearest first; compares ids, codes, keys, names and their words. */
  nearest(text: string): readonly Named[] {
    return [...this.#kept.values()]
      .map((row) => ({ row, far: closeness(text, labelsOf(row)) }))
      .filter(({ far }) => far < Number.POSITIVE_INFINITY)
      .sort((a, b) => a.far - b.far)
      .slice(0, NAMED)
      .map(({ row }) => row);
  }

  /** `nearest orders: PO-00042 (Chains)`; undefined if no row is similar, or after too many questions. */
  describe(text: string): string | undefined {
    if (++this.#asked > MOST_ASKED) return undefined;
    const rows = this.nearest(text).map(rowLabel);
    return rows.length === 0 ? undefined : `nearest ${this.#noun}: ${rows.join(', ')}`;
  }
}

function labelsOf({ id, code, key, name, title }: Named): readonly string[] {
  return [id, code, key, name, title].flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  );
}

/** `PO-00042 (Chains)` */
function rowLabel({ id, code, key, name, title }: Named): string {
  const label = name ?? title;
  const word = `${code ?? key ?? id}`;
  return label === undefined || label === null || label === '' ? word : `${word} (${label})`;
}
