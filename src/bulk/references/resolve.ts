import type { Context } from '../../core/command.ts';
import type { Row } from '../../core/result.ts';
import {
  type Lookup,
  lookUpAll,
  type ReadList,
  type ReferenceKind,
  type SearchList,
} from '../../resources/import-lookups.ts';
import type { ImportReference } from '../../resources/import-target.ts';
import { patientReader } from '../listing/read.ts';
import type { Mapping } from '../mapper/mapping.ts';
import type { MappedRow } from '../record.ts';
import { searchCodes } from './search-codes.ts';
import { replaceAt, stepsOf } from './walk.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Candidates that a message names. */
const NAMED = 3;

/** Why a reference of a row cannot be followed. */
class Unresolved extends Error {}

/** Puts ids in the place of what people know; a row that cannot be resolved is rejected. */
export interface Resolver {
  resolve(row: MappedRow): MappedRow;
  /** What a reference of a body refers to, once resolved. */
  target(field: string, text: unknown): Row | undefined;
}

/**
 * Reads all rows once to see what they refer to, and looks that up. Where nothing may be read
 * (`--dry-run --offline`, or no key) references are shown as they were typed: `<order PO-7>`.
 *
 * @param read gives all rows, mapped; called once, and only where something is to be looked up
 * @param patienceMs how long a list is waited for that rows refer to
 */
export async function makeResolver(
  references: readonly ImportReference[],
  mapping: Mapping,
  read: () => AsyncIterable<readonly MappedRow[]>,
  patienceMs: number,
  ctx: Context,
): Promise<Resolver | undefined> {
  const used = references.filter(({ field }) => isMapped(field, mapping));
  if (used.length === 0) return undefined;
  const wanted = new Map<ReferenceKind, Set<string>>();
  for await (const rows of read()) {
    for (const { body } of rows) {
      for (const { field, to, unless } of body === undefined ? [] : used) {
        if (unless !== undefined && body![unless] !== undefined) continue;
        const texts = wanted.get(to) ?? new Set<string>();
        wanted.set(to, texts);
        replaceAt(body!, stepsOf(field), (text) => {
          texts.add(text);
          return text;
        });
      }
    }
  }
  const mayRead =
    !(ctx.previewing && ctx.globals.offline) &&
    (!ctx.previewing || (await ctx.target()).credential !== undefined);
  const lookups = new Map<ReferenceKind, Lookup>();
  for (const [kind, texts] of wanted) {
    if (texts.size > 0 && mayRead) {
      const read = await reader(patienceMs, ctx);
      const target = await ctx.target();
      const search: SearchList = (list, codes) => searchCodes(list, codes, target, read);
      lookups.set(kind, await lookUpAll(kind, texts, { read, search }, ctx));
    }
  }
  return {
    resolve: (row) => resolved(row, used, mapping, lookups),
    target(field, text) {
      const kind = used.find((one) => one.field === field)?.to;
      const found = kind === undefined ? undefined : lookups.get(kind)?.find(String(text));
      return found?.length === 1 ? found[0] : undefined;
    },
  };
}

async function reader(patienceMs: number, ctx: Context): Promise<ReadList> {
  const { clock, signal, globals } = ctx;
  return patientReader(await ctx.sender(1), {
    clock,
    signal,
    retries: globals.retries,
    patienceMs,
  });
}

function isMapped(field: string, mapping: Mapping): boolean {
  return mapping.fields[stepsOf(field)[0]!.replace(/\[\]$/, '')] !== undefined;
}

function resolved(
  row: MappedRow,
  references: readonly ImportReference[],
  mapping: Mapping,
  lookups: ReadonlyMap<ReferenceKind, Lookup>,
): MappedRow {
  if (row.body === undefined) return row;
  let body: Fields = row.body;
  const targets = new Map<string, Row>();
  for (const reference of references) {
    const { field, into, to, unless } = reference;
    if (unless !== undefined && body[unless] !== undefined) continue;
    try {
      const lookup = lookups.get(to);
      body = replaceAt(body, stepsOf(field), (text) => {
        if (lookup === undefined) return `<${to} ${text}>`;
        const found = one(text, lookup, reference);
        if (found === undefined) return text;
        targets.set(field, found);
        const value = lookup.value(found);
        if (typeof value === 'string') return value;
        throw new Unresolved(`${to} ${JSON.stringify(text)} has no value to send`);
      });
      if (into !== undefined) body = moved(body, field, into);
    } catch (thrown) {
      if (!(thrown instanceof Unresolved)) throw thrown;
      return { ...row, body: undefined, problem: { field, message: thrown.message } };
    }
  }
  return taken({ ...row, body }, mapping, targets);
}

function one(text: string, lookup: Lookup, reference: ImportReference): Row | undefined {
  const rows = lookup.find(text);
  if (rows.length === 1) return rows[0];
  const shown = JSON.stringify(text);
  if (rows.length > 1) {
    const names = rows
      .slice(0, NAMED)
      .map(({ id, name, title }) => `${id} (${name ?? title ?? ''})`);
    throw new Unresolved(
      `${shown} may be any of ${rows.length}: ${names.join(', ')}${rows.length > NAMED ? ', …' : ''}; give the id`,
    );
  }
  if (reference.orAsIs === true) return undefined;
  throw new Unresolved(
    lookup.isComplete
      ? `${shown}: ${lookup.missing}`
      : `${shown} was not found, and the list could not be read to a proved end`,
  );
}

function moved(body: Fields, field: string, into: string): Fields {
  if (body[field] === undefined) return body;
  if (body[into] !== undefined) {
    throw new Unresolved(`both ${field} and ${into} are given`);
  }
  const { [field]: value, ...rest } = body;
  return { ...rest, [into]: value };
}

/** Fills fields that are taken from what was referred to: `--set currency=@order.currency`. */
function taken(row: MappedRow, mapping: Mapping, targets: ReadonlyMap<string, Row>): MappedRow {
  const body: Record<string, unknown> = { ...row.body };
  for (const [field, rule] of Object.entries(mapping.fields)) {
    if (!('from' in rule)) continue;
    const [reference, property] = rule.from.split('.') as [string, string];
    const target = targets.get(reference);
    // Without its reference the row has nothing to take it from.
    if (target === undefined) continue;
    const value = target[property];
    if (value === undefined || value === null) {
      const message = `the ${reference} has no ${property}`;
      return { ...row, body: undefined, problem: { field, message } };
    }
    body[field] = value;
  }
  return { ...row, body };
}
