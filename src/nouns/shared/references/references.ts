import type { Context } from '../../../context.ts';
import { nounOf } from '../../../core/endpoint.ts';
import { ProcError } from '../../../core/errors.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import type { Row } from '../../../core/result.ts';
import { capital } from '../../../core/text/listed.ts';
import { textOf } from '../../../core/text/raw-number.ts';
import { inShell } from '../../../core/text/typed.ts';
import {
  explicitForm,
  formsOf,
  parseReference,
  type Reference,
} from '../../../listing/match-reference.ts';
import { type Near, NearRows } from '../../../listing/near-rows.ts';
import { type CatalogueItem, itemOf } from '../catalogue.ts';
import {
  type ListedKind,
  lookUpAll,
  type Meaning,
  type ReferenceSource,
} from './look-up-references.ts';

/** The record that a reference means. For `id=…` proc looks nothing up, so it has only the id. */
export async function recordMeant(ctx: Context, kind: ListedKind, ref: string): Promise<Row> {
  const meaning = (await meanings(ctx, kind, [ref]))(ref);
  const id = idFrom(ctx, parseReference(kind, ref), meaning);
  return { ...(meaning.kind === 'found' ? meaning.row : {}), id };
}

/** Like {@link recordMeant}, for an item. */
export async function itemMeant(ctx: Context, ref: string): Promise<CatalogueItem> {
  const row = await recordMeant(ctx, 'item', ref);
  const [item] = itemOf(row);
  const { form, text } = parseReference('item', ref);
  const code = form === 'code' ? text : undefined;
  return { id: textOf(row.id) ?? '', code: item?.code ?? code, name: item?.name };
}

/** The ids of sectors for request paths, all looked up at once. */
export async function sectorIds(
  ctx: Context,
  refs: readonly string[],
): Promise<(ref: string) => string> {
  const means = await meanings(ctx, 'sector', refs);
  return (ref) => idFrom(ctx, parseReference('sector', ref), means(ref));
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
  return (ref) => {
    const reference = parseReference(kind, ref);
    const meaning = means(ref);
    if (meaning.kind === 'unproved' && meaning.rows.length === 1) return meaning.rows[0]!;
    if (meaning.kind !== 'none') return rowFrom(reference, meaning)!;
    throw new ProcError('not_found', noneHas(reference), {
      hint: withNear(meaning.near, hint(reference.text)),
    });
  };
}

/**
 * The value of a requisition's `sector`: id, key or name, by the dialect's `sectorValue`. A bare word
 * without a match is used as typed.
 */
export async function sectorValue(ctx: Context, ref: string): Promise<string> {
  const { sectorValue: field } = (await ctx.target()).dialect('requisitions');
  const reference = parseReference('sector', ref);
  if (reference.text === '') throw new ProcError('invalid_usage', '--sector has no value');
  const meaning = (await meanings(ctx, 'sector', [ref], field !== 'id'))(ref);
  // The reference already is the value to send, so the list is not needed.
  if (meaning.kind === 'unreadable' && reference.form === field) return reference.text;
  const row = rowFrom(reference, meaning);
  if (row === undefined)
    return usedAsTyped(ctx, reference, meaning, field === 'id' ? 'an id' : `a ${field}`);
  const value = textOf(row[field]);
  if (value !== undefined) return value;
  throw new ProcError('invalid_usage', `sector ${JSON.stringify(ref)} has no ${field}`, {
    hint: 'Select the field that the service expects: proc profile set NAME -e ENV listNames=sectorValue=id',
  });
}

/** What references mean. An invalid one is refused when its meaning is asked for. */
function meanings(
  ctx: Context,
  kind: ListedKind,
  refs: readonly string[],
  needsFields = false,
): Promise<(ref: string) => Meaning> {
  const valid = refs.filter((ref) => {
    try {
      return parseReference(kind, ref) !== undefined;
    } catch {
      return false;
    }
  });
  return lookUpAll(kind, valid, sourceOf(ctx), { needsFields });
}

