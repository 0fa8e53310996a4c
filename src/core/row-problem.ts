/**
 * Why a row was not sent, not created or not confirmed; why a file cannot be read to its end. The sentence stands where
 * the problem is found; its field and its place are added when it is shown.
 */
export interface Problem {
  /** Without its field and place: `is required, but empty`. */
  readonly text: string;
  /** The field of the target, or the column of the source. Undefined if the problem is not in one field. */
  readonly field?: string | undefined;
  readonly place?: ProblemPlace | undefined;
  /** The text is the service's own. */
  readonly isService?: true;
  /** Fields that the text names, and that may be fields of the row. */
  readonly named?: readonly string[];
  /** Further problems of the row. */
  readonly also?: readonly Problem[] | undefined;
}

/** Numbers count from 1. */
export interface ProblemPlace {
  readonly file?: string | undefined;
  readonly row?: number | undefined;
  readonly line?: number | undefined;
  /** Of the line. */
  readonly column?: number | undefined;
  /** Of a record that begins within a line. */
  readonly character?: number | undefined;
  /** The header of the column whose cell has the problem. */
  readonly header?: string | undefined;
  /** In JSON: the names that lead to the value in its record, e.g. `groups[0].items[2].quantity`. */
  readonly path?: string | undefined;
  /** The template that made the value. */
  readonly expression?: string | undefined;
}

/** One problem that says all of them; undefined if there are none. */
export function together(problems: readonly (Problem | undefined)[]): Problem | undefined {
  const [first, ...also] = problems.flatMap((one) => (one === undefined ? [] : eachOf(one)));
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

/** `items.json, line 3, column 5`, `row 7, line 8`; empty if nothing of it is known. */
export function placeText({ file, row, line, column }: ProblemPlace): string {
  const parts = Object.entries({ row, line, column }).flatMap(([name, number]) =>
    number === undefined ? [] : [`${name} ${number}`],
  );
  return (file === undefined ? parts : [file, ...parts]).join(', ');
}

/** E.g. `items.csv, line 3: has 2 cells, but the header has 5`, or `code: column "SKU": is required, but empty`. */
export function sentence(problem: Problem): string {
  const { text, field, isService, place = {}, also = [] } = problem;
  const { row, header, path, character, expression } = place;
  const column = header === undefined ? [] : [`column ${JSON.stringify(header)}`];
  // The column of a row says more than the field that it fills.
  const isCell = header !== undefined && row !== undefined;
  const at = [placeText(place), ...(isCell ? column : [])].join(', ');
  const own = [
    ...(at === '' ? [] : [at]),
    ...(path === undefined ? [] : [path]),
    ...(field === undefined || isCell || path !== undefined ? [] : [field]),
    ...(character === undefined ? [] : [`character ${character} of the record`]),
    ...(isCell ? [] : column),
    ...(expression === undefined ? [] : [expression]),
    isService === true && (header ?? path ?? row) !== undefined
      ? `the service says “${text}”`
      : text,
  ].join(': ');
  return [own, ...also.map(sentence)].join('; ');
}

interface RowWithReason {
  readonly row: number;
  readonly line?: number | null | undefined;
  readonly reason: Problem;
}

/** The sentence of a problem of a row, which names the row. */
export function rowSentence({ row, line, reason }: RowWithReason): string {
  const text = sentence(reason);
  return reason.place?.row === undefined && reason.place?.file === undefined
    ? `${placeText({ row, line: line ?? undefined })}: ${text}`
    : text;
}

export function sentenceIn(stored: StoredProblem): string {
  return sentence(problemIn(stored));
}
