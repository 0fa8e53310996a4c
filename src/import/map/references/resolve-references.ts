import { nounOf } from '../../../core/endpoint.ts';
import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import { type Problem, together } from '../../../core/row-problem.ts';
import { grouped } from '../../../core/text/decimal.ts';
import { listed, someOf } from '../../../core/text/listed.ts';
import { patientRead } from '../../../http/call.ts';
import { listPages } from '../../../listing/list-pages.ts';
import { patientReader } from '../../../listing/list-reader.ts';
import {
  explicitForm,
  formsOf,
  mistakeIn,
  parseReference,
  type ReferenceKind,
  textOf,
} from '../../../listing/match-reference.ts';
import { NearRows } from '../../../listing/near-rows.ts';
import { searchCodes } from '../../../listing/search-codes.ts';
import {
  lookUpAll,
  type Meaning,
  type ReferenceSource,
} from '../../../nouns/shared/references/look-up-references.ts';
import { importPatience } from '../../patient-reads.ts';
import type { MappedRow } from '../../source/record.ts';
import type { ImportReference } from '../../targets/import-target.ts';
import { otherCurrency } from '../compile.ts';
import type { Mapping } from '../mapping.ts';

type Fields = Readonly<Record<string, unknown>>;

const NAMED = 3;

class Unresolved extends Error {}

/** Replaces names and codes by ids; rejects a row if that fails. */
export type Resolver = (row: MappedRow) => MappedRow;

export interface ReferenceLookup {
  readonly references: readonly ImportReference[];
  readonly mapping: Mapping;
  /** How long to retry a list that cannot be fetched. */
  readonly patienceMs: number;
}

interface ResolverEvents {
  /** With the id and the code of each order that a row refers to. */
  readonly onFound?: (id: string, code: string) => void;
}

/**
 * Reads all rows to collect their references, and looks the references up. In a dry run with
 * no key, a placeholder such as `<order PO-7>` replaces each reference.
 *
 * @param read returns all rows, mapped; called at most once
 * @returns undefined if the mapping fills no reference
 */
export async function makeResolver(
  given: ReferenceLookup,
  read: () => AsyncIterable<readonly MappedRow[]>,
  ports: LookupPorts,
  events: ResolverEvents = {},
): Promise<Resolver | undefined> {
  const mapped = onlyMapped(given);
  const { references: used } = mapped;
  if (used.length === 0) return undefined;
  const wanted: Wanted = new Map();
  for await (const rows of read()) {
    for (const { body } of rows) {
      for (const { field, to, unless } of body === undefined ? [] : used) {
        if (unless !== undefined && body![unless] !== undefined) continue;
        replaceAt(body!, field, (text) => {
          if (mistakeIn(to, text) === undefined) want(wanted, to, text);
          return text;
        });
      }
    }
  }
  const mayRead = await ports.lookup.mayReadLists();
  const found = await lookUp(mayRead ? wanted : new Map(), mapped, ports);
  return (row) => resolved(row, found, events);
}

type LookupPorts = Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>;

/** The references as typed, by kind. */
type Wanted = Map<ReferenceKind, Set<string>>;

function want(wanted: Wanted, kind: ReferenceKind, text: string): void {
  wanted.set(kind, (wanted.get(kind) ?? new Set()).add(text));
}

function onlyMapped<L extends Pick<ReferenceLookup, 'references' | 'mapping'>>(given: L): L {
  const { references, mapping } = given;
  return { ...given, references: references.filter(({ field }) => isMapped(field, mapping)) };
}

async function lookUp(
  wanted: Wanted,
  reading: ReferenceLookup,
  ports: LookupPorts,
): Promise<LookedUp> {
  const lookups: LookedUp['lookups'] = new Map();
  for (const [kind, texts] of wanted) {
    lookups.set(kind, await lookUpKind(kind, [...texts], reading, ports));
  }
  const { sectorValue } = (await ports.api.target()).dialect('requisitions');
  return { ...reading, lookups, sectorField: sectorValue };
}

