import type { Context } from '../../context.ts';
import { type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import { EXIT, failing, ProcError } from '../../core/errors.ts';
import { foldCode } from '../../core/fold-code.ts';
import { textOf } from '../../core/numbers.ts';
import type { Row } from '../../core/result.ts';
import { show } from '../../core/validate.ts';
import { inShell, listed } from '../../core/wording.ts';
import { NearRows } from '../../listing/near-rows.ts';
import { truncate } from '../../terminal/width.ts';

/** The fields by which people refer to a record. A bare word may be the value of any of them. */
const FIELDS = {
  order: ['id', 'code'],
  item: ['id', 'code', 'name'],
  sector: ['id', 'key', 'name'],
  // The service cannot list addresses.
  address: ['id'],
  // Those that were sent from here.
  requisition: ['id', 'code'],
} as const;

export type ReferenceKind = keyof typeof FIELDS;

interface Reference {
  readonly kind: ReferenceKind;
  readonly typed: string;
  /** The field, if it was typed, or if there is only one. */
  readonly form: string | undefined;
  readonly text: string;
  /** The fields that may have the text. */
  readonly fields: readonly string[];
}

/**
 * Reads `PO-7`, `id=po-7` or `code=PO-7`.
 *
 * @throws ProcError `invalid_usage`
 */
export function parseReference(kind: ReferenceKind, typed: string): Reference {
  const all: readonly string[] = FIELDS[kind];
  const bare = all.length === 1 ? 'id' : undefined;
  const [, form = bare, text = typed] = /^(id|code|key|name)=([\s\S]*)$/.exec(typed) ?? [];
  if (form !== undefined && !all.includes(form)) {
    const hint = `Use one of: ${all.map((one) => `${one}=…`).join(', ')}`;
    throw new ProcError('invalid_usage', `${show(typed)}: no ${kind} has a ${form}`, { hint });
  }
  if (text !== '') return { kind, typed, form, text, fields: form === undefined ? all : [form] };
  throw new ProcError('invalid_usage', `${typed || `the ${kind}`} has no value`);
}

/** @throws ProcError `invalid_usage` */
export function addressId(typed: string): string {
  return parseReference('address', typed).text;
}

export const addressRecords = async () => (ref: string) => ({ id: addressId(ref) });

type Source = Pick<ReturnType<Context['http']>, 'pages' | 'find'>;

interface Options {
  /** A bare word is a code first, because it comes from a column of codes. */
  readonly bareIsCode?: boolean;
  /** Read the record even if its id is given. */
  readonly needsFields?: boolean;
  /** For a read, one match is enough in a list that may be incomplete, and none is `not_found`. */
  readonly isRead?: boolean;
}

/**
 * Looks references up, all at once.
 *
 * @param list the list that shows the records
 * @returns what each means: a row, or the error `invalid_usage`, `ambiguous_reference`, `incomplete`,
 * `reference_not_found`, `not_found`, or that of the list
 */
export async function lookUp(
  list: EndpointSpec,
  typed: Iterable<string>,
  source: Source,
  options: Options = {},
): Promise<(typed: string) => Row | ProcError> {
  const meanings = new Map<string, Row | ProcError>();
  const wanted: Reference[] = [];
  for (const text of new Set(typed)) {
    const reference = await failing(() => parseReference(kindOf(list), text));
    if (reference instanceof ProcError) meanings.set(text, reference);
    else if (reference.form === 'id' && options.needsFields !== true)
      meanings.set(text, { id: reference.text });
    else wanted.push(reference);
  }
  const meant = await failing(() => read(list, wanted, source, options));
  for (const one of wanted)
    meanings.set(one.typed, meant instanceof ProcError ? unread(meant, one, options) : meant(one));
  return (text) => meanings.get(text)!;
}

/** `order` of the list of orders. */
function kindOf(list: EndpointSpec): ReferenceKind {
  return nounOf(list).replace(/s$/, '') as ReferenceKind;
}

/** Searches by code where possible, and reads the list once for all other references. */
async function read(
  list: EndpointSpec,
  wanted: readonly Reference[],
  source: Source,
  { bareIsCode, isRead }: Options,
): Promise<(reference: Reference) => Row | ProcError> {
  /** By id, the rows that have a text in any field, by its fold. */
  const rows = new Map(wanted.map(({ text }) => [foldCode(text), new Map<unknown, Row>()]));
  const near = new NearRows(nounOf(list));
  const take = (page: readonly Row[]): void => {
    near.add(page);
    for (const row of page)
      for (const field of FIELDS[kindOf(list)])
        rows.get(foldCode(textOf(row[field]) ?? ''))?.set(textOf(row.id) ?? row, row);
  };
  const isByCode = ({ form }: Reference) => (form ?? (bareIsCode && 'code')) === 'code';
  const codes = wanted.filter(isByCode).map(({ text }) => text);
  const found = codes.length === 0 ? undefined : await source.find(list, codes, take);
  const rowsOf = ({ text }: Reference) => [...rows.get(foldCode(text))!.values()];
  const coded = (one: Reference) =>
    isByCode(one) ? rowsOf(one).filter(({ code }) => textOf(code) === one.text) : [];
  const isSettled = (one: Reference) =>
    coded(one).length > 0 || (found?.isProved === true && one.form === 'code');
  let isWhole = found?.isWhole === true;
  if (!isWhole && !wanted.every(isSettled)) {
    const pages = source.pages(list, { stableSort: 'code' });
    for await (const page of pages.rows) take(page);
    isWhole = pages.complete();
  }
  return (one) => {
    const fields = bareIsCode && one.form === undefined ? ['id', 'code'] : one.fields;
    const exact = coded(one);
    const named = exact.length > 0 ? exact : having(one.text, fields, rowsOf(one));
    const isEnough =
      isWhole || isSettled(one) || (named.length > 0 && (one.form === 'id' || isRead === true));
    if (named.length > 0 || !isEnough) return only(one, named, isEnough);
    return none({ ...one, fields }, near.describe(one.text), isRead);
  };
}

/** What a reference means among rows that are all that there are. */
export function meantAmong(reference: Reference, rows: readonly Row[]): Row | ProcError {
  const named = having(reference.text, reference.fields, rows);
  return named.length > 0 ? only(reference, named, true) : none(reference);
}

/** The rows with this text. The fold counts only if no row has exactly this text, and never for ids. */
function having(text: string, fields: readonly string[], rows: readonly Row[]): readonly Row[] {
  const exact = rows.filter((row) => fields.some((field) => textOf(row[field]) === text));
  if (exact.length > 0) return exact;
  const isFold = (value: unknown) => foldCode(textOf(value) ?? '') === foldCode(text);
  return rows.filter((row) => fields.some((field) => field !== 'id' && isFold(row[field])));
}

/**
 * The only row, or why a reference does not mean one.
 *
 * @param isEnough if one row matches, others that were not read would change nothing
 */
function only(
  { kind, typed, text }: Reference,
  rows: readonly Row[],
  isEnough: boolean,
): Row | ProcError {
  if (rows.length === 1 && isEnough) return rows[0]!;
  const has = (row: Row, field: string) => textOf(row[field]) === text;
  const candidates = rows.map((row) => {
    const { id, code, key, name, title } = row;
    const form = FIELDS[kind].find(
      (field) => has(row, field) && rows.filter((other) => has(other, field)).length === 1,
    );
    const reference = form === undefined ? `id=${textOf(id) ?? ''}` : `${form}=${text}`;
    return { id, code, key, name, title, reference };
  });
  const forms = candidates.map(({ reference }) => reference).join(' or ');
  if (rows.length < 2) {
    const message = `the list of ${kind}s may be incomplete, so proc cannot tell which one ${JSON.stringify(typed)} is`;
    const hint = `Use ${forms || `id=${text}, if it is an id`}. To read the whole list, detect the parameter names: proc doctor`;
    return new ProcError('incomplete', message, { hint, details: { candidates } });
  }
  const named = candidates.map(
    ({ reference, name, title, code }) => `${reference} (${name ?? title ?? code ?? ''})`,
  );
  const message = `${kind} ${JSON.stringify(typed)} matches ${rows.length} ${kind}s: ${listed(named, 3)}`;
  const hint = `Use one of: ${forms}`;
  return new ProcError('ambiguous_reference', message, { hint, details: { candidates } });
}

function none({ kind, text, fields }: Reference, nearest?: string, isRead = false): ProcError {
  // The field that people know best comes first.
  const names = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(fields.toReversed());
  const message = `no ${kind} has the ${names} ${JSON.stringify(text)}`;
  const isSent = kind === 'requisition';
  return new ProcError(
    isRead ? 'not_found' : 'reference_not_found',
    nearest === undefined ? message : `${message}; ${nearest}`,
    {
      hint: isSent
        ? 'List them: proc requisition list'
        : `Search for part of it: proc ${kind}s list ${inShell(text)}`,
      details: nearest && { nearest },
    },
  );
}

/** A write needs no list if it has the id. */
function unread(error: ProcError, { kind, typed }: Reference, { isRead }: Options): ProcError {
  // Nor would an id help without a target, or with a key that is refused.
  const isHelped = error.code === 'no_credential' || error.exitCode > EXIT.unauthorized;
  if (isRead || !isHelped) return error;
  const message = `proc must look up the ${kind} ${JSON.stringify(typed)}: ${error.message}`;
  const hint = ['If you know the id, use id=…', error.hint ?? []].flat().join('. ');
  return new ProcError(error.code, message, { ...error, hint, cause: error });
}

/** The rows that references mean, for a command that shows them. */
export async function rowsMeant(ctx: Context, list: EndpointSpec, refs: readonly string[]) {
  const means = await lookUp(list, refs, ctx.http(), { needsFields: true, isRead: true });
  return (ref: string): Row => {
    const row = means(ref);
    if (row instanceof ProcError) throw row;
    return row;
  };
}

/**
 * The records that references mean, for a write. A list may not show a new record, so a bare word without a match
 * is used as typed.
 *
 * @param field what is sent: every row has it, that of such a word and, for `id`, that of `id=…` only this one
 */
export async function recordsMeant(
  ctx: Context,
  list: EndpointSpec,
  refs: readonly string[],
  field = 'id',
) {
  const kind = kindOf(list);
  const means = await lookUp(list, refs, ctx.http(), { needsFields: field !== 'id' });
  return (ref: string): Row => {
    const row = means(ref);
    if (!(row instanceof ProcError)) {
      if (textOf(row[field]) !== undefined) return row;
      throw new ProcError('reference_not_found', `${kind} ${JSON.stringify(ref)} has no ${field}`);
    }
    if (row.code === 'invalid_usage') throw row;
    const { form, text } = parseReference(kind, ref);
    // The value to send was typed, so the list is not needed.
    if (form === field && row.exitCode !== EXIT.usage) return { [field]: text };
    if (form !== undefined || row.code !== 'reference_not_found') throw row;
    if (row.details !== undefined)
      ctx.io.say({ kind: 'warning', text: `${row.message}, so it is used as typed` });
    return { [field]: ref };
  };
}

/** A name of the service may be of any length, and a question must fit on the screen. */
const LONGEST = 60;

/**
 * What people call a record: `BA-8327 "BB Ball Bearing"`, `adr-1 "Alpine, California"`. Only the id if
 * nothing else is known.
 */
export function recordName({ id, code, key, name, title, formattedAddress }: Row): string {
  const [short = ''] = [code, key, id].flatMap((one) => textOf(one) || []);
  const [long] = [name, title, formattedAddress].flatMap((one) => textOf(one) || []);
  const named = long === undefined ? '' : `"${truncate(long, LONGEST)}"`;
  return [truncate(short, LONGEST), named].filter(Boolean).join(' ');
}
