/**
 * A report as plain data; `output/document/` renders it. Any text may come from files and services, so
 * renderers escape all of it.
 */
export interface ReportDocument {
  readonly title: string;
  /** Where and when the reported command ran, for the line above the title. */
  readonly place: string;
  readonly lead: string;
  readonly tone: Tone;
  /** The first sheet of a workbook. Its headers are the keys, for programs that read it. */
  readonly data?: Table;
  readonly sections: readonly Section[];
  readonly footer: string;
}

export type Tone = 'good' | 'attention' | 'bad' | 'neutral';

export interface Section {
  readonly title: string;
  readonly tone?: Tone;
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | Table
  | Chart;

export interface Fact {
  readonly label: string;
  readonly value: string;
  /** Something to copy: an id, a hash, an address. */
  readonly isCode?: boolean;
}

export interface TableColumn {
  readonly key: string;
  readonly header: string;
  /**
   * `code`: something to copy. `number`: e.g. a row number. `count`: with separators of thousands.
   * `amount`: in the currency of the row's field `currency`.
   */
  readonly kind?: 'text' | 'code' | 'number' | 'count' | 'amount';
}

export interface Table {
  readonly kind: 'table';
  readonly title: string;
  /** Name of the sheet in a workbook. Tables of one section may share a sheet. Default: the title. */
  readonly sheet?: string;
  readonly sheetColumns?: readonly TableColumn[];
  readonly columns: readonly TableColumn[];
  /** The currency of all amounts. The title names it, so the cells do not. */
  readonly currency?: string;
  /** Objects with the keys of the columns. Read once for each report. */
  readonly rows: Iterable<object>;
  readonly count: number;
  readonly most: number | undefined;
  /** The command that lists all rows. */
  readonly all?: string;
  readonly isFolded?: boolean;
}

/** The table that follows a chart has the same figures. */
export type Chart =
  | { readonly kind: 'bars'; readonly title: string; readonly bars: readonly Bar[] }
  | {
      readonly kind: 'stacks';
      readonly title: string;
      /** The parts of each stack, the lowest first. */
      readonly parts: readonly { readonly name: string; readonly colour: BarColour }[];
      readonly stacks: readonly {
        readonly label: string;
        readonly values: readonly number[];
        readonly text: string;
      }[];
    }
  | {
      readonly kind: 'line';
      readonly title: string;
      readonly points: readonly { readonly label: string; readonly value: number }[];
      readonly unit: string;
    };

interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
  readonly colour: BarColour;
}

export type BarColour = 'green' | 'blue' | 'violet' | 'red' | 'orange' | 'grey' | 'brown';
