import type { Context } from '../../context.ts';
import { nounOf } from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { type Problem, together } from '../../core/row-problem.ts';
import { grouped } from '../../core/text/decimal.ts';
import { listed, someOf } from '../../core/text/listed.ts';
import { textOf } from '../../core/text/raw-number.ts';
import { patientRead } from '../../http/call.ts';
import { addressesIn, SENT } from '../../ledger/sent-addresses.ts';
import { listPages } from '../../listing/list-pages.ts';
import { patientReader } from '../../listing/list-reader.ts';
import { explicitForm, formsOf, mistakeIn, parseReference } from '../../listing/match-reference.ts';
import { NearRows } from '../../listing/near-rows.ts';
import { searchCodes } from '../../listing/search-codes.ts';
import {
  lookUpAddresses,
  lookUpAll,
  type Meaning,
  type ReferenceSource,
} from '../../nouns/shared/references/look-up-references.ts';
import { importPatience } from '../patient-reads.ts';
import type { MappedRow } from '../source/record.ts';
import type { ImportReference, ImportTarget } from '../targets/import-target.ts';
import type { Mapping } from './mapping.ts';

type Body = Readonly<Record<string, unknown>>;
type Ask = (typed: string) => Meaning;

export interface Resolver {
  /** Replaces names and codes by ids; rejects a row if that fails. */
  resolve(row: MappedRow): MappedRow;
  /** Codes of the orders that rows refer to, by id; only the first ones. */
  readonly orders: Readonly<Record<string, string>>;
}

const NAMED = 3;
/** A plan shows a few rows; more codes than these only cost memory. */
const MOST_ORDERS = 1_000;

/**
 * Reads all rows to collect their references, and looks the references up. In a dry run with
 * no key, a placeholder such as `<order PO-7>` replaces each reference.
 *
 * @param read returns all rows, mapped; called at most once
 * @param patienceMs how long to retry a list that cannot be fetched
 * @returns undefined if the mapping fills no reference
 */
export async function makeResolver(
  { references = [] }: Pick<ImportTarget, 'references'>,
  mapping: Mapping,
  read: () => AsyncIterable<readonly MappedRow[]>,
  patienceMs: number,
  ctx: Context,
): Promise<Resolver | undefined> {
  const { fields } = mapping;
  const used = references.filter(({ field }) => fields[field] !== undefined);
  if (used.length === 0) return undefined;
  const wanted = new Map<ImportReference['to'], Set<string>>();
  for await (const rows of read())
    for (const { body } of rows)
      for (const reference of used) {
        const text = body && typedIn(body, reference);
        if (text === undefined || mistakeIn(reference.to, text) !== undefined) continue;
        const { to } = reference;
        wanted.set(to, (wanted.get(to) ?? new Set()).add(text));
      }
  const asks = new Map<ImportReference['to'], Ask>();
  const orders: Record<string, string> = {};
  if (await ctx.http().canRead())
    for (const [kind, texts] of wanted) {
      const ofKind = used.filter(({ to }) => to === kind);
      const source = await sourceOf(patienceMs, ctx);
      const needsFields =
        kind === 'sector' ||
        ofKind.some(({ copies }) => copies !== undefined && fields[copies] === undefined);
      const bareIsCode = ofKind.some((one) => one.bareIsCode === true);
      const ask =
        kind === 'address'
          ? await lookUpAddresses(texts, source, () => sentAddresses(ctx))
          : await lookUpAll(kind, texts, source, { bareIsCode, needsFields });
      refuseUnresolved(kind, [...texts], ask, ofKind[0]!.field);
      asks.set(kind, ask);
      for (const text of kind === 'order' ? [...texts].slice(0, MOST_ORDERS) : []) {
        const meaning = ask(text);
        if (meaning.kind === 'found' && typeof meaning.row.code === 'string')
          orders[textOf(meaning.row.id)!] = meaning.row.code;
      }
    }
  const { sectorValue } = (await ctx.target()).dialect('requisitions');
  const finds = { references: used, asks, sectorValue };
  return { orders, resolve: (row) => resolved(row, finds) };
}

/** The text of a reference to look up; undefined if the row has none. */
function typedIn(body: Body, { field, unless }: ImportReference): string | undefined {
  const value = body[field];
  const isLookedUp = unless === undefined || body[unless] === undefined;
  return isLookedUp && typeof value === 'string' ? value : undefined;
}

const BY_CODE = { stableSort: 'code' };

async function sourceOf(patienceMs: number, ctx: Context): Promise<ReferenceSource> {
  const sender = await ctx.http().sender(1);
  const patience = importPatience(ctx, patienceMs);
  const source = { target: sender.target, read: patientReader(sender, patience) };
  return {
    pages: (list) => listPages(list, BY_CODE, async () => source),
    async withCodes(list, codes) {
      const near = new NearRows(nounOf(list));
      const rows = await searchCodes(list, codes, source, (page) => near.add(page));
      return rows === undefined ? undefined : { rows, isProved: true, near };
    },
    read: patientRead(sender, patience),
  };
}