interface LookedUp extends ReferenceLookup {
  /** What each reference means, by kind; empty in a dry run without a key. */
  readonly lookups: Map<ReferenceKind, (typed: string) => Meaning>;
  /** The field of a sector that is sent: its id, key or name. */
  readonly sectorField: string;
}

async function lookUpKind(
  kind: ReferenceKind,
  typed: readonly string[],
  { references, mapping, patienceMs }: ReferenceLookup,
  ports: LookupPorts,
): Promise<(typed: string) => Meaning> {
  const ofKind = references.filter(({ to }) => to === kind);
  const means = await lookUpAll(kind, typed, await sourceOf(patienceMs, ports), {
    bareIsCode: ofKind.some(({ bareIsCode }) => bareIsCode === true),
    needsFields:
      kind === 'sector' ||
      ofKind.some(({ field, like = field }) => copiedNames(like, mapping).length > 0),
  });
  refuseUnresolved(kind, typed, means, ofKind[0]!.field);
  return means;
}

/** `currency` for `order`, if the mapping has `--set currency=@order.currency`. */
function copiedNames(reference: string, { fields }: Mapping): readonly string[] {
  return Object.values(fields).flatMap((rule) =>
    'from' in rule && rule.from.startsWith(`${reference}.`)
      ? [rule.from.slice(reference.length + 1)]
      : [],
  );
}

const BY_CODE = { stableSort: 'code' };

async function sourceOf(patienceMs: number, ports: LookupPorts): Promise<ReferenceSource> {
  const { say } = ports.io;
  const sender = await ports.api.sender(1);
  const patience = importPatience(ports, patienceMs);
  const read = patientReader(sender, patience);
  const source = { target: sender.target, read };
  return {
    pages(list) {
      const pages = listPages(list, BY_CODE, async () => source);
      async function* rows() {
        yield* pages.rows;
        const failure = pages.failure();
        if (failure !== undefined) say({ kind: 'warning', text: failure.message });
      }
      return { rows: rows(), complete: pages.complete };
    },
    async withCodes(list, codes) {
      const near = new NearRows(nounOf(list));
      const rows = await searchCodes(list, codes, source, (page) => near.add(page));
      return rows === undefined ? undefined : { rows, isProved: true, isSearched: true, near };
    },
    read: patientRead(sender, patience),
  };
}

/**
 * Stops the import if a list cannot be read, or if it is incomplete and lacks a reference.
 *
 * @throws ProcError `incomplete`, or the error of the list
 */
function refuseUnresolved(
  kind: ReferenceKind,
  typed: readonly string[],
  means: (typed: string) => Meaning,
  field: string,
): void {
  const open: string[] = [];
  for (const text of typed) {
    const meaning = means(text);
    if (meaning.kind === 'unreadable') throw meaning.error;
    if (meaning.kind === 'unproved') open.push(text);
  }
  if (open.length === 0) return;
  const form = field.endsWith('Id') ? 'id' : 'code';
  const shown = open.map((text) => JSON.stringify(text));
  throw new ProcError(
    'incomplete',
    `the list of ${kind}s may be incomplete, so proc cannot resolve ${open.length === 1 ? 'a reference' : `${grouped(open.length)} references`} of the field ${field}: ${listed(shown, NAMED)}; nothing was sent`,
    {
      hint: `Detect the parameter names: proc doctor. If the column contains only ${form}s, add --map '${field}=${form}={COLUMN}'`,
      details: { references: open.slice(0, 100) },
    },
  );
}

function isMapped(field: string, mapping: Mapping): boolean {
  return mapping.fields[field] !== undefined;
}

