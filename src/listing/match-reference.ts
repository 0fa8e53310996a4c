import { ProcError } from '../core/errors.ts';
import type { Row } from '../core/result.ts';
import { show } from '../core/validate.ts';

/** What can be referred to. */
export type ReferenceKind = 'order' | 'item' | 'sector' | 'address';

/** The fields by which each is known; a bare word may be any of them. */
export const REFERENCE_FORMS: Readonly<Record<ReferenceKind, readonly string[]>> = {
  order: ['id', 'code'],
  item: ['id', 'code', 'name'],
  sector: ['id', 'key', 'name'],
  address: ['id', 'alias'],
};

/** A reference as it was typed. */
export interface Reference {
  readonly kind: ReferenceKind;
  readonly typed: string;
  /** `code` of `code=PO-7`; undefined for a bare word. */
  readonly form: string | undefined;
  /** `PO-7`, or the bare word. */
  readonly text: string;
}

const EXPLICIT = /^(id|code|key|name|alias)=([\s\S]*)$/;

/**
 * Reads `PO-7`, `id=po-7` or `code=PO-7`.
 *
 * @throws ProcError `invalid_usage` for a form that such a thing does not have
 */
export function parseReference(kind: ReferenceKind, typed: string): Reference {
  const [, form, text] = EXPLICIT.exec(typed) ?? [];
  if (form === undefined || text === undefined)
    return { kind, typed, form: undefined, text: typed };
  if (!REFERENCE_FORMS[kind].includes(form)) {
    const article = /^[aeio]/.test(kind) ? 'an' : 'a';
    throw new ProcError('invalid_usage', `${show(typed)}: ${article} ${kind} has no ${form}`, {
      hint: `Use one of: ${REFERENCE_FORMS[kind].map((one) => `${one}=…`).join(', ')}`,
    });
  }
  if (text === '') throw new ProcError('invalid_usage', `${typed} names nothing`);
  return { kind, typed, form, text };
}

/** Case counts only for what a service or a system made up. */
const FOLDED: Readonly<Record<ReferenceKind, readonly string[]>> = {
  order: [],
  item: [],
  sector: ['key', 'name'],
  address: [],
};

/** The rows that a reference may mean, each id once. */
export function meantBy({ kind, form, text }: Reference, rows: Iterable<Row>): Row[] {
  const fields = form === undefined ? REFERENCE_FORMS[kind] : [form];
  const all = [...rows];
  const exact = all.filter((row) => fields.some((field) => textOf(row[field]) === text));
  const folded = text.toLowerCase();
  const found =
    exact.length > 0
      ? exact
      : all.filter((row) =>
          fields.some(
            (field) => FOLDED[kind].includes(field) && textOf(row[field])?.toLowerCase() === folded,
          ),
        );
  return [...new Map(found.map((row) => [textOf(row.id) ?? row, row])).values()];
}

/** How a person says that this one of several is meant: `code=PO-7` where that is enough, else its id. */
export function explicitForm({ kind, text }: Reference, row: Row, rows: readonly Row[]): string {
  const form = REFERENCE_FORMS[kind].find(
    (field) =>
      textOf(row[field]) === text &&
      rows.filter((other) => textOf(other[field]) === text).length === 1,
  );
  return form === undefined ? `id=${textOf(row.id) ?? ''}` : `${form}=${text}`;
}

/** An id or code as text; some services number theirs. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined;
}
