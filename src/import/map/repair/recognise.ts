import { existsSync } from 'node:fs';
import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Scope } from '../../../core/scope.ts';
import type { RunHeader } from '../../ledger/header.ts';
import { Journal } from '../../ledger/journal.ts';
import { journalPath } from '../../ledger/runs.ts';
import type { Source } from '../../source/record.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { textOf } from '../convert.ts';
import { MARKS } from './marks.ts';

/** The name of a run. */
const RUN = /^\d{8}-\d{6}-[0-9a-f]{4}$/;

/**
 * The run whose rejected rows this file holds, by its column `_run`; undefined where it is an ordinary
 * file, or that run is not known here any more.
 *
 * @throws ProcError `invalid_input` where that run imported something else
 */
export function recogniseRun(
  source: Source,
  target: ImportTarget,
  folder: string,
  scope: Scope,
  ports: Ports<'io'>,
): RunHeader | undefined {
  checkMarks(source);
  if (!isMarked(source.columns)) return undefined;
  const run = source.head
    .map(({ fields }) => textOf(fields?._run)?.trim() ?? '')
    .find((text) => text !== '');
  if (run === undefined) return undefined;
  const header = headerOf(folder, run);
  const whose = header === undefined ? 'elsewhere' : scope.whose(header);
  if (header === undefined || whose === 'elsewhere' || whose === 'foreign') {
    const why =
      header === undefined
        ? 'is not known on this machine'
        : whose === 'foreign'
          ? `was an import for the organization ${header.organization}`
          : `was an import into ${header.baseUrl}`;
    ports.io.say({
      kind: 'warning',
      text: `${source.name} holds rejected rows of the run ${run}, which ${why}: it is imported as a file of its own`,
    });
    return undefined;
  }
  if (header.noun !== target.noun) {
    throw new ProcError(
      'invalid_input',
      `${source.name} holds rejected rows of the run ${run}, which imported ${header.noun}`,
      { hint: `Bring them in with: proc ${header.noun} import ${source.name}` },
    );
  }
  ports.io.say({
    kind: 'notice',
    text: `${source.name} repairs the run ${run}; its mapping is used`,
  });
  return header;
}

/** Columns that tell which row of which run a row repairs. */
const NEEDED = ['_run', '_row'] as const;

/** True for the columns of rejected rows: what they were rejected for may be gone. */
export function isMarked(columns: readonly string[]): boolean {
  return NEEDED.every((mark) => columns.includes(mark));
}

/** Without one of its two columns a repair would be an import like any, with nothing compared. */
function checkMarks({ columns, head, name }: Source): void {
  const there = MARKS.filter((mark) => columns.includes(mark));
  const missing = NEEDED.find((mark) => !columns.includes(mark));
  const isOurs =
    there.length > 1 || head.some(({ fields }) => RUN.test(textOf(fields?._run)?.trim() ?? ''));
  if (missing === undefined || !isOurs) return;
  throw new ProcError(
    'invalid_input',
    `${name} holds rejected rows, but has no column ${missing}: nobody could tell which ${missing === '_run' ? 'run' : 'rows'} they repair`,
    {
      hint: `Name that column ${missing} again, with the values that it had. To import an ordinary file, take out ${there.join(', ')}`,
      details: { missing, columns },
    },
  );
}

/** What a run is bound to; undefined where it is not known here. */
export function headerOf(folder: string, run: string): RunHeader | undefined {
  if (!RUN.test(run) || !existsSync(journalPath(folder, run))) {
    return undefined;
  }
  const journal = Journal.open(journalPath(folder, run), true);
  try {
    return journal.header;
  } finally {
    journal.close();
  }
}
