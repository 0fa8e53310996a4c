import { ProcError } from '../../../core/errors.ts';
import type { Pages, Ports, Say } from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import { listPages } from '../../../listing/list-pages.ts';
import {
  explicitForm,
  parseReference,
  type ReferenceKind,
  textOf,
} from '../../../listing/match-reference.ts';
import { patientReader } from '../../../listing/patient-reader.ts';
import { searchCodes } from '../../../listing/search-codes.ts';
import { lookInBook } from '../../../nouns/shared/address-book.ts';
import {
  type ListRead,
  lookUpAll,
  type Meaning,
  type ReferenceSource,
} from '../../../nouns/shared/references/look-up-references.ts';
import type { MappedRow } from '../../source/record.ts';
import type { ImportReference } from '../../targets/import-target.ts';
import type { Mapping } from '../mapping.ts';
import { replaceAt, stepsOf } from './replace-at.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Candidates that a message names. */
const NAMED = 3;

/** Why a reference of a row cannot be followed. */
class Unresolved extends Error {}

/** Puts ids in the place of what people know; a row that cannot be resolved is rejected. */
export interface Resolver {
  /** The row also tells what it refers to. */
  resolve(row: MappedRow): MappedRow;
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
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
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
    !(ports.api.isPreview && ports.self.flags.offline) &&
    (!ports.api.isPreview || (await ports.api.target()).key !== undefined);
  const lookups: Lookups = new Map();
  if (mayRead) {
    for (const [kind, texts] of wanted) {
      if (texts.size === 0) continue;
      const ofKind = used.filter(({ to }) => to === kind);
      const typed = [...texts].filter((text) => malformed(kind, text) === undefined);
      const means = await lookUpAll(kind, typed, await sourceOf(patienceMs, ports), {
        bareIsCode: ofKind.some(({ bareIsCode }) => bareIsCode === true),
        needsFields: kind === 'sector' || ofKind.some(({ field }) => isTakenFrom(field, mapping)),
      });
      refuseUntold(kind, typed, means, ofKind[0]!.field);
      lookups.set(kind, means);
    }
  }
  const sectorField = (await ports.api.target()).dialect('requisitions').sectorValue;
  return { resolve: (row) => resolved(row, used, mapping, lookups, sectorField) };
}

/** What each reference means, by kind; nothing where nothing may be read. */
type Lookups = Map<ReferenceKind, (typed: string) => Meaning>;

const BY_CODE = { sort: 'code', dir: 'asc' };

/** Reads that are given up like any command's, in a dry run too. */
async function sourceOf(
  patienceMs: number,
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
): Promise<ReferenceSource> {
  const { clock, signal, flags: globals } = ports.self;
  const { say } = ports.io;
  const sender = await ports.api.sender(1);
  const read = patientReader(sender, { clock, signal, retries: globals.retries, patienceMs });
  const source = { target: sender.target, read };
  return {
    pages: (list) =>
      sayingWhy(
        listPages(list, BY_CODE, async () => source),
        say,
      ),
    async withCodes(list, codes) {
      const rows = await searchCodes(list, codes, source);
      return rows === undefined ? undefined : { rows, isProved: true };
    },
    read: (endpoint, input) => ports.lookup.call(endpoint, input),
    aliasOf: (alias) => lookInBook(ports, undefined, (book) => book.idOf(alias)),
  };
}

/** The list, and at its end a warning where it may be incomplete. */
function sayingWhy(pages: Pages, say: Say): ListRead {
  async function* rows() {
    yield* pages.rows;
    const failure = pages.failure();
    if (failure !== undefined) say({ kind: 'warning', text: failure.message });
  }
  return { rows: rows(), complete: pages.complete };
}

/**
 * A list that cannot be read, or not to a verified end, leaves open what the rows mean: nothing is
 * sent, and the way to name things without the whole list is told.
 *
 * @throws ProcError `incomplete`, or why the list could not be read
 */
