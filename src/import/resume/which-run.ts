import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { typedAgain } from '../../core/text/typed.ts';
import type { RunHeader } from '../ledger/header.ts';
import { Journal } from '../ledger/journal.ts';
import { journalFailure } from '../ledger/ledger-failure.ts';
import { placeWords, runCommand } from '../ledger/place-flags.ts';
import { summary } from '../ledger/run-summary.ts';
import { eachRun, findRun, importsFolder, journalPath } from '../ledger/runs.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { checkDestination } from './run-destination.ts';

/** The run that a command means. Its journal is not yet open for writing. */
export interface FoundRun {
  readonly path: string;
  readonly folder: string;
  readonly header: RunHeader;
  readonly target: ImportTarget;
  /** Nothing is left to send, look up or resolve. */
  readonly isOver: boolean;
  /** The run is staged, and nothing was sent. `imports send` sends it. */
  readonly awaitsSend: boolean;
  /** The run began with `--stage` and was interrupted before its plan was saved. */
  readonly isUnsealed: boolean;
}

/**
 * @param typed name of the run; undefined for the only unfinished run
 * @throws ProcError `reference_not_found`, `ambiguous_reference`, `invalid_usage`
 */
export async function whichRun(
  targets: readonly ImportTarget[],
  typed: string | undefined,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
  verb: 'resume' | 'send' = 'resume',
): Promise<FoundRun> {
  const folder = importsFolder(ports.self.env);
  const run =
    typed === undefined ? onlyUnfinished(folder, ports.self.typed) : findRun(folder, typed);
  const path = journalPath(folder, run);
  const { header, ...found } = await peek(path, ports, verb);
  const target = targets.find((one) => one.noun === header.noun);
  if (target !== undefined) return { path, folder, header, target, ...found };
  throw new ProcError(
    'invalid_usage',
    `${run} imports ${header.noun}, which this version of proc does not support`,
  );
}

async function peek(
  path: string,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
  verb: 'resume' | 'send',
): Promise<Pick<FoundRun, 'header' | 'isOver' | 'awaitsSend' | 'isUnsealed'>> {
  const journal = Journal.open(path, true);
  try {
    const { left } = summary(journal);
    const isOver = left === 'nothing';
    if (!isOver) await checkDestination(journal, ports, verb);
    const { header, phase } = journal;
    const isUnsealed = header.isStaged === true && ['staging', 'planned'].includes(phase);
    return { header, isOver, awaitsSend: left === 'send', isUnsealed };
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal.close();
  }
}

function onlyUnfinished(folder: string, typed: readonly string[]): string {
  const runs = eachRun(folder, (journal) =>
    ['staged', 'finished'].includes(journal.phase) ? undefined : journal.header,
  );
  const unconfirmed = eachRun(folder, (journal) =>
    summary(journal).left === 'resolve' ? journal.header : undefined,
  );
  const resumable =
    runs.length > 0
      ? runs
      : eachRun(folder, (journal) =>
          summary(journal).left === 'resume' ? journal.header : undefined,
        );
  const found = resumable.length > 0 ? resumable : unconfirmed.length === 1 ? unconfirmed : [];
  if (found.length === 1) return found[0]!.run;
  if (found.length === 0 && unconfirmed.length > 0) throw onlyUnconfirmed(unconfirmed);
  throw found.length === 0
    ? new ProcError('reference_not_found', 'there is no unfinished import', {
        hint: 'List all runs: proc imports list',
      })
    : new ProcError('ambiguous_reference', `there are ${found.length} unfinished imports`, {
        hint: `Name one: ${resumeAgain(typed, found.at(-1)!)}`,
        details: { candidates: found.map(({ run }) => run) },
      });
}

/** Adds the name and the profile of the run to the typed command. */
function resumeAgain(typed: readonly string[], header: RunHeader): string {
  const [place, without] = placeWords(header);
  return typedAgain(typed, [header.run, ...place], without);
}

function onlyUnconfirmed(runs: readonly RunHeader[]): ProcError {
  return new ProcError(
    'ambiguous_reference',
    `there is no unfinished import, but ${runs.length} imports have unconfirmed rows`,
    {
      hint: `Check the service, then record the outcome: ${runCommand('resolve', runs.at(-1)!)}`,
      details: { candidates: runs.map(({ run }) => run) },
    },
  );
}
