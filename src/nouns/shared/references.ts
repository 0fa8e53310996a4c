import type { Context } from '../../context.ts';
import { type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import { EXIT, isSignalled, ProcError } from '../../core/errors.ts';
import { textOf } from '../../core/numbers.ts';
import type { Row } from '../../core/result.ts';
import { inShell, listed } from '../../core/wording.ts';
import * as match from '../../listing/match-reference.ts';
import { NearRows } from '../../listing/match-reference.ts';

export type ReferenceSource = Pick<ReturnType<Context['http']>, 'pages' | 'find'>;

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
  source: ReferenceSource,
  options: Options = {},
): Promise<(typed: string) => Row | ProcError> {
  const kind = kindOf(list);
  const meanings = new Map<string, Row | ProcError>();
  const wanted: match.Reference[] = [];
  for (const text of new Set(typed)) {
    const reference = await failing(() => match.parseReference(kind, text));
    if (reference instanceof ProcError) meanings.set(text, reference);
    else if (reference.form === 'id' && options.needsFields !== true)
      meanings.set(text, { id: reference.text });
    else wanted.push(reference);
  }
  if (wanted.length === 0) return (text) => meanings.get(text)!;
  const meant = await failing(() => read(list, wanted, source, options));
  for (const one of wanted)
    meanings.set(
      one.typed,
      meant instanceof ProcError ? unreadable(meant, one, options) : meant(one),
    );
  return (text) => meanings.get(text)!;
}

/** Searches by code where possible, and reads the list once for all other references. */
async function read(
  list: EndpointSpec,
  wanted: readonly match.Reference[],
  source: ReferenceSource,
  { bareIsCode, isRead }: Options,
): Promise<(reference: match.Reference) => Row | ProcError> {
  const rows = new match.Candidates(kindOf(list), wanted);
  const near = new NearRows(nounOf(list));
  const take = (page: readonly Row[]) => {
    rows.add(page);
    near.add(page);
  };
  const isByCode = ({ form }: match.Reference) => (form ?? (bareIsCode && 'code')) === 'code';
  const codes = wanted.filter(isByCode).map(({ text }) => text);
  const found = codes.length === 0 ? undefined : await source.find(list, codes, take);
  const coded = (one: match.Reference) =>
    isByCode(one)
      ? rows.named(one.text, ['code']).filter(({ code }) => textOf(code) === one.text)
      : [];
  const isSettled = (one: match.Reference) =>
    coded(one).length > 0 || (found?.isProved === true && one.form === 'code');
  let isWhole = found?.isWhole === true;
  if (!isWhole && !wanted.every(isSettled)) {
    const pages = source.pages(list, { stableSort: 'code' });
    for await (const page of pages.rows) take(page);
    isWhole = pages.complete();
  }
  return (one) => {
    const exact = coded(one);
    const fields = match.fieldsOf(one, bareIsCode ? ['id', 'code'] : undefined);
    const named = exact.length > 0 ? exact : rows.named(one.text, fields);
    const isEnough =
      isWhole || isSettled(one) || (named.length > 0 && (one.form === 'id' || isRead === true));
    return only(one, named, {
      ...{ isEnough, fields },
      near: () => near.describe(one.text),
      none: isRead ? 'not_found' : 'reference_not_found',
    });
  };
}

/** What a reference means among rows that are all that there are. */
export function meantAmong(reference: match.Reference, rows: Iterable<Row>): Row | ProcError {
  const fields = match.fieldsOf(reference);
  const named = new match.Candidates(reference.kind, [reference]).add(rows);
  const near = () => undefined;
  return only(reference, named.named(reference.text, fields), {
    ...{ isEnough: true, fields, near, none: 'reference_not_found' },
  });
}

interface Seen {
  /** If one row matches, others that were not read would change nothing. */
  readonly isEnough: boolean;
  readonly fields: readonly string[];
  readonly near: () => string | undefined;
  readonly none: 'not_found' | 'reference_not_found';
}

/** The only row, or why a reference does not mean one. */
function only(
  reference: match.Reference,
  rows: readonly Row[],
  { isEnough, fields, near, none }: Seen,
): Row | ProcError {
  if (rows.length === 1 && isEnough) return rows[0]!;
  const { kind, typed, text } = reference;
  const candidates = rows.map((row) => {
    const { id, code, key, name, title } = row;
    return { id, code, key, name, title, reference: match.explicitForm(reference, row, rows) };
  });
  const forms = candidates.map((one) => one.reference).join(' or ');
  if (!isEnough && rows.length < 2) {
    const message = `the list of ${kind}s may be incomplete, so proc cannot tell which one ${JSON.stringify(typed)} is`;
    const hint = `Use ${forms || `id=${text}, if it is an id`}. To read the whole list, detect the parameter names: proc doctor`;
    return new ProcError('incomplete', message, { hint, details: { candidates } });
  }
  if (rows.length > 0) {
    const named = candidates.map(
      ({ reference: form, name, title, code }) => `${form} (${name ?? title ?? code ?? ''})`,
    );
    const message = `${kind} ${JSON.stringify(typed)} matches ${rows.length} ${kind}s: ${listed(named, 3)}`;
    const hint = `Use one of: ${forms}`;
    return new ProcError('ambiguous_reference', message, { hint, details: { candidates } });
  }
  // `code or id`: the field that people know best comes first.
  const [id, ...others] = fields;
  const named = [others.toReversed().join(', '), id].filter(Boolean).join(' or ');
  const message = `no ${kind} has the ${named} ${JSON.stringify(text)}`;
  const nearest = near();
  return new ProcError(none, [message, nearest ?? []].flat().join('; '), {
    hint:
      kind === 'requisition'
        ? 'List them: proc requisition list'
        : `Search for part of it: proc ${kind}s list ${inShell(text)}`,
    details: nearest && { nearest },
  });
}

/** A write needs no list if it has the id. */
function unreadable(
  error: ProcError,
  { kind, typed }: match.Reference,
  { isRead }: Options,
): ProcError {
  const { code, status, requestId, details, hint } = error;
  // Nor would an id help without a target, or with a key that is refused.
  const isHelped = code === 'no_credential' || error.exitCode > EXIT.unauthorized;
  if (isRead || !isHelped) return error;
  const message = `proc must look up the ${kind} ${JSON.stringify(typed)}: ${error.message}`;
  return new ProcError(code, message, {
    hint: ['If you know the id, use id=…', hint ?? []].flat().join('. '),
    ...{ status, requestId, details, cause: error },
  });
}

/** Returns an error of the service as a value, but throws errors that end the whole command. */
export async function failing<T>(work: () => T | Promise<T>): Promise<T | ProcError> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProcError && !isSignalled(thrown)) return thrown;
    throw thrown;
  }
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
    if (row instanceof ProcError) {
      if (row.code === 'invalid_usage') throw row;
      const { form, text } = match.parseReference(kind, ref);
      // The value to send was typed, so the list is not needed.
      if (form === field && row.exitCode !== EXIT.usage) return { [field]: text };
      if (form !== undefined || row.code !== 'reference_not_found') throw row;
      if (row.details !== undefined)
        ctx.io.say({ kind: 'warning', text: `${row.message}, so it is used as typed` });
      return { [field]: ref };
    }
    if (textOf(row[field]) !== undefined) return row;
    throw new ProcError('reference_not_found', `${kind} ${JSON.stringify(ref)} has no ${field}`);
  };
}

/** `order` of the list of orders. */
function kindOf(list: EndpointSpec): match.ReferenceKind {
  return nounOf(list).replace(/s$/, '') as match.ReferenceKind;
}
