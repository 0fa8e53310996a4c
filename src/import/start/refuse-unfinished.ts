import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { processOf } from '../ledger/processes/import-lock.ts';
import { summary } from '../ledger/run-summary.ts';
import { eachRun } from '../ledger/runs.ts';
import { discardCommand, nextCommand } from '../report/next-command.ts';
import type { Source } from '../source/record.ts';
import type { ImportRequest } from './import-request.ts';

/**
 * Refuses a source if an unfinished, staged or unconfirmed run of the noun has the same content.
 * Runs of other services or organizations do not count.
 *
 * @param waits true: a source that another process is importing is not refused, because the caller
 * waits for that process
 * @throws ProcError `import_unfinished`, `import_busy`
 */
export async function refuseUnfinished(
  { hash, name }: Source,
  { folder, target, scope }: ImportRequest,
  ports: Ports<'io' | 'api' | 'self'>,
  waits = false,
): Promise<void> {
  const [open] = await eachRun(folder, (journal) => {
    const { header } = journal;
    const isSame = header.source.hash === hash && header.noun === target.noun;
    const run = summary(journal);
    if (!isSame || run.left === 'nothing') return undefined;
    if (scope.ownershipOf(header) !== 'ours') return undefined;
    return { header, left: run.left, command: nextCommand(run, ports) };
  });
  if (open === undefined) return;
  const { run } = open.header;
  const process = processOf(run, { folder, ...open.header });
  if (process !== undefined) {
    if (waits) return;
    const { pid } = process;
    const message = `${name} is being imported by run ${run} (process ${pid})`;
    throw new ProcError('import_busy', message, {
      hint: `Wait until it ends, or run: ${typedAgain(ports.self.typed, ['--wait-lock', '5m'])}`,
      details: { run, pid },
    });
  }
  if (open.left === 'send') {
    throw new ProcError('import_unfinished', `${name} has a staged import (${run})`, {
      hint: `Send it: ${open.command}. To stage the file again, discard this run first: ${discardCommand(run, ports)}`,
      details: { run },
    });
  }
  throw open.left === 'resume'
    ? new ProcError('import_unfinished', `${name} has an unfinished import`, {
        hint: `Resume it: ${open.command}`,
        details: { run },
      })
    : new ProcError('import_unfinished', `${name} has an import with unconfirmed rows`, {
        hint: `Check the service, then run: ${open.command}`,
        details: { run },
      });
}
