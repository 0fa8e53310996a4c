import type { Context } from '../../context.ts';
import type { EndpointSpec } from '../../core/endpoint.ts';
import { EXIT, failing, ProcError } from '../../core/errors.ts';
import { grouped, textOf } from '../../core/numbers.ts';
import type { Row } from '../../core/result.ts';
import { type Problem, together } from '../../core/row-problem.ts';
import { show } from '../../core/validate.ts';
import { inShell, listed } from '../../core/wording.ts';
import { patientRead } from '../../http/call.ts';
import { addressesIn, SENT } from '../../ledger/sent-addresses.ts';
import { listPages, patientReader } from '../../listing/list-pages.ts';
import { findCodes } from '../../listing/search.ts';
import { getAddress } from '../../nouns/addresses/index.ts';
import { listItems } from '../../nouns/items/index.ts';
import { listOrders } from '../../nouns/orders/index.ts';
import { listSectors } from '../../nouns/sectors/index.ts';
import { lookUp, parseReference, type ReferenceKind } from '../../nouns/shared/references.ts';
import { importPatience } from '../patient-reads.ts';
import type { MappedRow } from '../source/record.ts';
import type { ImportReference, ImportTarget } from '../targets/import-target.ts';
import { columnOf, type Mapping } from './mapping.ts';

type Body = Readonly<Record<string, unknown>>;
type Ask = (typed: string) => Row | ProcError;

export interface Resolver {
  /** Replaces names and codes by ids; rejects a row if that fails. */
  resolve(row: MappedRow): MappedRow;
  /** Codes of the orders that rows refer to, by id; only the first ones. */
  readonly orders: Readonly<Record<string, string>>;
}

/** A plan shows a few rows; more codes than these only cost memory. */
const MOST_ORDERS = 1_000;
const LISTS = { order: listOrders, item: listItems, sector: listSectors } as const;

/**
 * Reads all rows to collect their references, and looks the references up. In a dry run with
 * no key, a placeholder such as `<order PO-7>` replaces each reference.
 *
 * @param read returns all rows, mapped; called at most once
 * @param patienceMs how long to retry a list that cannot be fetched
 * @returns undefined if the mapping fills no reference
 * @throws ProcError `catalogue_unverified`, or the error of a list
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
        if (text === undefined) continue;
        const { to } = reference;
        wanted.set(to, (wanted.get(to) ?? new Set()).add(text));
      }
  const asks = new Map<ImportReference['to'], Ask>();
  const orders: Record<string, string> = {};
  if (await ctx.http().canRead())
    for (const [kind, texts] of wanted) {
      const ofKind = used.filter(({ to }) => to === kind);
      const needsFields =
        kind === 'sector' ||
        ofKind.some(({ copies }) => copies !== undefined && fields[copies] === undefined);
      const bareIsCode = ofKind.some((one) => one.bareIsCode === true);
      const { read: readPatiently, ...source } = await sourceOf(patienceMs, ctx);
      const ask =
        kind === 'address'
          ? await addressesMeant(texts, readPatiently, ctx)
          : await lookUp(LISTS[kind], texts, source, { bareIsCode, needsFields });
      asks.set(kind, ask);
      let room = kind === 'order' ? MOST_ORDERS : 0;
      const open: string[] = [];
      for (const text of texts) {
        const row = ask(text);
        if (!(row instanceof ProcError)) {
          if (typeof row.code === 'string' && room-- > 0) orders[textOf(row.id)!] = row.code;
        } else if (row.code === 'incomplete') open.push(text);
        // A list that cannot be read is no row's fault.
        else if (row.exitCode !== EXIT.usage) throw row;
      }
      if (open.length > 0) throw unproved(kind, open, ofKind, mapping);
    }
  const { sectorValue } = (await ctx.target()).dialect('requisitions');
  const finds = { references: used, asks, sectorValue };
  return { orders, resolve: (row) => resolved(row, finds) };
}

/** Nothing proves which records these references mean. With its form, one may be found without the whole list. */
function unproved(
  kind: ReferenceKind,
  open: readonly string[],
  references: readonly ImportReference[],
  mapping: Mapping,
): ProcError {
  const fields = references.map(({ field }) => field);
  const forms = fields.flatMap((field) => {
    const column = kind === 'sector' ? undefined : columnOf(mapping, field);
    const form = field.endsWith('Id') ? 'id' : 'code';
    const map = inShell(`${field}=${form}={${column}}`);
    return column === undefined ? [] : `If ${show(column)} has only ${form}s, add --map ${map}`;
  });
  const many = open.length === 1 ? 'a reference' : `${grouped(open.length)} references`;
  return new ProcError(
    'catalogue_unverified',
    `the list of ${kind}s may be incomplete, so proc cannot resolve ${many} of ${fields.join(' or ')}: ${listed(open.map(show), 3)}; nothing was sent`,
    {
      hint: ['Detect the parameter names: proc doctor', ...forms].join('. '),
      details: { references: open.slice(0, 100) },
    },
  );
}

