import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { listed } from '../core/text/listed.ts';
import { columnsNamed, columnTyped } from './map/column-named.ts';
import { recogniseRun } from './map/repair/recognise.ts';
import type { Source } from './source/record.ts';
import type { ImportRequest } from './start/import-request.ts';
import type { RunHeader } from './store/facts.ts';
import { type ImportTarget, shapeOf } from './targets/import-target.ts';

export interface SourceKind {
  /** The target. For flat rows, it has the fields and references of flat rows. */
  readonly shape: ImportTarget;
  /** Rows with the same value in this column make one body. */
  readonly groupBy: string | undefined;
  /**
   * The run whose rejected rows the file contains. Its mapping, `--group-by` and `--on-duplicate`
   * are the defaults.
   */
  readonly repairs: RunHeader | undefined;
}

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
  const { target, flags } = request;
  const repairs = await recogniseRun(source, request, ports);
  if (repairs === undefined && flags.restoreCodes) {
    throw new ProcError(
      'invalid_usage',
      `--restore-codes: ${source.name} contains no rejected rows of a run on this machine`,
      { hint: 'Remove --restore-codes, or import the file of rejected rows' },
    );
  }
  const groupBy =
    flags.groupBy === undefined || source.columns.length === 0
      ? repairs?.groupBy
      : columnTyped(flags.groupBy, source, '--group-by');
  if (groupBy === undefined) refuseFlatRows(source, request);
  return { shape: shapeOf(target, groupBy), groupBy, repairs };
}

/** @throws ProcError `invalid_usage` for flat rows without `--group-by` */
function refuseFlatRows(source: Source, { target, flags, saved }: ImportRequest): void {
  const { grouped, one } = target;
  if (grouped === undefined || source.columns.length === 0 || saved !== undefined) return;
  const { payloadField } = grouped;
  const isMapped = flags.map.some((text) => text.trim().startsWith(`${payloadField}=`));
  if (isMapped || columnsNamed(payloadField, source).length > 0) return;
  throw new ProcError(
    'invalid_usage',
    `the rows of ${source.name} are not payloads: there is no column "${payloadField}"`,
    {
      hint: `Rows with the same value in one column form one ${one}: add --group-by COLUMN. Columns: ${listed(source.columns, 20)}`,
      details: { columns: source.columns },
    },
  );
}