function sourceOf(ctx: Context): ReferenceSource {
  return {
    pages: (list) => ctx.http().pages(list, { stableSort: 'code' }),
    async withCodes(list, codes) {
      const found = [];
      const near = new NearRows(nounOf(list));
      const onRows = (rows: readonly Row[]) => near.add(rows);
      for (const code of codes) found.push(await ctx.http().find(list, 'code', code, onRows));
      const isProved = found.every((one) => one.isProved);
      return { rows: found.flatMap(({ rows }) => rows), isProved, near };
    },
    read: (endpoint, input) => ctx.http().call(endpoint, input),
  };
}

function idFrom(ctx: Context, reference: Reference, meaning: Meaning): string {
  const row = rowFrom(reference, meaning);
  if (row === undefined) {
    return usedAsTyped(ctx, reference, meaning, 'an id');
  }
  const id = textOf(row.id);
  if (id === undefined)
    throw new ProcError('reference_not_found', `${nameOf(reference)} has no id`);
  return id;
}

/** A bare word may name a record that the list does not show, so it is sent as it is. */
function usedAsTyped(ctx: Context, reference: Reference, meaning: Meaning, as: string): string {
  const near = meaning.kind === 'none' ? meaning.near : undefined;
  const text = `${noneHas(reference)}, so it is used as ${as}; ${near?.text}`;
  if (near !== undefined) ctx.io.say({ kind: 'warning', text });
  return reference.text;
}

/**
 * The row that a reference means. Undefined for a bare word without a match, which may be an id.
 *
 * @throws ProcError `ambiguous_reference`, `reference_not_found`, `incomplete`, or the error from reading
 * the list
 */
export function rowFrom(reference: Reference, meaning: Meaning): Row | undefined {
  const { kind, form, text } = reference;
  switch (meaning.kind) {
    case 'found':
      return meaning.row;
    case 'ambiguous': {
      const { rows } = meaning;
      const message = `${nameOf(reference)} matches ${rows.length} ${kind}s`;
      const forms = rows.map((row) => explicitForm(reference, row, rows));
      throw new ProcError('ambiguous_reference', message, {
        hint: `Use one of: ${forms.join(' or ')}`,
        details: { candidates: candidates(reference, rows) },
      });
    }
    case 'unproved': {
      const { rows, near } = meaning;
      const [row] = rows;
      const known =
        row === undefined ? `id=${text}, if it is an id` : explicitForm(reference, row, rows);
      const message = `the list of ${kind}s may be incomplete, so proc cannot tell which one ${nameOf(reference)} is; nothing was sent`;
      const hint = `Use ${known}. To read the whole list, detect the parameter names: proc doctor`;
      const details = { candidates: candidates(reference, rows) };
      throw new ProcError('incomplete', message, { hint: withNear(near, hint), details });
    }
    case 'unreadable': {
      const { error } = meaning;
      // Without a target or a valid key, an id would not help.
      if (form === 'id' || error.exitCode <= EXIT.unauthorized) throw error;
      const { code, message, status, requestId, details, hint } = error;
      throw new ProcError(code, message, {
        hint: ['If you know the id, use id=…', hint ?? []].flat().join('. '),
        ...{ status, requestId, details, cause: error },
      });
    }
    case 'none': {
      if (form === undefined) return undefined;
      const place =
        kind === 'item' && form === 'code'
          ? `To define it in place: --new-item name=…,code=${inShell(text)},quantity=…`
          : `List the ${kind}s: proc ${kind}s list`;
      throw new ProcError('reference_not_found', `${noneHas(reference)}; nothing was sent`, {
        hint: withNear(meaning.near, place),
      });
    }
  }
}

function nameOf({ kind, typed }: Reference): string {
  return `${kind} ${JSON.stringify(typed)}`;
}

/** `no order has the code or id "PO-7"`: the field that people know best comes first. */
function noneHas({ kind, form, text }: Reference): string {
  const fields = form === undefined ? formsOf(kind).toReversed() : [form];
  const [last, ...others] = fields.toReversed();
  const named = others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`;
  return `no ${kind} has the ${named} ${JSON.stringify(text)}`;
}

function withNear(near: Near | undefined, hint: string): string {
  return near === undefined ? hint : `${capital(near.text)}. ${hint}`;
}

function candidates(reference: Reference, rows: readonly Row[]): readonly Row[] {
  return rows.map((row) => {
    const { id, code, key, name, title } = row;
    return { id, code, key, name, title, reference: explicitForm(reference, row, rows) };
  });
}
