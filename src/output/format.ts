import { ProcError } from '../core/errors.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../core/global-flags.ts';
import type { Row, RowsResult } from '../core/result.ts';
import { escapeJson } from '../terminal/sanitise.ts';

const BY_ENDING: Readonly<Record<string, OutputFormat>> = {
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
  xlsx: 'xlsx',
  txt: 'table',
};

export interface FormatSources {
  readonly flag: OutputFormat | undefined;
  readonly env: string | undefined;
  readonly outFile: string | undefined;
  /** Used if the file extension is unknown and nothing else names a format: JSON instead of an error. */
  readonly anyOut?: boolean | undefined;
  readonly stdoutIsTerminal: boolean;
}

/**
 * Precedence: `-o`, the extension of `--out`, `PROC_OUTPUT`. The default is a
 * table on a terminal and JSON elsewhere.
 *
 * @throws ProcError `invalid_usage` for an unknown format or extension
 */
export function chooseFormat({
  flag,
  env,
  outFile,
  anyOut,
  stdoutIsTerminal,
}: FormatSources): OutputFormat {
  // Validated even if another source wins, so that a wrong value is found early.
  const fromEnv = known(env);
  const ending = outFile === undefined ? undefined : byEnding(outFile);
  if (flag !== undefined) {
    // A program that opens a file by its extension misreads another format. `.txt` may hold any text.
    const selects = isPage(outFile) ? 'a page' : ending;
    if (selects === undefined || selects === 'table' || selects === flag) return flag;
    throw new ProcError('invalid_usage', `-o ${flag} contradicts --out ${outFile}`, {
      hint: `Remove -o, because the extension selects ${selects}, or use another extension`,
    });
  }
  if (outFile !== undefined) {
    const chosen = ending ?? fromEnv ?? (anyOut ? 'json' : undefined);
    if (chosen !== undefined) return chosen;
    const endings = Object.keys(BY_ENDING).join(', .');
    const what = `--out ${outFile}: the file extension is not a known format`;
    throw new ProcError('invalid_usage', what, {
      hint: `Use one of .${endings}, or add -o ${OUTPUT_FORMATS.join('|')}`,
    });
  }
  // A terminal cannot show a workbook, and commands without --out must still work.
  if (fromEnv === 'xlsx' && stdoutIsTerminal) return 'table';
  return fromEnv ?? (stdoutIsTerminal ? 'table' : 'json');
}

/**
 * stderr gets JSON lines if it is no terminal and the output is no table. Never throws: an invalid format
 * must not prevent error messages.
 */
export function errorsAsJson(
  sources: FormatSources & { readonly stderrIsTerminal: boolean },
): boolean {
  if (sources.stderrIsTerminal) return false;
  let format = sources.flag ?? (sources.stdoutIsTerminal ? 'table' : 'json');
  try {
    format = chooseFormat(sources);
  } catch {
    // The command line is refused, too.
  }
  return format !== 'table';
}

function byEnding(file: string): OutputFormat | undefined {
  const ending = /\.([A-Za-z]+)$/.exec(file)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
}

function known(text: string | undefined): OutputFormat | undefined {
  if (text === undefined || text === '') return undefined;
  const found = OUTPUT_FORMATS.find((format) => format === text);
  if (found !== undefined) return found;
  throw new ProcError('invalid_usage', `PROC_OUTPUT is "${text}", which is not an output format`, {
    hint: `Use one of: ${OUTPUT_FORMATS.join(', ')}`,
  });
}

export function isPage(file: string | undefined): boolean {
  return file !== undefined && /\.html?$/i.test(file);
}

export function jsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value) ?? 'null')}\n`;
}

/** Every element on a line. */
export async function* ndjson(
  batches: AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>,
): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map(jsonLine).join('');
}

/** JSON with an indentation of two spaces. */
export function jsonText(value: unknown): string {
  return `${escapeJson(JSON.stringify(value, null, 2) ?? 'null')}\n`;
}

/**
 * An array of elements that come in batches. Without its end, e.g. after a failed request, no program
 * reads it as a whole array.
 */
export async function* jsonArray(
  batches: AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>,
): AsyncGenerator<string> {
  let before = '[\n  ';
  try {
    for await (const batch of batches) {
      let piece = '';
      for (const element of batch) {
        // JSON escapes line breaks in strings, so every line break here is between tokens.
        const text = escapeJson(JSON.stringify(element, null, 2) ?? 'null');
        piece += `${before}${text.replaceAll('\n', '\n  ')}`;
        before = ',\n  ';
      }
      yield piece;
    }
  } catch (thrown) {
    if (before.startsWith(',')) yield '\n';
    throw thrown;
  }
  yield before.startsWith('[') ? '[]\n' : '\n]\n';
}

/** Items in arrays of `most`; the last may be shorter. */
export async function* batched<T>(
  items: AsyncIterable<T> | Iterable<T>,
  most = 1000,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < most) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The rows of a result; then the failure of a list that was cut off. */
export async function* batchesOf({
  rows,
  isCut,
  failure,
}: Pick<RowsResult, 'rows' | 'isCut' | 'failure'>): AsyncGenerator<readonly Row[]> {
  yield* Symbol.asyncIterator in rows ? rows : batched(rows);
  const error = typeof failure === 'function' ? failure() : failure;
  if (isCut?.() === true && error !== undefined) throw error;
}