/** The text of a reference to look up; undefined if the row has none. */
function typedIn(body: Body, { field, unless }: ImportReference): string | undefined {
  const value = body[field];
  const isLookedUp = unless === undefined || body[unless] === undefined;
  return isLookedUp && typeof value === 'string' ? value : undefined;
}

async function sourceOf(patienceMs: number, ctx: Context) {
  const sender = await ctx.http().sender(1);
  const patience = importPatience(ctx, patienceMs);
  const source = { target: sender.target, read: patientReader(sender, patience) };
  return {
    pages: (list: EndpointSpec, query: Row) => listPages(list, query, async () => source),
    find: (list: EndpointSpec, codes: Iterable<string>, onRows?: (rows: readonly Row[]) => void) =>
      findCodes(list, codes, source, onRows),
    read: patientRead(sender, patience),
  };
}

/**
 * The service cannot list addresses. One is found by its id, or by its exact name among those that the ledger has.
 */
async function addressesMeant(
  typed: Iterable<string>,
  read: ReturnType<typeof patientRead>,
  ctx: Context,
): Promise<Ask> {
  const byId = async (id: string): Promise<Row | undefined> => {
    const row = await failing(async () => (await read(getAddress, { params: { id } })) as Row);
    if (!(row instanceof ProcError)) return row;
    const { code, status = 0 } = row;
    // No id has a slash.
    if (
      code === 'invalid_usage' ||
      (status >= 400 && row.exitCode !== EXIT.unreachable && code !== 'unauthorized')
    )
      return undefined;
    throw row;
  };
  const meanings = new Map<string, Row | ProcError>();
  const named: string[] = [];
  for (const text of typed) {
    const reference = await failing(() => parseReference('address', text));
    const isId =
      reference instanceof ProcError || text.startsWith('id=') || (await byId(text)) !== undefined;
    if (!isId) named.push(text);
    else meanings.set(text, reference instanceof ProcError ? reference : { id: reference.text });
  }
  const sent: Row[] = [];
  for (const id of named.length === 0 ? [] : await sentAddresses(ctx))
    sent.push({ ...(await byId(id)), id });
  for (const text of named) {
    const rows = sent.filter((row) => row.name === text || row.formattedAddress === text);
    const many = rows.map(({ id }) => `id=${id}`).join(' or ');
    const problem =
      rows.length === 0
        ? `no address has the id or name ${JSON.stringify(text)}`
        : `${JSON.stringify(text)} is the name of ${rows.length} addresses: ${many}`;
    const isOne = rows.length === 1;
    meanings.set(text, isOne ? rows[0]! : new ProcError('reference_not_found', problem));
  }
  return (text) => meanings.get(text)!;
}

/** Ids of addresses that the ledger has. */
async function sentAddresses(ctx: Context): Promise<readonly string[]> {
  const { key } = await ctx.scope();
  const { sql } = await ctx.ledger();
  return addressesIn(await sql.all(SENT, key, key));
}

interface Finds {
  readonly references: readonly ImportReference[];
  readonly asks: ReadonlyMap<ImportReference['to'], Ask>;
  /** The field of a sector that is sent: its id, key or name. */
  readonly sectorValue: string;
}

function resolved(mapped: MappedRow, { references, asks, sectorValue }: Finds): MappedRow {
  if (mapped.body === undefined) return mapped;
  const body: Record<string, unknown> = { ...mapped.body };
  const problems: Problem[] = mapped.problem === undefined ? [] : [mapped.problem];
  for (const reference of references) {
    const { field, into = field, to, copies = '' } = reference;
    const text = typedIn(body, reference);
    if (text === undefined) continue;
    const found = meant(text, to, asks.get(to));
    const row = found instanceof ProcError ? {} : found;
    const value = textOf(row[to === 'sector' ? sectorValue : 'id']);
    const isTwice = into !== field && body[into] !== undefined;
    const problem =
      found instanceof ProcError
        ? found.message
        : value === undefined
          ? `${to} ${JSON.stringify(text)} has no ${sectorValue}`
          : isTwice
            ? `both ${field} and ${into} are given`
            : undefined;
    if (problem !== undefined || into !== field) delete body[field];
    if (problem === undefined) body[into] = value;
    else problems.push({ text: problem, field });
    const copied = row[copies];
    if (typeof copied === 'string') body[copies] ??= copied;
  }
  return { ...mapped, body, problem: together(problems) };
}

/** The record that a reference means, or why it means none; without a look-up, a placeholder. */
function meant(typed: string, to: ReferenceKind, ask: Ask | undefined): Row | ProcError {
  if (ask !== undefined) return ask(typed);
  const placeholder = `<${to} ${typed.replace(/^(id|code|key|name)=/, '')}>`;
  return { id: placeholder, key: placeholder, name: placeholder };
}
