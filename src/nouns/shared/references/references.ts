import type { Context } from '../../../context.ts';
import { type EndpointSpec, nounOf } from '../../../core/endpoint.ts';
import { ProcError } from '../../../core/errors.ts';
import type { Row } from '../../../core/result.ts';
import { textOf } from '../../../core/text/raw-number.ts';
import { inShell } from '../../../core/text/typed.ts';
import {
  explicitForm,
  formsOf,
  parseReference,
  type Reference,
} from '../../../listing/match-reference.ts';
import { type Near, NearRows, sentence } from '../../../listing/near-rows.ts';
import { listOrders } from '../../orders/index.ts';
import { type CatalogueItem, itemOf } from '../catalogue.ts';
import {
  type ListedKind,
  lookUpAll,
  type Meaning,
  type ReferenceSource,
} from './look-up-references.ts';
import { recordName } from './record-name.ts';

/** The record that a reference means. For `id=…` proc looks nothing up, so it has only the id. */
export async function recordMeant(ctx: Context, kind: ListedKind, ref: string): Promise<Row> {
  const meaning = (await meanings(ctx, kind, [ref]))(ref);
  const id = idFrom(ctx, parseReference(kind, ref), meaning);
  return { ...(meaning?.kind === 'found' ? meaning.row : {}), id };
}

/** Like {@link recordMeant}, for an item. */
export async function itemMeant(ctx: Context, ref: string): Promise<CatalogueItem> {
  const row = await recordMeant(ctx, 'item', ref);
  const [item] = itemOf(row);
  const { form, text } = parseReference('item', ref);
  const code = form === 'code' ? text : undefined;
  return { id: textOf(row.id) ?? '', code: item?.code ?? code, name: item?.name };
}

/**
 * The ids of sectors for request paths, all looked up at once. If the list cannot be read, a bare word is
 * used as the id.
 */
export async function sectorIds(
  ctx: Context,
  refs: readonly string[],
): Promise<(ref: string) => string> {
  const means = await meanings(ctx, 'sector', refs);
  return (ref) => {
    const reference = parseReference('sector', ref);
    const meaning = means(ref);
    if (meaning?.kind === 'unreadable' && reference.form === undefined) {
      const text = `could not list the sectors, so ${JSON.stringify(ref)} is used as an id: ${meaning.error.message}`;
      ctx.io.say({ kind: 'warning', text });
      return ref;
    }
    return idFrom(ctx, reference, meaning);
  };
}

/**
 * The rows that references mean. A single match in an incomplete list is accepted, because callers only
 * read.
 *
 * @param hint what else to do if no record matches, e.g. `BA-8327` of `code=BA-8327`
 * @throws ProcError (from the returned function) `not_found`, or as {@link rowFrom}
 */
export async function rowsMeant(
  ctx: Context,
  kind: ListedKind,
  refs: readonly string[],
  hint: (ref: string) => string,
): Promise<(ref: string) => Row> {
  const means = await meanings(ctx, kind, refs, true);
  const alike = new Map<string, Row>();
  for (const ref of refs) {
    if (wellFormed(kind, ref)?.form !== undefined) continue;
    const row = await sameNumber(kind, ref, means(ref), ctx);
    if (row !== undefined) alike.set(ref, row);
  }
  return (ref) => {
    const reference = parseReference(kind, ref);
    const found = alike.get(ref);
    if (found !== undefined) return found;
    const meaning = means(ref);
    if (meaning?.kind === 'unproved' && meaning.rows.length === 1) return meaning.rows[0]!;
    const row = meaning?.kind === 'none' ? undefined : rowFrom(reference, meaning);
    if (row !== undefined) return row;
    const { near } = (meaning ?? {}) as { near?: Near };
    throw new ProcError(
      'not_found',
      `no ${kind} has the ${fieldsOf(reference)} ${JSON.stringify(reference.text)}`,
      { hint: withNear(near, hint(reference.text)) },
    );
  };
}

/**
 * For `284` or `PO-284`: the only order whose code has this number, e.g. `PO-00284`. Only commands that read guess so
 * much.
 */
