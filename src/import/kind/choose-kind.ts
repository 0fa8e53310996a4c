import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { RunHeader } from '../ledger/header.ts';
import { columnNamed } from '../map/column-named.ts';
import { recogniseRun } from '../map/repair/recognise.ts';
import type { Source } from '../source/record.ts';
import type { ImportRequest } from '../start/import-request.ts';
import { flatRows, refuseFlatRows } from './flat-source.ts';
import type { SourceKind } from './source-kind.ts';

/**
 * Detects whether the source contains rejected rows of an earlier run, flat rows, or one body per
 * row.
 *
 * @throws ProcError `invalid_input` if rejected rows lack `_run` or `_row`, or belong to another noun,
 * service or organization
 */
export async function chooseKind(
  source: Source,
  request: ImportRequest,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<SourceKind> {
  const { target, flags, folder, scope } = request;
  const earlier = await recogniseRun(source, target, folder, scope, ports);
  if (earlier === undefined && flags.restoreCodes) {
    throw new ProcError(
      'invalid_usage',
      `--restore-codes: ${source.name} contains no rejected rows of a run on this machine`,
      { hint: 'Remove --restore-codes, or import the file of rejected rows' },
    );
  }
  const groupBy =
    flags.groupBy === undefined
      ? earlier?.groupBy
      : (columnNamed(flags.groupBy, source, '--group-by ')?.column ?? flags.groupBy);
  const kind =
    groupBy === undefined
      ? plainRows(source, request, ports)
      : flatRows(groupBy, source, request, earlier !== undefined, ports);
  return earlier === undefined ? kind : repairOf(earlier, kind);
}

function plainRows(
  source: Source,
  request: ImportRequest,
  ports: Ports<'io' | 'api' | 'self'>,
): SourceKind {
  const { target } = request;
  return {
    name: 'plain',
    shape: target,
    groupBy: undefined,
    repairs: undefined,
    checkColumns: () => refuseFlatRows(source, request, ports),
    checkMapping: () => undefined,
  };
}

function repairOf(earlier: RunHeader, kind: SourceKind): SourceKind {
  const isFlat = kind.name === 'flat';
  return {
    ...kind,
    name: 'repair',
    repairs: earlier,
    // The columns of plain rows were checked in the earlier run.
    checkColumns: () => (isFlat ? kind.checkColumns() : undefined),
  };
}