function refuseUntold(
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
  const shown = open.slice(0, NAMED).map((text) => JSON.stringify(text));
  throw new ProcError(
    'incomplete',
    `the list of ${kind}s may be incomplete, so what ${open.length === 1 ? 'a reference' : `${open.length} references`} of ${field} mean cannot be told: ${shown.join(', ')}${open.length > NAMED ? ', …' : ''}; nothing was sent`,
    {
      hint: `Detect the parameter names: proc doctor --learn. If the column holds nothing but codes, say so: --map '${field}=code={COLUMN}'`,
      details: { references: open.slice(0, 100) },
    },
  );
}

function isMapped(field: string, mapping: Mapping): boolean {
  return mapping.fields[stepsOf(field)[0]!.replace(/\[\]$/, '')] !== undefined;
}

/** `--set currency=@order.currency` */
function isTakenFrom(field: string, { fields }: Mapping): boolean {
  return Object.values(fields).some((rule) => 'from' in rule && rule.from.startsWith(`${field}.`));
}

/** Why a text is no reference to such a thing. */
function malformed(kind: ReferenceKind, text: string): string | undefined {
  try {
    parseReference(kind, text);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    return [thrown.message, thrown.hint].filter(Boolean).join('; ');
  }
}

function resolved(
  row: MappedRow,
  references: readonly ImportReference[],
  mapping: Mapping,
  lookups: Lookups,
  sectorField: string,
): MappedRow {
  if (row.body === undefined) return row;
  let body: Fields = row.body;
  const targets = new Map<string, Row>();
  for (const reference of references) {
    const { field, into, to, unless } = reference;
    if (unless !== undefined && body[unless] !== undefined) continue;
    try {
      const means = lookups.get(to);
      body = replaceAt(body, stepsOf(field), (text) => {
        const problem = malformed(to, text);
        if (problem !== undefined) throw new Unresolved(problem);
        if (means === undefined) return `<${to} ${parseReference(to, text).text}>`;
        const found = one(text, means(text), reference);
        if (found === undefined) return text;
        targets.set(field, found);
        const value = textOf(found[to === 'sector' ? sectorField : 'id']);
        if (value !== undefined) return value;
        throw new Unresolved(`${to} ${JSON.stringify(text)} has no value to send`);
      });
      if (into !== undefined) body = moved(body, field, into);
    } catch (thrown) {
      if (!(thrown instanceof Unresolved)) throw thrown;
      return { ...row, body: undefined, problem: { field, message: thrown.message } };
    }
  }
  return taken({ ...row, body, referred: targets }, mapping, targets);
}

/** What no row of a list has. */
const MISSING: Readonly<Record<ReferenceKind, string>> = {
  order: 'no order has this code or id',
  item: 'no item has this code or id',
  sector: 'no sector has this id, key or name',
  address: 'this machine knows no address by this alias (proc addresses alias)',
};

function one(typed: string, meaning: Meaning, reference: ImportReference): Row | undefined {
  if (meaning.kind === 'found') return meaning.row;
  const shown = JSON.stringify(typed);
  const parsed = parseReference(reference.to, typed);
  if (meaning.kind === 'ambiguous') {
    const { rows } = meaning;
    const names = rows
      .slice(0, NAMED)
      .map((row) => `${row.id} (${row.name ?? row.title ?? row.code ?? ''})`);
    const forms = rows.slice(0, NAMED).map((row) => explicitForm(parsed, row, rows));
    throw new Unresolved(
      `${shown} may be any of ${rows.length}: ${names.join(', ')}${rows.length > NAMED ? ', …' : ''}; say which: ${forms.join(' or ')}`,
    );
  }
  if (reference.orAsIs === true && parsed.form === undefined) return undefined;
  throw new Unresolved(
    parsed.form === undefined
      ? `${shown}: ${MISSING[reference.to]}`
      : `no ${reference.to} has the ${parsed.form} ${JSON.stringify(parsed.text)}`,
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