async function sameNumber(
  kind: ListedKind,
  ref: string,
  meaning: Meaning | undefined,
  ctx: Context,
): Promise<Row | undefined> {
  if (kind !== 'order' || meaning?.kind !== 'none') return undefined;
  const [typed, ...near] = [ref, ...(meaning.near?.rows ?? [])].map((text) =>
    /^(\D*?)[^\p{L}\d]*0*(\d+)(?= |$)/u.exec(text),
  );
  const [, letters = '', number] = typed ?? [];
  const codes = near.flatMap((parts) => {
    const isSame =
      parts?.[2] === number && ['', parts?.[1]?.toLowerCase()].includes(letters.toLowerCase());
    return number !== undefined && isSame ? [parts!.input.split(' ', 1)[0]!] : [];
  });
  const [code] = codes;
  if (code === undefined || codes.length > 1) return undefined;
  const { rows } = await ctx.http().find(listOrders, 'code', code);
  if (rows.length !== 1) return undefined;
  ctx.io.say({
    kind: 'notice',
    text: `${ref} is read as ${recordName(rows[0]!)}.`,
  });
  return rows[0];
}

/**
 * The value of a requisition's `sector`: id, key or name, by the dialect's `sectorValue`. A bare word
 * without a match is used as typed.
 */
export async function sectorValue(ctx: Context, ref: string): Promise<string> {
  const { sectorValue: field } = (await ctx.target()).dialect('requisitions');
  const means = await meanings(ctx, 'sector', [ref], field !== 'id');
  const reference = parseReference('sector', ref);
  const meaning = means(ref)!;
  // The reference already is the value to send, so the list is not needed.
  if (meaning.kind === 'unreadable' && reference.form === field) return reference.text;
  const row = rowFrom(reference, meaning);
  if (row === undefined) return reference.text;
  const value = textOf(row[field]);
  if (value !== undefined) return value;
  throw new ProcError('invalid_usage', `sector ${JSON.stringify(ref)} has no ${field}`, {
    hint: 'Select the field that the service expects: proc profile set NAME -e ENV listNames=sectorValue=id',
  });
}

/** Errors of a service that does not have the list. */
const NO_LOOKUP = new Set(['not_found', 'refused', 'undecodable']);

/**
 * All rows of a list with this code. No rows if a preview may not send requests.
 *
 * @param mustLook whether to throw if the service does not have the list
 */
export async function byCode(
  ctx: Context,
  list: EndpointSpec,
  code: string,
  mustLook = false,
): Promise<readonly Row[]> {
  if (!(await ctx.http().canRead())) return [];
  try {
    return (await ctx.http().find(list, 'code', code)).rows;
  } catch (thrown) {
    if (!mustLook && thrown instanceof ProcError && NO_LOOKUP.has(thrown.code)) return [];
    throw thrown;
  }
}

/** The meaning of each well-formed reference. */
async function meanings(
  ctx: Context,
  kind: ListedKind,
  refs: readonly string[],
  needsFields = false,
): Promise<(ref: string) => Meaning | undefined> {
  const known = refs.filter((ref) => wellFormed(kind, ref) !== undefined);
  return lookUpAll(kind, known, sourceOf(ctx), { needsFields });
}

/**
 * Undefined for an invalid reference. Its error is thrown later, when the caller asks for this reference.
 */
function wellFormed(kind: ListedKind, ref: string): Reference | undefined {
  try {
    return parseReference(kind, ref);
  } catch {
    return undefined;
  }
}

function sourceOf(ctx: Context): ReferenceSource {
  return {
    pages: (list) => ctx.http().pages(list, { stableSort: 'code' }),
    async withCodes(list, codes) {
      const found = [];
      const near = new NearRows(nounOf(list));
      const onRows = (rows: readonly Row[]) => near.add(rows);
      for (const code of codes) {
        found.push(await ctx.http().find(list, 'code', code, onRows));
      }
      return {
        rows: found.flatMap(({ rows }) => rows),
        isProved: found.every(({ isProved }) => isProved),
        near,
      };
    },
    read: (endpoint, input) => ctx.http().call(endpoint, input),
  };
}

function withNear(near: Near | undefined, hint: string): string {
  return near === undefined ? hint : `${sentence(near.text)} ${hint}`;
}

function idFrom(ctx: Context, reference: Reference, meaning: Meaning | undefined): string {
  const row = rowFrom(reference, meaning);
  const id = row === undefined ? reference.text : textOf(row.id);
  if (row === undefined) warnOfNone(ctx, reference, meaning!);
  if (id === undefined) {
    throw new ProcError('reference_not_found', `${nameOf(reference)} has no id`);
  }
  if (id !== reference.text && ctx.flags.verbose) {
    ctx.io.say({ kind: 'notice', text: `${reference.kind} ${reference.typed} has the id ${id}` });
  }
  return id;
}

