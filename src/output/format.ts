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
