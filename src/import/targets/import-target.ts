import type { EndpointSpec } from '../../core/endpoint.ts';
import type { ReferenceKind } from '../../listing/match-reference.ts';
import type { SortedList } from '../../listing/sorted-list.ts';
import type { TargetFields } from './target-fields.ts';

/** A field in which people say what they know (a code, a key, an alias) where the body needs an id. */
export interface ImportReference {
  /** As mapped: `order`; `groups[].addressId` is in each element of an array. */
  readonly field: string;
  /** The field of the body that gets the value, where it is another one: `orderId`. */
  readonly into?: string;
  readonly to: ReferenceKind;
  /** A row that has this field too does not only refer: the rule for items defined in place decides. */
  readonly unless?: string;
  /** What matches nothing is sent as it stands, as it may be an id; otherwise its row is rejected. */
  readonly orAsIs?: boolean;
  /** A bare word is a code where there is one, as the column is called so; else it may be an id. */
  readonly bareIsCode?: boolean;
}

/** A row of a flat file, mapped. */
export interface FlatRow {
  /** Where it stands, for messages: `row 7 (line 8)`. */
  readonly place: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What several flat rows make together, or why they make nothing. */
export type Assembled =
  | { readonly body: Readonly<Record<string, unknown>>; readonly problem?: undefined }
  | { readonly body?: undefined; readonly problem: string };

/** A noun as columns are mapped to it: as its flat rows have them, if a column brings rows together. */
export function shapeOf(target: ImportTarget, groupBy: string | undefined): ImportTarget {
  return groupBy === undefined ? target : { ...target, ...target.grouped };
}

/**
 * What bulk import must know of a noun: plain data, so that the engine knows none by name. A noun
 * that cannot be listed leaves `listing` out; what is in doubt there stays in doubt.
 */
export interface ImportTarget {
  /** As on the command line: `items`. */
  readonly noun: string;
  /** What one row is called, and several. */
  readonly one: string;
  readonly many: string;
  /** Sends one row. Its response names the field that carries the id (`created`). */
  readonly create: EndpointSpec;
  /** What columns can be mapped to. */
  readonly fields: TargetFields;
  /** Field of the body by which a row is recognised again: `code`. */
  readonly keyField: string;
  /** Other fields whose digits are no numbers: damage of spreadsheets is looked for in them too. */
  readonly codeFields?: readonly string[];
  /** The body is checked against the contract: it has parts that the mapping does not look into. */
  readonly isChecked?: boolean;
  readonly references?: readonly ImportReference[];
  /** Rows of a flat file that make one body together (`--group-by`). */
  readonly grouped?: {
    readonly fields: TargetFields;
    readonly references: readonly ImportReference[];
    /** The field of a payload that flat rows have not: a source with it is no flat one. */
    readonly instead: string;
    /** Each body needs one of each of these; the first is the one that messages propose. */
    readonly needs: readonly (readonly [string, ...string[]])[];
    /** The field of which each lot has one value: it can be what brings rows together. */
    readonly named: string;
    /** Headers of columns that bring rows together. */
    readonly by: readonly string[];
    /** Values to propose where no column fits. */
    readonly usual: Readonly<Record<string, string>>;
    assemble(rows: readonly FlatRow[]): Assembled;
  };
  /** Lines of its bodies may define items in place, which its creation then creates too. */
  readonly definesItems?: boolean;
  /** A row that has a reference is compared with what it refers to. */
  readonly against?: {
    readonly reference: string;
    readonly amount: string;
    readonly currency: string;
  };
  /** Where what was created can be seen. */
  readonly listing?: SortedList;
}
