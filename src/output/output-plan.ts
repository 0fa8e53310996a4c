import { resolve } from 'node:path';
import type { CommandSpec } from '../core/command-spec.ts';
import { ProcError } from '../core/errors.ts';
import { type GlobalFlags, OUTPUT_FORMATS, type OutputFormat } from '../core/global-flags.ts';
import type { Env, Terminal } from '../core/io.ts';
import type { Sort } from '../core/result.ts';
import { chooseFormat, isPage } from './format.ts';
import type { Query } from './query.ts';
import type { Condition } from './select.ts';

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
}

type OutputForm = Partial<Pick<CommandSpec, 'anyOut' | 'toleratesSettings' | 'page'>>;

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
  const isTolerated =
    form.toleratesSettings === true && !OUTPUT_FORMATS.some((one) => one === env.PROC_OUTPUT);
  const page = form.page === true && isPage(globals.out);
  if (page) refuseShaping(globals);
  const format = chooseFormat({
    flag: globals.output,
    env: isTolerated ? undefined : env.PROC_OUTPUT,
    outFile: page ? undefined : globals.out,
    anyOut: form.anyOut,
    stdoutIsTerminal,
  });
  const where =
    globals.where.length === 0 ? [] : (await import('./select.ts')).parseWhere(globals.where);
  const { fields } = globals;
  if (fields?.includes('')) {
    throw new ProcError('invalid_usage', '--fields is empty; expected names separated by commas', {
      hint: 'Use e.g. --fields code,amount',
    });
  }
  const { compileQuery } = globals.query === undefined ? {} : await import('./query.ts');
  if (format === 'xlsx' && globals.out === undefined && stdoutIsTerminal) {
    throw new ProcError('invalid_usage', 'a workbook cannot be shown on a terminal', {
      hint: 'Write it to a file: --out FILE.xlsx',
    });
  }
  const out = globals.out === undefined ? undefined : resolve(cwd, globals.out);
  if (out !== undefined) (await import('./sink.ts')).checkOutFile(out);
  return {
    format,
    isFormatAsked: globals.output !== undefined,
    where,
    fields,
    sort: sortOf(globals),
    limit: globals.limit,
    query: compileQuery?.(globals.query!),
    out,
    outName: globals.out,
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
  const { where, ...others } = globals;
  const shaping = ['output', 'fields', 'sort', 'limit', 'query'] as const;
  const given = where.length > 0 ? 'where' : shaping.find((flag) => others[flag] !== undefined);
  if (given === undefined) return;
  throw new ProcError('invalid_usage', `--${given} does not apply to a page`, {
    hint: `Remove --${given}`,
  });
}
