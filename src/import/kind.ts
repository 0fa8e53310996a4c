import { ProcError } from '../core/errors.ts';
import { listed } from '../core/text/listed.ts';
import { columnsNamed, columnTyped } from './map/column-named.ts';
import type { Source } from './source/record.ts';
import type { ImportRequest } from './start/import-request.ts';
import { type ImportTarget, shapeOf } from './targets/import-target.ts';

export interface SourceKind {
  /** The target. For flat rows, it has the fields and references of flat rows. */
  readonly shape: ImportTarget;
  /** Rows with the same value in this column make one body. */
  readonly groupBy: string | undefined;
}

/** Whether the source has flat rows, or one body per row. @throws ProcError `invalid_usage` */
export function chooseKind(source: Source, request: ImportRequest): SourceKind {
  const { target, flags } = request;
  const groupBy =
    flags.groupBy === undefined || source.columns.length === 0
      ? undefined
      : columnTyped(flags.groupBy, source, '--group-by');
  if (groupBy === undefined) refuseFlatRows(source, request);
  return { shape: shapeOf(target, groupBy), groupBy };
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
