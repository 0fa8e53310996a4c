import { dirname, resolve } from 'node:path';
import type { Ports } from '../../core/ports.ts';
import { writerOf } from '../../history/written-by.ts';
import { isShared } from '../../ledger/open-ledger.ts';
import { newRun } from '../../ledger/run-name.ts';
import type { Refusal } from '../import-flags.ts';
import type { SourceKind } from '../kind.ts';
import { fillDownColumns } from '../map/column-named.ts';
import type { Mapping } from '../map/mapping.ts';
import { checkRejectedName, defaultRejectedFile } from '../report/rejected/rejected-file.ts';
import type { Source } from '../source/record.ts';
import type { RunHeader } from '../store/facts.ts';
import type { ImportRequest } from './import-request.ts';
import { checkContinues } from './refuse-unfinished.ts';

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
  const lent = flags.noCode === undefined ? kind.repairs?.choices.noCode : undefined;
  const header: RunHeader = {
    run,
    noun: target.noun,
    profile: destination.profile,
    environment: destination.environment,
    baseUrl: destination.baseUrl,
    organization: scope.organization,
    source: {
      name: source.name,
      path: resolve(ports.self.cwd, source.original ?? source.path),
      bytes: source.bytes,
      hash: source.hash,
      format: source.format,
      columns: source.columns,
      arrayPath: source.layout?.path,
      encoding: source.format.encoding,
      sheet: source.layout?.sheet,
      headerRow: source.layout?.headerRow,
      skipRows: source.layout?.skipRows,
    },
    mapping,
    choices: {
      ...choices,
      csvRaw: ports.self.flags.csvRaw,
      fillDown: fillDownOf(request, source, kind),
      noCode: lent ?? choices.noCode,
      allow: withLent(choices.allow, kind.repairs?.choices.allow),
      onDuplicate: choices.onDuplicate ?? kind.repairs?.choices.onDuplicate,
    },
    writer: isShared(dirname(request.folder))
      ? writerOf(ports.self.env, ports.io.terminal)
      : undefined,
    continues: earlier === undefined ? undefined : [earlier.run, ...(earlier.continues ?? [])],
    groupBy: kind.groupBy,
    repairs: kind.repairs?.run,
    rejectedFile: resolve(ports.self.cwd, rejected),
    resultsFile: flags.results === undefined ? undefined : resolve(ports.self.cwd, flags.results),
    planFile: flags.plan === undefined ? undefined : resolve(ports.self.cwd, flags.plan),
    isStaged: flags.stage === true ? true : undefined,
    startedAt: new Date(ports.self.clock.now()).toISOString(),
  };
  if (earlier !== undefined) checkContinues(header, earlier, ports);
  return header;
}

/** Rows that the first import would have sent without a code may lack it in a repaired file too. */
function withLent(
  given: readonly Refusal[],
  lent: readonly Refusal[] | undefined,
): readonly Refusal[] {
  const isLent = lent?.includes('missing') === true && !given.includes('missing');
  return isLent ? [...given, 'missing'] : given;
}

/** In a file of rejected rows, the cells are filled already. */
function fillDownOf(
  { flags, saved }: ImportRequest,
  source: Source,
  { repairs }: SourceKind,
): readonly string[] | undefined {
  const typed =
    flags.fillDown.length > 0 || repairs !== undefined
      ? flags.fillDown
      : (saved?.choices.fillDown ?? []);
  return typed.length === 0 ? undefined : fillDownColumns(typed, source);
}
