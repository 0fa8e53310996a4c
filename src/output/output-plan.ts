import { resolve } from 'node:path';
import type { CommandSpec } from '../core/command-spec.ts';
import { ProcError } from '../core/errors.ts';
import type { Env, GlobalFlags, OutputFormat, Terminal } from '../core/ports.ts';
import type { CsvOptions } from './format/csv.ts';
import { chooseFormat, isFormat } from './format.ts';
import type { FormatLoader, Query } from './format-loader.ts';
import { checkOutFile } from './out-file.ts';
import { type Condition, parseWhere } from './select/where.ts';

/** How a result will be rendered: everything that the user may have got wrong is checked. */
export interface OutputPlan {
  readonly format: OutputFormat;
  readonly where: readonly Condition[];
  readonly fields: readonly string[] | undefined;
  readonly query: Query | undefined;
  /** Absolute path of `--out`. */
  readonly out: string | undefined;
  readonly csv: CsvOptions;
}

/** What a command says of its own output. */
export type OutputForm = Partial<
  Pick<CommandSpec, 'withoutIds' | 'anyOut' | 'toleratesSettings' | 'prints' | 'filtersSource'>
>;

export interface PlanOptions {
  readonly globals: Pick<
    GlobalFlags,
    'output' | 'query' | 'where' | 'fields' | 'out' | 'csvRaw' | 'csvDialect'
  >;
  readonly env: Env;
  /** The output format of the project file or profile. */
  readonly setting?: string | undefined;
  /** What the command says of its own output. */
  readonly form?: OutputForm;
  readonly terminal: Terminal;
  readonly cwd: string;
  readonly load: FormatLoader;
}

/**
 * Checks the output flags and prepares them. Call it before the handler, so that a mistake ends
 * with exit 2 before anything is sent.
 *
 * @throws ProcError `invalid_usage`, `unwritable_output`
 */
export async function planOutput(options: PlanOptions): Promise<OutputPlan> {
  const { globals, env, setting, form = {}, terminal, cwd, load } = options;
  const { stdoutIsTerminal } = terminal;
  const format = chooseFormat({
    flag: globals.output,
    env:
      form.toleratesSettings === true && !isFormat(env.PROC_OUTPUT) ? undefined : env.PROC_OUTPUT,
    setting,
    outFile: globals.out,
    anyOut: form.anyOut === true || form.prints === 'text',
    stdoutIsTerminal,
  });
  const csv = { dialect: globals.csvDialect ?? 'rfc4180', raw: globals.csvRaw };
  // Those of an import are about its source, which checks them.
  const where = form.filtersSource === true ? [] : parseWhere(globals.where);
  const fields = globals.fields?.map((field) => field.trim());
  if (fields?.some((field) => field === '')) {
    throw new ProcError('invalid_usage', '--fields needs names separated by commas', {
      hint: 'For instance --fields code,amount',
    });
  }
  const query = globals.query === undefined ? undefined : (await load.query())(globals.query);
  if (form.withoutIds === true && format === 'id' && query === undefined) {
    throw new ProcError('invalid_usage', '-o id: what this command shows has no ids', {
      hint: 'Take another format, for instance -o csv, or pick texts with --query.',
    });
  }
  refuseIdleFlags(options, format, query);
  const out = globals.out === undefined ? undefined : resolve(cwd, globals.out);
  if (out !== undefined) await checkOutFile(out);
  return { format, where, fields, query, out, csv };
}

/**
 * Flags that would shape an output of another format.
 *
 * @throws ProcError `invalid_usage`
 */
function refuseIdleFlags(
  { globals, form = {} }: PlanOptions,
  format: OutputFormat,
  query: Query | undefined,
): void {
  const csvFlag =
    globals.csvDialect !== undefined
      ? '--csv-dialect'
      : globals.csvRaw && form.filtersSource !== true
        ? '--csv-raw'
        : undefined;
  if (csvFlag !== undefined && format !== 'csv') {
    throw new ProcError('invalid_usage', `${csvFlag} has no effect on ${format} output`, {
      hint: `Add -o csv, or leave ${csvFlag} out`,
    });
  }
  if (globals.fields !== undefined && format === 'id' && query === undefined) {
    throw new ProcError(
      'invalid_usage',
      '--fields has no effect on -o id, which prints ids alone',
      {
        hint: 'Leave --fields out, or take another format: -o csv',
      },
    );
  }
}
