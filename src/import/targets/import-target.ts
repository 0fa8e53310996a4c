import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Problem, ProblemPlace } from '../../core/row-problem.ts';
import type { SortedList } from '../../listing/listing.ts';
import type { ReferenceKind } from '../../nouns/shared/references.ts';
import type { LinePlaces } from '../source/record.ts';

export interface ImportField {
  /** The name for `--map`: as in the contract, or proc's own, e.g. `item.code` of flat rows. */
  readonly name: string;
  /** A value of the kind `any` is not converted. */
  readonly kind: 'string' | 'number' | 'integer' | 'any';
  /** Every row needs it. */
  readonly required?: boolean;
  /** Of an amount: the field of its currency, which may stand in the same cell. */
  readonly currency?: string;
}

/** Fields of text that no row needs. */
export function texts(...names: string[]): ImportField[] {
  return names.map((name) => ({ name, kind: 'string' }));
}

/** A field in which people write a code or key, although the body needs an id. */
export interface ImportReference {
  /** The mapped field, e.g. `order`. */
  readonly field: string;
  /** The field of the body that receives the value, if its name differs, e.g. `orderId`. */
  readonly into?: string;
  readonly to: Exclude<ReferenceKind, 'requisition'>;
  /** A field of the record that fills the field of the same name, where the row has none: `currency`. */
  readonly copies?: string;
  /** If the row has this field, the reference is not looked up: beside `item.name`, `item.code` may be new. */
  readonly unless?: string;
  /** Look up a value without a prefix as a code first, then as an id. */
  readonly bareIsCode?: boolean;
}

export interface FlatRow {
  readonly place: ProblemPlace & { readonly row: number };
  readonly body: Readonly<Record<string, unknown>>;
  /** False if something is wrong with the row; then values may be missing. */
  readonly isWhole: boolean;
}

export interface Assembled {
  readonly body: Readonly<Record<string, unknown>>;
  readonly lines: LinePlaces;
  readonly problems: readonly { readonly problem: Problem; readonly place: FlatRow['place'] }[];
}

type Needed = readonly (readonly [string, ...string[]])[];

/** If rows are grouped, the fields and references of the result are those of flat rows. */
export function shapeOf(target: ImportTarget, groupBy: string | undefined): ImportTarget {
  return groupBy === undefined ? target : { ...target, ...target.grouped };
}

/** The required fields, each with its alternatives. */
export function requiredBy({
  fields,
  needed = [],
}: Pick<ImportTarget, 'fields' | 'needed'>): readonly (readonly string[])[] {
  return [...fields.flatMap((one) => (one.required === true ? [[one.name]] : [])), ...needed];
}

/** Nothing requires these fields. */
export function withoutRequired(target: ImportTarget, names: readonly string[]): ImportTarget {
  const isKept = (name: string) => !names.includes(name);
  const fields = target.fields.map((one) => (isKept(one.name) ? one : { ...one, required: false }));
  const needed = (target.needed ?? []).filter(([name]) => isKept(name));
  return { ...target, fields, needed };
}

/** What an import needs to know of a noun. */
export interface ImportTarget {
  readonly noun: string;
  readonly one: string;
  readonly many: string;
  readonly create: EndpointSpec;
  readonly fields: readonly ImportField[];
  /** The body field by which a row is recognised, e.g. `code`. */
  readonly keyField: string;
  /** Check bodies against the contract. */
  readonly isChecked?: boolean;
  /** The body with values as the contract has them, e.g. `delivery` for `Delivery`. */
  plain?(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** What else is wrong with a body. */
  problemsIn?(body: Readonly<Record<string, unknown>>): readonly Problem[];
  readonly references?: readonly ImportReference[];
  /** How several flat rows make one body (`--group-by`). */
  readonly grouped?: {
    readonly fields: readonly ImportField[];
    readonly references: readonly ImportReference[];
    /** A field that payloads have and flat rows do not: rows with this field are payloads. */
    readonly payloadField: string;
    /** Each inner array names alternatives: a body needs at least one of these fields. */
    readonly needed: Needed;
    assemble(rows: readonly FlatRow[]): Assembled;
    /** The fields of flat rows that can fill e.g. `groups`, `0`, `items`, `2`, `quantity`; the likeliest first. */
    fieldsAt(path: readonly string[]): readonly string[];
  };
  /** Each inner array names alternatives: a row needs at least one of these fields. */
  readonly needed?: Needed;
  /** Lines of a body may define new items, which the service creates together with the record. */
  readonly definesItems?: boolean;
  /** The list in which created records appear. Without it, unconfirmed rows cannot be looked up. */
  readonly listing?: SortedList;
}
