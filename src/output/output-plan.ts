import { resolve } from 'node:path';
import type { CommandSpec } from '../core/command-spec.ts';
import { ProcError } from '../core/errors.ts';
import type { GlobalFlags, OutputFormat } from '../core/global-flags.ts';
import type { Env, Terminal } from '../core/ports.ts';
import type { Sort } from '../core/result.ts';
import { chooseFormat, isFormat, isPage, refuseContradiction } from './format.ts';
import type { Query } from './query.ts';
import { type Condition, parseWhere } from './select.ts';
import { checkOutFile } from './sink.ts';

/** How to render a result. The output flags are validated. */
export interface OutputPlan {
  readonly format: OutputFormat;
  /** `-o` selects it for this command. */
  readonly isFormatAsked: boolean;
  readonly where: readonly Condition[];
  readonly fields: readonly string[] | undefined;
  readonly sort: Sort | undefined;
  readonly limit: number | undefined;
  readonly query: Query | undefined;
  readonly out: string | undefined;
  /** As typed. */
  readonly outName: string | undefined;
  readonly sheet: string;
}

export type OutputForm = Partial<
  Pick<CommandSpec, 'path' | 'withoutIds' | 'anyOut' | 'toleratesSettings' | 'prints' | 'page'>
>;

export interface PlanOptions {
  readonly globals: Pick<
    GlobalFlags,
    'output' | 'query' | 'where' | 'fields' | 'sort' | 'dir' | 'limit' | 'out'
  >;
  readonly env: Env;
  readonly form?: OutputForm;
  readonly terminal: Terminal;
  readonly cwd: string;
}

/**
 * Call it before the handler, so that a mistake in the output flags fails before anything is sent.
 *
 * @throws ProcError `invalid_usage`, `unwritable_output`
 */
export async function planOutput(options: PlanOptions): Promise<OutputPlan> {
  const { globals, env, form = {}, terminal, cwd } = options;
  const { stdoutIsTerminal } = terminal;
  refuseContradiction(globals.output, globals.out);
  const fromEnv =
    form.toleratesSettings === true && !isFormat(env.PROC_OUTPUT) ? undefined : env.PROC_OUTPUT;
  const page = form.page === true && isPage(globals.out);
  if (page) refuseShaping(globals);
  const format = chooseFormat({
    flag: globals.output,
    env: fromEnv,
    outFile: page ? undefined : globals.out,
    anyOut: form.anyOut === true || form.prints === 'text',
    stdoutIsTerminal,
  });
  const where = parseWhere(globals.where);
  const fields = globals.fields?.map((field) => field.trim());
  if (fields?.some((field) => field === '')) {
    throw new ProcError('invalid_usage', '--fields is empty; expected names separated by commas', {
      hint: 'Use e.g. --fields code,amount',
    });
  }
  const query =
    globals.query === undefined
      ? undefined
      : (await import('./query.ts')).compileQuery(globals.query);
  if (form.withoutIds === true && format === 'id' && query === undefined) {
    throw new ProcError('invalid_usage', '-o id: the output of this command has no ids', {
      hint: 'Use another format, e.g. -o csv, or select strings with --query',
    });
  }
  if (format === 'xlsx' && !page) refuseWorkbook(options);
  const out = globals.out === undefined ? undefined : resolve(cwd, globals.out);
  if (out !== undefined) await checkOutFile(out);
  return {
    format,
    isFormatAsked: globals.output !== undefined,
    where,
    fields,
    sort: sortOf(globals),
    limit: globals.limit,
    query,
    out,
    outName: globals.out,
    sheet: sheetName(form.path),
  };
}

/** @throws ProcError `invalid_usage` */
function sortOf({ sort, dir }: Pick<GlobalFlags, 'sort' | 'dir'>): Sort | undefined {
  if (sort !== undefined) return { field: sort, dir: dir ?? 'asc' };
  if (dir === undefined) return undefined;
  throw new ProcError('invalid_usage', `--dir ${dir} needs --sort`, {
    hint: `Name the field, e.g. --sort createdAt --dir ${dir}`,
  });
}

/** @throws ProcError `invalid_usage` for a flag that shapes rows, of which a page has none */
function refuseShaping(globals: PlanOptions['globals']): void {
  const given = globals.where.length > 0 ? 'where' : globals.fields && 'fields';
  const flag = given ?? (globals.query === undefined ? undefined : 'query');
  if (flag === undefined) return;
  throw new ProcError('invalid_usage', `--${flag} has no effect on a page`, {
    hint: `Remove --${flag}`,
  });
}

/** @throws ProcError `invalid_usage` */
function refuseWorkbook({ globals, terminal, form = {} }: PlanOptions): void {
  const isAsked = globals.output === 'xlsx' || globals.out?.toLowerCase().endsWith('.xlsx');
  if (form.prints === 'text' && isAsked) {
    throw new ProcError('invalid_usage', 'this command prints text, which cannot be a workbook', {
      hint: 'Remove -o xlsx, or name a file with another extension',
    });
  }
  if (globals.out !== undefined || !terminal.stdoutIsTerminal) return;
  throw new ProcError('invalid_usage', 'a workbook cannot be shown on a terminal', {
    hint: 'Write it to a file: --out FILE.xlsx',
  });
}

/**
 * Excel allows 31 characters in the name of a sheet. The number of a further sheet, e.g. ` 12`,
 * takes three.
 */
const MOST_NAME = 28;

/** `orders` for `proc orders list`, `requisition item` for `proc requisition item list`. */
function sheetName(path: readonly string[] = []): string {
  const words = path.length > 1 ? path.slice(0, -1) : path;
  return words.join(' ').slice(0, MOST_NAME) || 'proc';
}
