/**
 * Why a row was not sent, not created or not confirmed; why a file cannot be read to its end; why a run waits. Data,
 * which programs compare. `sentence.ts` makes the sentence when it is shown.
 */
export type Problem<C extends ProblemCode = ProblemCode> = {
  [K in C]: {
    readonly code: K;
    /** The field of the target, or the column of the source. Undefined if the problem is not in one field. */
    readonly field?: string | undefined;
    readonly args: ProblemArgs[K];
    readonly place?: ProblemPlace | undefined;
    /** Further problems of the row. */
    readonly also?: readonly Problem[] | undefined;
  };
}[C];

/** Numbers count from 1. */
export interface ProblemPlace {
  readonly file?: string | undefined;
  readonly row?: number | undefined;
  readonly line?: number | undefined;
  /** Of the line. */
  readonly column?: number | undefined;
  /** The position in a record that is one line, or that begins on the first line of a document. */
  readonly inRecord?: { readonly column: number } | { readonly character: number } | undefined;
  /** The header of the column whose cell has the problem. */
  readonly header?: string | undefined;
  /** In JSON: the names that lead to the value in its record, e.g. `groups[0].items[2].quantity`. */
  readonly path?: string | undefined;
  /** The template that made the value. */
  readonly expression?: string | undefined;
}

export type ProblemCode = keyof ProblemArgs;

/** One problem that says all of them; undefined if there are none. */
export function together(problems: readonly Problem[]): Problem | undefined {
  const [first, ...also] = problems.flatMap(eachOf);
  return first === undefined || also.length === 0 ? first : { ...first, also };
}

/** A problem and those that it says besides. */
export function eachOf(problem: Problem): readonly Problem[] {
  const { also, ...first } = problem;
  return also === undefined ? [problem] : [first, ...also];
}

declare const STORED: unique symbol;

/** JSON text of a problem, as databases hold it. No code reads it but {@link problemIn}. */
export type StoredProblem = string & { readonly [STORED]: true };

export function storedProblem(problem: Problem): StoredProblem {
  return JSON.stringify(problem) as StoredProblem;
}

export function problemIn(stored: StoredProblem): Problem {
  return JSON.parse(stored) as Problem;
}

/** A value as it is shown: JSON text, shortened; or an array or object, whose content is not shown. */
export type Shown = string | { readonly elements: number } | { readonly kind: 'object' };

/** The rows of a list that are nearest to a text; what the list is, and how much of it was read. */
export interface Near {
  /** Plural, e.g. `orders`. */
  readonly noun: string;
  /** What was read: the whole list, a part of it, or only the pages where a search expected a code. */
  readonly extent: 'whole' | 'part' | 'searched';
  readonly count: number;
  /** Only so many of `count` rows were compared. */
  readonly compared?: number | undefined;
  /** E.g. `PO-00042 (Chains)`; empty if no row is similar. */
  readonly rows: readonly string[];
}

/** The run or the command that sent a row. */
export interface SentBy {
  readonly run?: string | undefined;
  /** The entry of the history. */
  readonly entry?: string | undefined;
}

type None = Readonly<Record<never, never>>;
type Nested<K extends string = 'problem'> = { readonly [key in K]: Problem };
type Code = { readonly code: string };
type Got = { readonly got: Shown };
type Text = { readonly text: string };

/** The mistakes of JSON that `core/text/strict-json.ts` finds. */
export interface JsonMistakeArgs {
  readonly json_empty: None;
  readonly json_too_deep: { readonly levels: number };
  readonly json_trailing_comma: { readonly before: '}' | ']' };
  readonly json_name_expected: None;
  readonly json_name_twice: { readonly name: string };
  readonly json_colon_expected: None;
  readonly json_comma_expected: { readonly or: '}' | ']' };
  /** `found` is undefined at the end of the text. */
  readonly json_value_expected: { readonly found?: string | undefined };
  readonly json_end_expected: None;
  readonly json_text_open: None;
  readonly json_text_invalid: None;
  readonly json_number_rounded: { readonly number: string };
}

/** How a body breaks the contract, as `core/validate.ts` finds it. */
export interface ContractIssueArgs {
  readonly missing: { readonly expected: string };
  readonly missing_choice: { readonly choices: readonly string[] };
  readonly wrong_type: Got & { readonly expected: string };
  readonly wrong_choice: Got & { readonly choices: readonly string[] };
  readonly too_few: Got & { readonly least: number };
  readonly too_small: Got & { readonly least: string; readonly isExclusive?: true | undefined };
  readonly too_big: Got & { readonly most: string; readonly isExclusive?: true | undefined };
  /** `says` is the text of the schema. */
  readonly not_valid: { readonly says: string; readonly got?: Shown | undefined };
}

/** What the answer to a request, or its absence, says. */
interface AnswerArgs {
  /** The service refused; `text` is its own. `fields`: those that its error body names. */
  readonly service_says: Text & { readonly fields?: readonly string[] | undefined };
  readonly answered: { readonly status: number; readonly text?: string | undefined };
  /** 401 */
  readonly key_refused: { readonly text?: string | undefined };
  readonly redirected: { readonly status: number };
  readonly response_page: Text;
  readonly refused_with_record: { readonly status: number; readonly id: string };
  readonly response_with_error: { readonly status: number; readonly text: string };
  readonly response_not_json: Text;
  readonly response_not_object: { readonly text?: string | undefined };
  readonly response_without_id: { readonly name: string; readonly text?: string | undefined };
  readonly response_strange_id: {
    readonly name: string;
    readonly id: string;
    readonly text?: string | undefined;
  };
  readonly response_of_another: {
    readonly subject: string;
    readonly id?: string | undefined;
    readonly text?: string | undefined;
  };
  readonly response_misfit: {
    readonly differences: readonly {
      readonly field: string;
      readonly sent: string;
      readonly stored: string;
    }[];
  };
  readonly response_too_large: { readonly mebibytes: number };
  readonly response_damaged: { readonly encoding: string; readonly cause: string };
  /** Only of reads. */
  readonly response_unreadable: { readonly says: string };
  readonly connection_broke: { readonly cause?: string | undefined };
  readonly connect_timeout: None;
  readonly unreachable: { readonly cause: string };
  readonly no_response_within: { readonly seconds: number };
  readonly interrupted: None;
}