function resolved(
  row: MappedRow,
  { references, mapping, lookups, sectorField }: LookedUp,
  { onFound }: ResolverEvents,
): MappedRow {
  if (row.body === undefined) return row;
  let body: Fields = row.body;
  const problems: Problem[] = [];
  const targets = new Map<string, Row>();
  for (const reference of references) {
    const { field, into, to, unless, like = field } = reference;
    if (unless !== undefined && body[unless] !== undefined) continue;
    const property = to === 'sector' ? sectorField : 'id';
    try {
      const means = lookups.get(to);
      body = replaceAt(body, field, (text) => {
        const mistake = mistakeIn(to, text);
        if (mistake !== undefined) throw new Unresolved(mistake.text);
        if (means === undefined) return `<${to} ${parseReference(to, text).text}>`;
        const found = findRow(text, means(text), reference);
        targets.set(like, found);
        const value = textOf(found[property]);
        if (value === undefined) {
          throw new Unresolved(`${to} ${JSON.stringify(text)} has no ${property}`);
        }
        if (to === 'order' && typeof found.code === 'string') onFound?.(value, found.code);
        return value;
      });
      if (into !== undefined) body = moved(body, field, into);
    } catch (thrown) {
      if (!(thrown instanceof Unresolved)) throw thrown;
      problems.push({ text: thrown.message, field });
      const { [field]: _, ...rest } = body;
      body = rest;
    }
  }
  const copied = withCopiedFields(body, mapping, targets);
  const problem = together([
    ...(row.problem === undefined ? [] : [row.problem]),
    ...problems,
    ...copied.problems,
  ]);
  return { ...row, body: copied.body, problem };
}

function findRow(typed: string, meaning: Meaning, reference: ImportReference): Row {
  if (meaning.kind === 'found') return meaning.row;
  const parsed = parseReference(reference.to, typed);
  if (meaning.kind === 'ambiguous') {
    const { rows } = meaning;
    const shown = rows
      .slice(0, NAMED)
      .map((row) => `${textOf(row.id) ?? ''} (${row.name ?? row.title ?? row.code ?? ''})`);
    const forms = rows.slice(0, NAMED).map((row) => explicitForm(parsed, row, rows));
    throw new Unresolved(
      `${JSON.stringify(typed)} matches ${rows.length} entries: ${someOf(shown, rows.length)}; use one of: ${forms.join(' or ')}`,
    );
  }
  const { form, text } = parsed;
  const near = meaning.kind === 'none' ? meaning.near : undefined;
  const quoted = JSON.stringify(text);
  const fields = reference.bareIsCode === true ? ['code', 'id'] : formsOf(reference.to);
  const none =
    form === undefined
      ? `${quoted}: no ${reference.to} has this ${fields.join(', ').replace(/, (\w+)$/, ' or $1')}`
      : `no ${reference.to} has the ${form} ${quoted}`;
  throw new Unresolved(near === undefined ? none : `${none}; ${near.text}`);
}

function moved(body: Fields, field: string, into: string): Fields {
  if (body[field] === undefined) return body;
  if (body[into] !== undefined) {
    throw new Unresolved(`both ${field} and ${into} are given`);
  }
  const { [field]: value, ...rest } = body;
  return { ...rest, [into]: value };
}

function withCopiedFields(
  given: Fields,
  mapping: Mapping,
  targets: ReadonlyMap<string, Row>,
): { readonly body: Fields; readonly problems: readonly Problem[] } {
  const body: Record<string, unknown> = { ...given };
  const problems: Problem[] = [];
  for (const [field, rule] of Object.entries(mapping.fields)) {
    if (!('from' in rule)) continue;
    const [reference, property] = rule.from.split('.') as [string, string];
    const target = targets.get(reference);
    // The reference is empty in this row, or was not looked up.
    if (target === undefined) continue;
    const value = target[property];
    const own = body[field];
    if (value === undefined || value === null)
      problems.push({ text: `the ${reference} has no ${property}`, field });
    // The cell of the amount has a currency, too.
    else if (typeof own === 'string' && String(value).toUpperCase() !== own)
      problems.push({ text: otherCurrency(own, field, String(value)), field });
    else body[field] = value;
  }
  return { body, problems };
}

/** Replaces a text. Other values stay as they are. */
function replaceAt(body: Fields, field: string, put: (text: string) => unknown): Fields {
  const value = Object.hasOwn(body, field) ? body[field] : undefined;
  return typeof value === 'string' ? { ...body, [field]: put(value) } : body;
}
