import { existsSync } from 'node:fs';
import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Scope } from '../../../core/scope.ts';
import { inShell } from '../../../core/text/typed.ts';
import { importPlanMessages } from '../../../messages/planning.ts';
import { placeFlags } from '../../report/next-steps.ts';
import type { Source } from '../../source/record.ts';
import type { RunHeader } from '../../store/facts.ts';
import { Run } from '../../store/run-file.ts';
import { runPath } from '../../store/runs.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { textOf } from '../convert.ts';
import { ADDED_COLUMNS, runNamedIn } from './marks.ts';

/** E.g. `20260301-093000-1a2b`. */
const RUN = /^\d{8}-\d{6}-[0-9a-f]{4}$/;

/**
 * The run whose rejected rows the file contains. Undefined for any other file, or if the run is not
 * on this machine.
 *
 * @throws ProcError `invalid_input` if `_run` or `_row` is missing, or if the run belongs to
 * another noun, service or organization
 */
export async function recogniseRun(
  source: Source,
  {
    target,
    folder,
    scope,
  }: { readonly target: ImportTarget; readonly folder: string; readonly scope: Scope },
  ports: Ports<'io'>,
): Promise<RunHeader | undefined> {
  checkAddedColumns(source);
  if (!hasAddedColumns(source.columns)) return undefined;
  const run = source.head
    .map(({ fields }) => textOf(fields?._run)?.trim() ?? '')
    .find((text) => text !== '');
  if (run === undefined) return undefined;
  const words = importPlanMessages;
  const header = await headerOf(folder, run);
  const ownership = header === undefined ? 'elsewhere' : scope.ownershipOf(header);
  if (header === undefined) {
    ports.io.say({
      kind: 'warning',
      text: words.repairsUnknown(source.name, run),
    });
    return undefined;
  }
  if (ownership === 'elsewhere' || ownership === 'foreign') {
    throw ofAnotherTarget(source, header, ownership);
  }
  if (header.noun !== target.noun) {
    throw new ProcError(
      'invalid_input',
      `${source.name} contains rejected rows of run ${run}, which imported ${header.noun}`,
      {
        hint: `Run: proc ${header.noun} import ${source.name}`,
      },
    );
  }
  ports.io.say({
    kind: 'notice',
    text: words.repairs(source.name, run),
  });
  return header;
}

/**
 * Rejected rows of one service or organization must not be imported into another: nobody could
 * delete the records.
 */
function ofAnotherTarget(
  source: Source,
  header: RunHeader,
  ownership: 'elsewhere' | 'foreign',
): ProcError {
  const whose =
    ownership === 'foreign'
      ? `belongs to the organization ${header.organization}`
      : `imported into ${header.baseUrl}`;
  const there = `proc ${header.noun} import ${inShell(source.name)}${placeFlags(header)}`;
  const marks = ADDED_COLUMNS.filter((mark) => source.columns.includes(mark)).join(', ');
  return new ProcError(
    'invalid_input',
    `${source.name} contains rejected rows of run ${header.run}, which ${whose}; nothing was sent`,
    {
      hint: `Import the file there: ${there}. To import it here like any other file, remove the columns ${marks}`,
      details: { run: header.run },
    },
  );
}

const NEEDED = ['_run', '_row'] as const;

/** Only `_run` and `_row` are needed. */
function hasAddedColumns(columns: readonly string[]): boolean {
  return NEEDED.every((mark) => columns.includes(mark));
}

/**
 * Without `_run` or `_row`, the file looks like an ordinary one: proc would not compare its codes
 * with the run.
 */
function checkAddedColumns({ columns, head, name }: Source): void {
  const there = ADDED_COLUMNS.filter((mark) => columns.includes(mark));
  const missing = NEEDED.find((mark) => !columns.includes(mark));
  const isOurs =
    there.length > 1 || head.some(({ fields }) => RUN.test(textOf(fields?._run)?.trim() ?? ''));
  if (missing === undefined || !isOurs) return;
  throw new ProcError(
    'invalid_input',
    `${name} contains rejected rows but has no column ${missing}, which says which ${missing === '_run' ? 'run' : 'rows'} they repair; nothing was sent`,
    {
      hint: `Restore the column ${missing} with its values. To import the file like any other, remove the columns ${there.join(', ')}`,
      details: { missing, columns },
    },
  );
}

/** Undefined if the run is not on this machine. */
export async function headerOf(folder: string, name: string): Promise<RunHeader | undefined> {
  if (!RUN.test(name) || !existsSync(runPath(folder, name))) {
    return undefined;
  }
  const run = await Run.read(runPath(folder, name));
  try {
    return run.header;
  } finally {
    run.close();
  }
}

/**
 * If a file contains rejected rows of a Windows-1252 source, returns their run: the file has the
 * same encoding.
 */
export async function windows1252Run(file: string, folder: string): Promise<string | undefined> {
  if (file === '-') return undefined;
  const run = runNamedIn(file);
  if (run === undefined) return undefined;
  const header = await headerOf(folder, run);
  return header?.source.format.encoding === 'windows-1252' ? run : undefined;
}