export interface ProblemArgs extends JsonMistakeArgs, ContractIssueArgs, AnswerArgs {
  // Reading the source.
  readonly too_long: { readonly limit: string };
  readonly rows_too_long: { readonly limit: string };
  readonly too_deep: { readonly levels: number };
  readonly too_many_fields: { readonly count: number; readonly most: number };
  readonly cell_count: { readonly cells: number; readonly columns: number };
  readonly nul: { readonly character?: number | undefined };
  readonly half_character: None;
  /** `within`: the limit in which it was looked for; undefined for the end of the file. */
  readonly quote_open: { readonly within?: string | undefined };
  readonly text_after_quote: { readonly cell: number };
  readonly quote_joins_lines: { readonly cell: number; readonly lines: number };
  readonly element_missing: None;
  readonly not_json: None;
  readonly not_object: Got;
  readonly unreadable: None;
  /** `row`: the row in whose middle the file ends; undefined if its array is not closed. */
  readonly file_ends: { readonly row?: number | undefined };
  readonly file_ends_early: None;
  readonly text_after_document: None;
  // Mapping and checking a row.
  readonly required_empty: { readonly or: readonly string[] };
  readonly all_empty: None;
  readonly column_empty: { readonly column: string };
  readonly not_text: Got;
  readonly column_not_text: Got & { readonly column: string };
  /** `like`: show a number as an example. */
  readonly not_number: Got & {
    readonly isWhole?: true | undefined;
    readonly like?: true | undefined;
    /** The decimal mark of the example. */
    readonly decimal?: ',' | '.' | undefined;
  };
  /** The cell of an amount has a currency that differs from the one of the row. */
  readonly currency_differs: Text & { readonly field: string; readonly currency: string };
  readonly number_rounded: { readonly number: string };
  readonly whole_too_large: { readonly most: number; readonly got: string };
  readonly cell_error: { readonly error: string };
  readonly odd_value: Text;
  /** The table of values of a saved map does not have it. */
  readonly value_not_listed: Got;
  readonly repeated_header: None;
  readonly not_sendable: None;
  readonly reference_unknown: {
    readonly kind: ReferenceKind;
    readonly form?: string | undefined;
    readonly text: string;
    readonly near?: Near | undefined;
  };
  readonly reference_ambiguous: Text & {
    readonly count: number;
    readonly rows: readonly string[];
    readonly forms: readonly string[];
  };
  readonly reference_form: Text & {
    readonly kind: ReferenceKind;
    readonly form: string;
    readonly forms: readonly string[];
  };
  readonly reference_empty: { readonly text: string };
  readonly reference_without: Text & { readonly kind: ReferenceKind; readonly property: string };
  readonly referred_without: { readonly reference: string; readonly property: string };
  readonly both_given: { readonly one: string; readonly other: string };
  // Rows that form one body.
  readonly of_row: Nested;
  readonly rows_differ: {
    readonly values: readonly { readonly value: string; readonly place: ProblemPlace }[];
  };
  readonly line_without_item: None;
  // Planning.
  readonly same_as: { readonly row: number };
  /** Other rows with the code of this one, and other values: the first of `count`. */
  /** `isAlike`: all their other values are equal, so the codes differ in spelling. */
  readonly code_of_rows: {
    readonly rows: readonly number[];
    readonly count: number;
    readonly isAlike?: true | undefined;
  };
  readonly equals_row: { readonly row: number };
  /** The record of the list with the code of the row in another spelling, and another name. */
  readonly other_spelling: Code & {
    readonly id: string;
    readonly listed: string;
    readonly name: string | null;
    readonly otherName: string | null;
  };
  /** What was sent under the key of the row: the last of `count` writes. Without differences if the values are gone. */
  readonly sent_otherwise: {
    readonly key: string;
    readonly count: number;
    readonly sent: readonly {
      readonly by: SentBy;
      readonly row?: number | undefined;
      readonly differences: readonly {
        readonly field: string;
        readonly sent: string;
        readonly now: string;
      }[];
    }[];
  };
  /** A later run has taken the row over. */
  readonly moved: { readonly run: number };
  readonly items_with_code: Code & {
    readonly count: number;
    readonly items: readonly { readonly id: string; readonly name?: string | undefined }[];
  };
  readonly item_is_another: Code & {
    readonly id: string;
    readonly name?: string | undefined;
    readonly sent: string;
  };
  readonly item_id_differs: Code & { readonly id: string; readonly given: string };
  // Sending.
  readonly no_response: None;
  /** The response may belong to another row; what it says otherwise, if it is a refusal. */
  readonly unproved: { readonly problem?: Problem | undefined };
  readonly other_code_stored: { readonly sent: string; readonly stored: string };
  /** `row`: the row of this run that has the id; undefined for an earlier record. */
  readonly id_taken: { readonly id: string; readonly row?: number | undefined };
  // Look-ups.
  readonly never_created: Nested<'said'> & { readonly tries: number };
}

export type ReferenceKind = 'order' | 'item' | 'sector';
