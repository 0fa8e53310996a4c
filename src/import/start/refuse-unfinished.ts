import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { processesIn } from '../import-lock.ts';
import { discardCommand, nextCommand } from '../report/next-steps.ts';
import type { Source } from '../source/record.ts';
import type { RunHeader } from '../store/facts.ts';
import { type Summary, summary } from '../store/run-summary.ts';
import { eachRun } from '../store/runs.ts';
import type { ImportRequest } from './import-request.ts';

interface Unfinished {
  readonly header: RunHeader;
  readonly left: Summary['left'];
  readonly command: string;
  readonly isElsewhere: boolean;
}

/**
 * Refuses a source if an unfinished, staged or unconfirmed run of the noun has the same content.
 * Runs of other services or organizations do not count. A run of another machine that shares the ledger is continued.
 * A preview, which changes nothing, is never refused.
 *
 * @param waits true: a source that another process is importing is not refused, because the caller
 * waits for that process
 * @returns the run of another machine that the new run is to continue
 * @throws ProcError `import_unfinished`, `import_busy`
 */
export async function refuseUnfinished(
  { hash, name }: Source,
  { folder, target, scope }: ImportRequest,
  ports: Ports<'io' | 'api' | 'self'>,
  waits = false,
): Promise<RunHeader | undefined> {
  const found = await eachRun(folder, (journal): Unfinished | undefined => {
    const { header } = journal;
    const isSame = header.source.hash === hash && header.noun === target.noun;
    const run = summary(journal);
    if (!isSame || run.left === 'nothing') return undefined;
    if (scope.ownershipOf(header) !== 'ours') return undefined;
    const { isElsewhere } = run;
    return { header, left: run.left, command: nextCommand(run, ports), isElsewhere };
  });
  const open = found.find(({ isElsewhere }) => !isElsewhere) ?? found.at(-1);
  if (open === undefined) return undefined;
  if (ports.api.isPreview) return open.isElsewhere ? open.header : undefined;
  const { run } = open.header;
  const process = (await processesIn(folder))(open.header);
  if (process !== undefined) {
    if (waits) return undefined;
    const { pid, host } = process;
    const message = `${name} is being imported by run ${run} (process ${pid}${host === undefined ? '' : ` on ${host}`})`;
    throw new ProcError('import_busy', message, {
      hint: `Wait until it ends, or run: ${typedAgain(ports.self.typed, ['--wait-lock', '5m'])}`,
      details: { run, pid },
    });
  }
  if (open.isElsewhere) return open.header;
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

/**
 * A run continues another one row by row, so both must read the same rows from the file.
 *
 * @throws ProcError `import_unfinished`
 */
export function checkContinues(header: RunHeader, earlier: RunHeader, ports: Ports<'io' | 'self'>) {
  const readBy = ({ source, mapping, groupBy, choices }: RunHeader) => {
    const { hash, format, arrayPath, encoding, sheet, headerRow, skipRows } = source;
    const { where, fillDown, noCode, onDuplicate, allow } = choices;
    return JSON.stringify([
      ...[hash, format, arrayPath, encoding, sheet, headerRow, skipRows, mapping, groupBy],
      ...[where, fillDown, noCode, onDuplicate, allow],
    ]);
  };
  if (readBy(header) === readBy(earlier)) return;
  const { run, writer } = earlier;
  const discard = discardCommand(run, ports);
  throw new ProcError(
    'import_unfinished',
    `${header.source.name} has an unfinished import with another mapping or other options: ${run}, by ${writer?.user ?? 'unknown'} on ${writer?.host ?? 'another machine'}`,
    {
      hint: `To resume that run, import the file with the same options. To discard it: ${discard}`,
      details: { run },
    },
  );
}
