import type { EndpointSpec } from '../../core/endpoint.ts';
import type {
  Problem,
  ProblemCode,
  ProblemPlace,
  ReferenceKind,
} from '../../core/problem/row-problem.ts';
import type { SortedList } from '../../listing/listing.ts';
import type { Places } from '../source/record.ts';

export interface ImportField {
  /** The name for `--map`: as in the contract, or proc's own, e.g. `item.code` of flat rows. */
  readonly name: string;
  /** A value of the kind `any` is not converted. */
  readonly kind: 'string' | 'number' | 'integer' | 'any';
  readonly required?: boolean;
  /** All values that the contract allows, each with other words for it. Case and accents do not matter. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** Of an amount: the field of its currency, which may stand in the same cell. */
  readonly currency?: string;
  /** Headers that mean this field. Case, accents and punctuation do not matter. */
  readonly synonyms: readonly string[];
  /**
   * Headers that mean another field if their values look like codes. They are also in `synonyms`.
   */
  readonly orCode?: { readonly field: string; readonly headers: readonly string[] };
  /**
   * Headers of this field that mean `code` if one of the other headers is in the table: `Material`
   * beside `Material Description`.
   */
  readonly besides?: { readonly code: string; readonly headers: readonly string[] };
  /**
   * The name of another field. If no column matches this field, the column of the other field fills
   * it. A column with exactly the name of the other field stays there.
   */
  readonly instead?: string;
}

/** Headers as a text: one list, with `|` or a line break between two. */
export function headersIn(text: string): readonly string[] {
  return text.trim().split(/\s*[|\n][\s|]*/);
}

export interface TargetFields {
  readonly fields: readonly ImportField[];
}

/** A field in which people write a code or key, although the body needs an id. */
export interface ImportReference {
  /**
   * The mapped field, e.g. `order`.
   */
  readonly field: string;
  /** The field of the body that receives the value, if its name differs, e.g. `orderId`. */
  readonly into?: string;
  readonly to: ReferenceKind;
  /** Another reference to the same record: `order` for `orderId`. `@order.currency` may mean either. */
  readonly like?: string;
  /**
   * If the row has this field, the reference is not looked up. E.g. `item.code` beside `item.name`
   * may be the code of a new item.
   */
  readonly unless?: string;
  /** Look up a value without a prefix as a code first, then as an id. */
  readonly bareIsCode?: boolean;
}

export interface FlatRow {
  readonly place: ProblemPlace & { readonly row: number };
  readonly body: Readonly<Record<string, unknown>>;
}

export type Assembled =
  | {
      readonly body: Readonly<Record<string, unknown>>;
      readonly problem?: undefined;
      readonly places: Places;
    }
  | {
      readonly body?: undefined;
      readonly problem: Problem;
      /** Of the row with the problem. */
      readonly place: FlatRow['place'];
    };

/** If rows are grouped, the fields and references of the result are those of flat rows. */
export function shapeOf(target: ImportTarget, groupBy: string | undefined): ImportTarget {
  return groupBy === undefined ? target : { ...target, ...target.grouped };
}

/** Problems of rows that lack what makes their record of any use. */
export type MissingCode = Extract<
  ProblemCode,
  'item_without_name' | 'imputation_without_amount' | 'imputation_without_order'
>;

/** What an import needs to know of a noun. */
export interface ImportTarget {
  readonly noun: string;
  readonly one: string;
  readonly many: string;
  readonly create: EndpointSpec;
  readonly fields: TargetFields;
  /** The body field by which a row is recognised, e.g. `code`. */
  readonly keyField: string;
  /** Other fields that contain codes: they are checked for damage by spreadsheets too. */
  readonly codeFields?: readonly string[];
  /** Check bodies against the contract. */
  readonly isChecked?: boolean;
  readonly references?: readonly ImportReference[];
  /** How several flat rows make one body (`--group-by`). */
  readonly grouped?: {
    readonly fields: TargetFields;
    readonly references: readonly ImportReference[];
    /** A field that payloads have and flat rows do not: rows with this field are payloads. */
    readonly payloadField: string;
    /** Each inner array names alternatives: a body needs at least one of these fields. */
    readonly requiredFields: readonly (readonly [string, ...string[]])[];
    /** The field that identifies a body: its column is the best one for grouping. */
    readonly keyField: string;
    /** The field with one value per body, e.g. `title`: its column can be used for grouping. */
    readonly titleField: string;
    readonly headers: readonly string[];
    readonly defaults: Readonly<Record<string, string>>;
    assemble(rows: readonly FlatRow[]): Assembled;
    /**
     * The fields of flat rows that can fill a value of the body, the likeliest first.
     *
     * @param path e.g. `groups`, `0`, `items`, `2`, `quantity`
     */
    fieldsAt(path: readonly string[]): readonly string[];
  };
  /**
   * What a record needs to be of any use, although the contract does not require it: at least one of
   * the fields. With `finding`, records without it are reported if they are allowed.
   */
  readonly needed?: readonly {
    readonly fields: readonly [string, ...string[]];
    /** Why a row without them is rejected. */
    readonly problem: MissingCode;
    readonly finding?: 'unmapped_name' | 'missing_amounts';
  }[];
  /** Lines of a body may define new items, which the service creates together with the record. */
  readonly definesItems?: boolean;
  /**
   * Names of fields. Amount and currency of a row are compared with the record that `reference`
   * refers to.
   */
  readonly against?: {
    readonly reference: string;
    readonly amount: string;
    readonly currency: string;
  };
  /** The list in which created records appear. Without it, unconfirmed rows cannot be looked up. */
  readonly listing?: SortedList;
}
