import type { GlobalFlags, OutputFormat } from '../../core/global-flags.ts';

export type DocumentFormat = 'html' | 'markdown' | 'xlsx';

const BY_ENDING: Readonly<Record<string, DocumentFormat>> = {
  html: 'html',
  htm: 'html',
  md: 'markdown',
  markdown: 'markdown',
  xlsx: 'xlsx',
};

/** Flags that shape rows. */
const SHAPING = {
  fields: '--fields',
  query: '--query',
  orderBy: '--order-by',
  noHeaders: '--no-headers',
  csvRaw: '--csv-raw',
  csvDialect: '--csv-dialect',
} as const;

type Shaped = Pick<GlobalFlags, 'where' | keyof typeof SHAPING>;

export interface DocumentSources {
  readonly globals: Shaped & Pick<GlobalFlags, 'output' | 'out'>;
  /**
   * `always`: the command prints a report. `files`: the command writes a report only to a file such
   * as `FILE.html`.
   */
  readonly reports: 'always' | 'files';
  readonly preferred: OutputFormat | undefined;
}

/**
 * The format of the report, or undefined for rows or a record. Without `-o`, the extension of
 * `--out` decides. A command that always prints a report prints Markdown for `table` and a workbook
 * for `xlsx`.
 */
export function documentFormat(sources: DocumentSources): DocumentFormat | undefined {
  const { globals, reports } = sources;
  const format = chosen(sources);
  if (format === undefined) return undefined;
  // `--fields` and similar flags shape rows. So the workbook gets rows, and not a report.
  const hasRows = format === 'xlsx' && reports === 'files' && shapingFlag(globals) !== undefined;
  return hasRows ? undefined : format;
}

function chosen({ globals, reports, preferred }: DocumentSources): DocumentFormat | undefined {
  const { output, out } = globals;
  if (output === 'md') return 'markdown';
  if (output === undefined && out !== undefined) return byEnding(out);
  if (reports === 'files') return undefined;
  const format = output ?? preferred ?? 'table';
  if (format === 'table') return 'markdown';
  return format === 'xlsx' ? 'xlsx' : undefined;
}

function byEnding(file: string): DocumentFormat | undefined {
  const ending = /\.([A-Za-z]+)$/.exec(file)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
}

/** The first flag that shapes rows, and so has no effect on a report. */
export function shapingFlag(globals: Shaped): string | undefined {
  if (globals.where.length > 0) return '--where';
  const given = Object.entries(SHAPING).find(([key]) => {
    const value = globals[key as keyof typeof SHAPING];
    return value !== undefined && value !== false;
  });
  return given?.[1];
}
