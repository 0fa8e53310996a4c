import { ProcError } from '../../core/errors.ts';
import type { GlobalFlags, OutputFormat } from '../../core/ports.ts';

export type DocumentFormat = 'html' | 'markdown' | 'xlsx';

const BY_ENDING: Readonly<Record<string, DocumentFormat>> = {
  html: 'html',
  htm: 'html',
  md: 'markdown',
  markdown: 'markdown',
  xlsx: 'xlsx',
};

/** Flags that have no effect on a report. */
const SHAPING = {
  fields: '--fields',
  query: '--query',
  orderBy: '--order-by',
  noHeaders: '--no-headers',
  csvRaw: '--csv-raw',
  csvDialect: '--csv-dialect',
} as const;

export interface DocumentSources {
  readonly globals: Pick<GlobalFlags, 'output' | 'out' | 'where' | keyof typeof SHAPING>;
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
 *
 * @throws ProcError `invalid_usage`
 */
export function documentFormat(sources: DocumentSources): DocumentFormat | undefined {
  const { globals, reports } = sources;
  const format = chosen(sources);
  if (format === undefined) return undefined;
  const flag = shapingFlag(globals);
  if (flag === undefined) return format;
  // `--fields` and similar flags shape rows. So the workbook gets rows, and not a report.
  if (format === 'xlsx' && reports === 'files') return undefined;
  throw new ProcError('invalid_usage', `${flag} has no effect on a report`, {
    hint: `Remove ${flag}, or add -o json, which prints the figures`,
  });
}

function chosen({ globals, reports, preferred }: DocumentSources): DocumentFormat | undefined {
  const { output, out } = globals;
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

function shapingFlag(globals: DocumentSources['globals']): string | undefined {
  if (globals.where.length > 0) return '--where';
  const given = Object.entries(SHAPING).find(([key]) => {
    const value = globals[key as keyof typeof SHAPING];
    return value !== undefined && value !== false;
  });
  return given?.[1];
}
