import { dirname, resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { writerOf } from '../../history/written-by.ts';
import { isShared } from '../../ledger/open-ledger.ts';
import { newRun } from '../../ledger/run-name.ts';
import { processesIn } from '../import-lock.ts';
import type { SourceKind } from '../kind.ts';
import type { Mapping } from '../map/mapping.ts';
import { giveUpCommand, nextCommand } from '../report/next-steps.ts';
import { checkRejectedName, defaultRejectedFile } from '../report/rejected/rejected-file.ts';
import type { Source } from '../source/record.ts';
import type { RunHeader } from '../store/facts.ts';
import { summary } from '../store/run-summary.ts';
import { eachRun } from '../store/runs.ts';
import type { ImportRequest } from './import-request.ts';

interface NewRun {
  readonly request: ImportRequest;
  readonly source: Source;
  readonly kind: SourceKind;
  readonly mapping: Mapping;
  /** The run of another machine that the new run continues. */
  readonly earlier: RunHeader | undefined;
}

export function headerOf(
  { request, source, kind, mapping, earlier }: NewRun,
  ports: Ports<'io' | 'self'>,
): RunHeader {
  const { target, file, flags, choices, destination, scope } = request;
  const run = newRun(ports.self.clock.now());
  checkRejectedName(flags.rejected, source.format);
  const rejected = flags.rejected ?? defaultRejectedFile(source, run, ports.self.cwd, file === '-');
  const header: RunHeader = {
    run,
    noun: target.noun,
    profile: destination.profile,
    environment: destination.environment,
    baseUrl: destination.baseUrl,
    organization: scope.organization,
    source: {
      name: source.name,
      path: resolve(ports.self.cwd, source.path),
      bytes: source.bytes,
      hash: source.hash,
      format: source.format,
      columns: source.columns,
      arrayPath: source.layout?.path,
      encoding: source.format.encoding,
      sheet: source.layout?.sheet,
      headerRow: source.layout?.headerRow,
    },
    mapping,
    choices,
    writer: isShared(dirname(request.folder))
      ? writerOf(ports.self.env, ports.io.terminal)
      : undefined,
    continues: earlier === undefined ? undefined : [earlier.run, ...(earlier.continues ?? [])],
    groupBy: kind.groupBy,
    rejectedFile: resolve(ports.self.cwd, rejected),
    resultsFile: flags.results === undefined ? undefined : resolve(ports.self.cwd, flags.results),
    startedAt: new Date(ports.self.clock.now()).toISOString(),
  };
  if (earlier !== undefined) checkContinues(header, earlier, ports);
  return header;
}

interface Unfinished {
  readonly header: RunHeader;
  readonly left: keyof typeof LEFT;
  readonly command: string;
  readonly isElsewhere: boolean;
}

/**
 * Refuses a source if an unfinished or unconfirmed run of the noun has the same content.
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
  const found = await eachRun(folder, (run): Unfinished | undefined => {
    const { header } = run;
    const isSame = header.source.hash === hash && header.noun === target.noun;
    const unfinished = summary(run);
    if (!isSame || unfinished.left === 'nothing') return undefined;
    if (scope.ownershipOf(header) !== 'ours') return undefined;
    const { isElsewhere } = unfinished;
    return { header, left: unfinished.left, command: nextCommand(unfinished, ports), isElsewhere };
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
  const left = LEFT[open.left];
  const giveUp =
    open.left === 'resume' ? `. To give it up: ${giveUpCommand(open.header, ports)}` : '';
  throw new ProcError('import_unfinished', `${name} has ${left.has} (${run})`, {
    hint: `${left.next}: ${open.command}${giveUp}`,
    details: { run },
  });
}

const LEFT = {
  resume: { has: 'an unfinished import', next: 'Resume it' },
  resolve: { has: 'an import with unconfirmed rows', next: 'Check the service, then run' },
} as const;

/**
 * A run continues another one row by row, so both must read the same rows from the file.
 *
 * @throws ProcError `import_unfinished`
 */
function checkContinues(header: RunHeader, earlier: RunHeader, ports: Ports<'io' | 'self'>) {
  const readBy = ({ source, mapping, groupBy, choices }: RunHeader) => {
    const { hash, format, arrayPath, encoding, sheet, headerRow } = source;
    const { onDuplicate } = choices;
    return JSON.stringify([
      ...[hash, format, arrayPath, encoding, sheet, headerRow, mapping, groupBy, onDuplicate],
    ]);
  };
  if (readBy(header) === readBy(earlier)) return;
  const { run, writer } = earlier;
  const giveUp = giveUpCommand(earlier, ports);
  throw new ProcError(
    'import_unfinished',
    `${header.source.name} has an unfinished import with another mapping or other options: ${run}, by ${writer?.user ?? 'unknown'} on ${writer?.host ?? 'another machine'}`,
    {
      hint: `To resume that run, import the file with the same options. To give it up: ${giveUp}`,
      details: { run },
    },
  );
}
