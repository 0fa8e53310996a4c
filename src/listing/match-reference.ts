import { ProcError } from '../core/errors.ts';
import type { Row } from '../core/result.ts';
import { textOf } from '../core/text/raw-number.ts';
import { show } from '../core/validate.ts';

export type ReferenceKind = 'order' | 'item' | 'sector' | 'address' | 'requisition';

interface Naming {
  /** The fields by which people refer to a record. A bare word may be the value of any of them. */
  readonly fields: readonly string[];
  /** Fields compared without case if no row matches exactly. */
  readonly anyCase: readonly string[];
}

const NAMING = {
  order: { fields: ['id', 'code'], anyCase: [] },
  item: { fields: ['id', 'code', 'name'], anyCase: [] },
  sector: { fields: ['id', 'key', 'name'], anyCase: ['key', 'name'] },
  address: { fields: ['id', 'name'], anyCase: [] },
  requisition: { fields: ['id', 'code'], anyCase: [] },
} as const satisfies Readonly<Record<ReferenceKind, Naming>>;

export function formsOf(kind: ReferenceKind): readonly string[] {
  return NAMING[kind].fields;
}

export interface Reference {
  readonly kind: ReferenceKind;
  readonly typed: string;
  readonly form: string | undefined;
  readonly text: string;
}

const EXPLICIT = /^(id|code|key|name)=([\s\S]*)$/;

/**
 * Reads `PO-7`, `id=po-7` or `code=PO-7`.
 *
 * @throws ProcError `invalid_usage` for a field that this kind does not have
 */
export function parseReference(kind: ReferenceKind, typed: string): Reference {
  const [, form, text = typed] = EXPLICIT.exec(typed) ?? [];
  const mistake = mistakeIn(kind, typed);
  if (mistake !== undefined) {
    throw new ProcError('invalid_usage', mistake.text, { hint: mistake.hint });
  }
  return { kind, typed, form, text };
}

/**
 * The service cannot list addresses, so only an id names one: `adr-1` or `id=adr-1`.
 *
 * @throws ProcError `invalid_usage`
 */
export function addressId(ref: string): string {
  const [, form = 'id', id = ref] = EXPLICIT.exec(ref) ?? [];
  if (form !== 'id') {
    throw new ProcError('invalid_usage', `${show(ref)}: an address has no ${form}`, {
      hint: 'Use its id',
    });
  }
  if (id === '') throw new ProcError('invalid_usage', `${show(ref)} has no value`);
  return id;
}

/** What is wrong with the form of a reference, for a row of an import. */
export function mistakeIn(
  kind: ReferenceKind,
  typed: string,
): { readonly text: string; readonly hint?: string } | undefined {
  const [, form, text] = EXPLICIT.exec(typed) ?? [];
  if (form === undefined) return undefined;
  const forms = formsOf(kind);
  if (!forms.includes(form)) {
    const text = `${show(typed)}: ${/^[aeio]/.test(kind) ? 'an' : 'a'} ${kind} has no ${form}`;
    return { text, hint: `Use one of: ${forms.map((one) => `${one}=…`).join(', ')}` };
  }
  return text === '' ? { text: `${typed} has no value` } : undefined;
}

/** Indexes the rows that the references may match, and keeps no other rows. */
export class CandidateRows {
  readonly #kind: ReferenceKind;
  /** The texts of the references, also in lower case. */
  readonly #wanted: ReadonlySet<string>;
  /** By `field=text`, and by `~field=text` in lower case. */
  readonly #rows = new Map<string, Row[]>();

  constructor(kind: ReferenceKind, references: Iterable<Reference>) {
    this.#kind = kind;
    this.#wanted = new Set([...references].flatMap(({ text }) => [text, text.toLowerCase()]));
  }

  add(rows: Iterable<Row>): this {
    const { fields, anyCase }: Naming = NAMING[this.#kind];
    for (const row of rows) {
      for (const field of fields) {
        const text = textOf(row[field]);
        if (text === undefined) continue;
        this.#note('', field, text, row);
        if (anyCase.includes(field)) this.#note('~', field, text.toLowerCase(), row);
      }
    }
    return this;
  }

  #note(mark: '' | '~', field: string, text: string, row: Row): void {
    if (!this.#wanted.has(text)) return;
    const key = `${mark}${field}=${text}`;
    const known = this.#rows.get(key);
    if (known === undefined) this.#rows.set(key, [row]);
    else known.push(row);
  }

  /**
   * The rows with this text in one of the fields, each id once. Ignores case only if no row matches exactly.
   */
  named(text: string, form?: string): readonly Row[] {
    const fields = form === undefined ? formsOf(this.#kind) : [form];
    const at = (mark: '' | '~', wanted: string) =>
      fields.flatMap((field) => this.#rows.get(`${mark}${field}=${wanted}`) ?? []);
    const exact = at('', text);
    const rows = exact.length > 0 ? exact : at('~', text.toLowerCase());
    return [...new Map(rows.map((row) => [textOf(row.id) ?? row, row])).values()];
  }
}

export type Match =
  | { readonly kind: 'found'; readonly row: Row }
  | { readonly kind: 'ambiguous'; readonly rows: readonly Row[] }
  | { readonly kind: 'none' }
  /** The list may be incomplete, so it is not certain which record is meant, even if one row matches. */
  | { readonly kind: 'unproved'; readonly rows: readonly Row[] };

export interface MatchOptions {
  readonly isWhole: boolean;
  /** Look up a bare word as a code first, and as an id only if no code matches. */
  readonly bareIsCode?: boolean | undefined;
}

export function isByCode(
  { form }: Reference,
  { bareIsCode }: Omit<MatchOptions, 'isWhole'>,
): boolean {
  return form === 'code' || (bareIsCode === true && form === undefined);
}

/**
 * The rule for references, for commands and imports. If `code=` or `id=` matches a row, it does not matter
 * whether the list is complete.
 * A bare word may be the id of one record and the code of another. So without `bareIsCode`, all fields
 * count.
 */
export function matchReference(
  reference: Reference,
  rows: CandidateRows,
  options: MatchOptions,
): Match {
  const { form, text } = reference;
  const isCode = isByCode(reference, options);
  const coded = isCode ? rows.named(text, 'code') : [];
  if (coded.length > 0) return among(coded);
  const found = form === 'code' ? [] : rows.named(text, isCode ? 'id' : form);
  const isEnough = options.isWhole || found.length > 1 || (form === 'id' && found.length > 0);
  return isEnough ? among(found) : { kind: 'unproved', rows: found };
}

function among(rows: readonly Row[]): Match {
  const [row] = rows;
  if (row === undefined) return { kind: 'none' };
  return rows.length === 1 ? { kind: 'found', row } : { kind: 'ambiguous', rows };
}

/** How to select one of several rows: `code=PO-7` if no other row has that code, otherwise its id. */
export function explicitForm({ kind, text }: Reference, row: Row, rows: readonly Row[]): string {
  const form = formsOf(kind).find(
    (field) =>
      textOf(row[field]) === text &&
      rows.filter((other) => textOf(other[field]) === text).length === 1,
  );
  return form === undefined ? `id=${textOf(row.id) ?? ''}` : `${form}=${text}`;
}
