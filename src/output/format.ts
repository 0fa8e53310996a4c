import { ProcError } from '../core/errors.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../core/global-flags.ts';

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
export function chooseFormat(sources: FormatSources): OutputFormat {
  // Validated even if another source wins, so that a wrong value is found early.
  const fromEnv = known(sources.env);
  if (sources.flag !== undefined) return sources.flag;
  if (sources.outFile !== undefined) {
    const chosen = byEnding(sources.outFile) ?? fromEnv ?? (sources.anyOut ? 'json' : undefined);
    if (chosen !== undefined) return chosen;
    throw new ProcError(
      'invalid_usage',
      `--out ${sources.outFile}: the file extension is not a known format`,
      {
        hint: `Use one of .${Object.keys(BY_ENDING).join(', .')}, or add -o ${OUTPUT_FORMATS.join('|')}`,
      },
    );
  }
  // A terminal cannot show a workbook, and commands without --out must still work.
  if (fromEnv === 'xlsx' && sources.stdoutIsTerminal) return 'table';
  return fromEnv ?? (sources.stdoutIsTerminal ? 'table' : 'json');
}

/**
 * stderr gets JSON lines if it is no terminal and the output is JSON or NDJSON. Never throws: an invalid format
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
  return format === 'json' || format === 'ndjson';
}

function byEnding(file: string): OutputFormat | undefined {
  const ending = /\.([A-Za-z]+)$/.exec(file)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
}

/**
 * A program that opens a file by its extension misreads another format. `.txt` may hold any text.
 *
 * @throws ProcError `invalid_usage`
 */
export function refuseContradiction(
  format: OutputFormat | undefined,
  file: string | undefined,
): void {
  if (format === undefined || file === undefined || /\.txt$/i.test(file)) return;
  const ending = isPage(file) ? 'a page' : byEnding(file);
  if (ending === undefined || ending === format) return;
  throw new ProcError('invalid_usage', `-o ${format} contradicts --out ${file}`, {
    hint: `Remove -o, because the extension selects ${ending}, or use another extension`,
  });
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
