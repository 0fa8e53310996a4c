import type { EndpointSpec } from '../../core/endpoint.ts';
import type { ReferenceKind } from '../../listing/match-reference.ts';
import type { SortedList } from '../../listing/sorted-list.ts';
import type { TargetFields } from './target-fields.ts';

/** A field in which people write a code, key or alias, and whose body field needs an id. */
export interface ImportReference {
  /** The mapped field: `order`; `groups[].addressId` is in each element of an array. */
  readonly field: string;
  /** The field of the body that receives the value, if its name differs: `orderId`. */
  readonly into?: string;
  readonly to: ReferenceKind;
  /**
   * If the row has this field too, it may define a new item: the rule for items in place decides.
   */
  readonly unless?: string;
  /**
   * A value without a match is sent unchanged, because it may be an id; otherwise its row is
   * rejected.
   */
  readonly orAsIs?: boolean;
  /**
   * A value without a prefix is a code first, as the column's name says, and an id only if no code
   * matches.
   */
  readonly bareIsCode?: boolean;
}

/** A mapped row of a flat file. */
export interface FlatRow {
  /** Its place in the file, for messages: `row 7 (line 8)`. */
  readonly place: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The body that several flat rows make together, or why they make none. */
export type Assembled =
  | { readonly body: Readonly<Record<string, unknown>>; readonly problem?: undefined }
  | { readonly body?: undefined; readonly problem: string };

/**
 * The target with the fields to which columns are mapped. If rows are grouped, these are the fields of flat
 * rows.
 */
export function shapeOf(target: ImportTarget, groupBy: string | undefined): ImportTarget {
  return groupBy === undefined ? target : { ...target, ...target.grouped };
}

/**
 * What an import needs to know of a noun. Plain data, so that the engine mentions no noun. A noun
 * that cannot be listed has no `listing`, and its unconfirmed rows cannot be looked up.
 */
export interface ImportTarget {
  /** The noun on the command line: `items`. */
  readonly noun: string;
  /** The singular and plural in messages. */
  readonly one: string;
  readonly many: string;
  /** The request that creates a row. Its response names the field with the new id (`created`). */
  readonly create: EndpointSpec;
  /** The fields to which columns can be mapped. */
  readonly fields: TargetFields;
  /** The body field by which a row is recognised: `code`. */
  readonly keyField: string;
  /** Other fields that contain codes: they are checked for damage by spreadsheets too. */
  readonly codeFields?: readonly string[];
  /**
   * Check the body against the contract, because it has nested parts that the mapping does not
   * check.
   */
  readonly isChecked?: boolean;
  readonly references?: readonly ImportReference[];
  /** Flat rows that make one body together (`--group-by`). */
  readonly grouped?: {
    readonly fields: TargetFields;
    readonly references: readonly ImportReference[];
    /** A field that payloads have and flat rows do not: a source with it is not flat. */
    readonly payloadField: string;
    /** Each body needs one field of each list; messages suggest the first. */
    readonly requiredFields: readonly (readonly [string, ...string[]])[];
    /** The field with one value per group: its column can be used for grouping. */
    readonly titleField: string;
    /** Usual headers of columns to group by. */
    readonly headers: readonly string[];
    /** Values to suggest if no column fits. */
    readonly defaults: Readonly<Record<string, string>>;
    assemble(rows: readonly FlatRow[]): Assembled;
  };
  /** Lines of its bodies may define new items, which are created with them. */
  readonly definesItems?: boolean;
  /** Compare a row with the object it refers to. */
  readonly against?: {
    readonly reference: string;
    readonly amount: string;
    readonly currency: string;
  };
  /** The list in which created objects appear. */
  readonly listing?: SortedList;
}