/**
 * The row that a reference means. Undefined for a bare word without a match, which may be an id.
 *
 * @throws ProcError `ambiguous_reference`, `reference_not_found`, `incomplete`, or the error from reading
 * the list
 */
function rowFrom(reference: Reference, meaning: Meaning | undefined): Row | undefined {
  switch (meaning?.kind) {
    case 'found':
      return meaning.row;
    case 'ambiguous':
      throw ambiguous(reference, meaning.rows);
    case 'unproved':
      throw unproved(reference, meaning.rows, meaning.near);
    case 'unreadable':
      throw unreadable(reference, meaning.error);
    default:
      if (reference.form === undefined) return undefined;
      throw noneHas(reference, meaning?.near);
  }
}

function nameOf({ kind, typed }: Reference): string {
  return `${kind} ${JSON.stringify(typed)}`;
}

/** `code or id`: the field that people know best comes first. */
function fieldsOf({ kind, form }: Reference): string {
  const fields = form === undefined ? formsOf(kind).toReversed() : [form];
  return fields.length > 2
    ? `${fields.slice(0, -1).join(', ')} or ${fields.at(-1)}`
    : fields.join(' or ');
}

/** A bare word may be the id of a record that the list does not show, so it is sent as it is. */
function warnOfNone(ctx: Context, reference: Reference, meaning: Meaning): void {
  if (meaning.kind !== 'none' || meaning.near === undefined) return;
  const text = `no ${reference.kind} has the ${fieldsOf(reference)} ${JSON.stringify(reference.text)}, so it is used as an id; ${meaning.near.text}`;
  ctx.io.say({ kind: 'warning', text });
}

function noneHas(reference: Reference, near: Near | undefined): ProcError {
  const { kind, form, text } = reference;
  const hint =
    kind === 'item' && form === 'code'
      ? `Search for it: proc items list ${inShell(text)}. To define it in place: --new-item name=…,code=${inShell(text)},quantity=…`
      : `List the ${kind}s: proc ${kind}s list`;
  return new ProcError(
    'reference_not_found',
    `no ${kind} has the ${form} ${JSON.stringify(text)}; nothing was sent`,
    { hint: withNear(near, hint) },
  );
}

function unproved(reference: Reference, rows: readonly Row[], near: Near | undefined): ProcError {
  const { kind, text } = reference;
  const [row] = rows;
  const message =
    row === undefined
      ? `no ${kind} with the ${fieldsOf(reference)} ${JSON.stringify(text)} was found, but the list may be incomplete`
      : `${nameOf(reference)} is ${shown(row)}, but the list may be incomplete: another ${kind} may have the same ${fieldsOf(reference)}`;
  const form = row === undefined ? `id=${text}` : explicitForm(reference, row, rows);
  return new ProcError('incomplete', `${message}; nothing was sent`, {
    hint: withNear(
      near,
      `${row === undefined ? `If ${JSON.stringify(text)} is an id, use ${form}` : `Name the field: ${form}`}. To read the whole list, detect the parameter names: proc doctor`,
    ),
    details: { candidates: candidates(reference, rows) },
  });
}

function unreadable(reference: Reference, error: ProcError): ProcError {
  if (reference.form === 'id') return error;
  return new ProcError(error.code, error.message, {
    hint: `If you know the id, use id=…${error.hint === undefined ? '' : `. ${error.hint}`}`,
    status: error.status,
    requestId: error.requestId,
    details: error.details,
    cause: error,
  });
}

function ambiguous(reference: Reference, rows: readonly Row[]): ProcError {
  const forms = rows.map((row) => explicitForm(reference, row, rows));
  return new ProcError(
    'ambiguous_reference',
    `${nameOf(reference)} matches ${rows.length} ${reference.kind}s`,
    {
      hint: `Use one of: ${forms.join(' or ')}`,
      details: { candidates: candidates(reference, rows) },
    },
  );
}

function shown({ id, name, title, code, key }: Row): string {
  const label = [code ?? key, name ?? title]
    .filter((part) => part !== undefined && part !== null && part !== '')
    .join(' ');
  const text = textOf(id) ?? '';
  return label === '' ? text : `${text} (${label})`;
}

function candidates(reference: Reference, rows: readonly Row[]): readonly Row[] {
  return rows.map((row) => {
    const { id, code, key, name, title } = row;
    return { id, code, key, name, title, reference: explicitForm(reference, row, rows) };
  });
}