/** Ids of addresses that the ledger has. */
async function sentAddresses(ctx: Context): Promise<readonly string[]> {
  const { key } = await ctx.scope();
  const { sql } = await ctx.ledger();
  return addressesIn(await sql.all(SENT, key, key));
}

/**
 * Stops the import if a list cannot be read, or if it is incomplete and lacks a reference.
 *
 * @throws ProcError `incomplete`, or the error of the list
 */
function refuseUnresolved(
  kind: ImportReference['to'],
  typed: readonly string[],
  ask: Ask,
  field: string,
): void {
  const open = typed.filter((text) => {
    const meaning = ask(text);
    if (meaning.kind === 'unreadable') throw meaning.error;
    return meaning.kind === 'unproved';
  });
  if (open.length === 0) return;
  const form = field.endsWith('Id') ? 'id' : 'code';
  const shown = open.slice(0, NAMED + 1).map((text) => JSON.stringify(text));
  throw new ProcError(
    'incomplete',
    `the list of ${kind}s may be incomplete, so proc cannot resolve ${open.length === 1 ? 'a reference' : `${grouped(open.length)} references`} of the field ${field}: ${listed(shown, NAMED)}; nothing was sent`,
    {
      hint: `Detect the parameter names: proc doctor. If the column contains only ${form}s, add --map '${field}=${form}={COLUMN}'`,
      details: { references: open.slice(0, 100) },
    },
  );
}

interface Finds {
  readonly references: readonly ImportReference[];
  readonly asks: ReadonlyMap<ImportReference['to'], Ask>;
  /** The field of a sector that is sent: its id, key or name. */
  readonly sectorValue: string;
}

function resolved(row: MappedRow, { references, asks, sectorValue }: Finds): MappedRow {
  if (row.body === undefined) return row;
  const body: Record<string, unknown> = { ...row.body };
  const problems: Problem[] = row.problem === undefined ? [] : [row.problem];
  for (const reference of references) {
    const { field, into = field, to, copies = '' } = reference;
    const text = typedIn(body, reference);
    if (text === undefined) continue;
    const found = meant(text, reference, asks.get(to));
    const value = textOf(found.row?.[to === 'sector' ? sectorValue : 'id']);
    const isTwice = into !== field && body[into] !== undefined;
    const problem =
      found.problem ??
      (value === undefined
        ? `${to} ${JSON.stringify(text)} has no ${sectorValue}`
        : isTwice
          ? `both ${field} and ${into} are given`
          : undefined);
    if (problem !== undefined || into !== field) delete body[field];
    if (problem === undefined) body[into] = value;
    else problems.push({ text: problem, field });
    const copied = found.row?.[copies];
    if (typeof copied === 'string') body[copies] ??= copied;
  }
  return { ...row, body, problem: together(problems) };
}

/** The record that a reference means, or why it means none; without a look-up, a placeholder. */
function meant(
  typed: string,
  { to, bareIsCode }: ImportReference,
  ask: Ask | undefined,
): { readonly row?: Row; readonly problem?: string } {
  const mistake = mistakeIn(to, typed);
  if (mistake !== undefined) return { problem: mistake.text };
  const parsed = parseReference(to, typed);
  const { form, text } = parsed;
  const placeholder = `<${to} ${text}>`;
  if (ask === undefined) return { row: { id: placeholder, key: placeholder, name: placeholder } };
  const meaning = ask(typed);
  if (meaning.kind === 'found') return meaning;
  const quoted = JSON.stringify(text);
  if (meaning.kind === 'ambiguous') {
    const { rows } = meaning;
    const first = rows.slice(0, NAMED);
    const shown = first.map(
      (row) => `${textOf(row.id) ?? ''} (${row.name ?? row.title ?? row.code ?? ''})`,
    );
    const forms = first.map((row) => explicitForm(parsed, row, rows)).join(' or ');
    const problem = `${quoted} matches ${rows.length} entries: ${someOf(shown, rows.length)}; use one of: ${forms}`;
    return { problem };
  }
  const near = meaning.kind === 'none' && meaning.near ? `; ${meaning.near.text}` : '';
  const fields = bareIsCode === true ? ['code', 'id'] : formsOf(to);
  const none =
    form === undefined
      ? `${quoted}: no ${to} has this ${fields.join(', ').replace(/, (\w+)$/, ' or $1')}`
      : `no ${to} has the ${form} ${quoted}`;
  return { problem: `${none}${near}` };
}
