import type { Lang } from '../text/phrase.ts';

/**
 * A report as plain data. It says what there is to read, in order; `output/document/` decides how a page,
 * Markdown and a workbook show it. All text may come from files and services: renderers escape it.
 */
export interface ReportDocument {
  readonly lang: Lang;
  readonly title: string;
  /** Where and when it happened, for the line above the title. */
  readonly place: string;
  /** What the report is about, in one sentence. */
  readonly lead: string;
  readonly tone: Tone;
  /** The first sheet of a workbook. Its headers are the keys, so that programs can read it like a list. */
  readonly data?: Table;
  readonly sections: readonly Section[];
  /** The last line: what made the report, and when. */
  readonly footer: string;
}

/** How good the news is. */
export type Tone = 'good' | 'attention' | 'bad' | 'neutral';

export interface Section {
  readonly title: string;
  readonly tone?: Tone;
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  /** A command to copy. */
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | Table
  | Chart;

export interface Fact {
  readonly label: string;
  readonly value: string;
  /** The value is an id, a hash, an address: something to copy. */
  readonly isCode?: boolean;
}

export interface TableColumn {
  readonly key: string;
  readonly header: string;
  /**
   * `code`: something to copy. `number`: for instance the number of a row. `count`: how many, with separators
   * of thousands. `amount`: in the currency that the row has in its field `currency`.
   */
  readonly kind?: 'text' | 'code' | 'number' | 'count' | 'amount';
}

export interface Table {
  readonly kind: 'table';
  /** Not repeated if it is the title of the section. */
  readonly title: string;
  /** The sheet of a workbook; tables of a section with the same sheet share it. Default: the title. */
  readonly sheet?: string;
  /** The columns of that sheet, if they differ from `columns`. */
  readonly sheetColumns?: readonly TableColumn[];
  readonly columns: readonly TableColumn[];
  /** The currency of all its amounts, which the title names: cells do not repeat it. */
  readonly currency?: string;
  /** Objects with the keys of the columns. Read once for each report, and no further than needed. */
  readonly rows: Iterable<object>;
  /** Number of rows, known before they are read. */
  readonly count: number;
  /** The most rows to show; undefined: all, however long the report gets. */
  readonly most: number | undefined;
  /** The command that lists all rows. */
  readonly all?: string;
  /** Closed until the reader opens it. */
  readonly isFolded?: boolean;
}

/** A drawing. The table after it has the same figures. */
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
      /** What the values count. */
      readonly unit: string;
    };

interface Bar {
  readonly label: string;
  readonly value: number;
  /** The value as people read it. */
  readonly text: string;
  readonly colour: BarColour;
}

export type BarColour = 'green' | 'blue' | 'violet' | 'red' | 'orange' | 'grey' | 'brown';
