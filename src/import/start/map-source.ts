import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { SourceKind } from '../kind/source-kind.ts';
import { chooseMapping } from '../map/choose-mapping.ts';
import type { Mapping } from '../map/mapping.ts';
import type { Source } from '../source/record.ts';
import type { ImportRequest } from './import-request.ts';

/**
 * How the source's columns become fields of what its kind needs.
 *
 * @throws ProcError `invalid_usage`, `confirmation_required`
 */
export async function mapSource(
  source: Source,
  kind: SourceKind,
  request: ImportRequest,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<Mapping> {
  const { shape, groupBy, repairs } = kind;
  const { folder } = request;
  kind.checkColumns();
  const flags = { ...request.flags, groupBy };
  const earlier = repairs?.mapping as object | undefined;
  const mapping = await chooseMapping(source, shape, flags, folder, ports, earlier);
  checkKeyIsMapped(mapping, request, source);
  kind.checkMapping(mapping);
  return mapping;
}

/** Without its key no row could be recognised by a second import, or looked up if unconfirmed. */
function checkKeyIsMapped(
  mapping: Mapping,
  { target: { keyField, listing }, flags: { noCode } }: ImportRequest,
  source: Source,
): void {
  const isKept = noCode === 'name' || noCode === 'send';
  if (mapping.fields[keyField] !== undefined || isKept || listing === undefined) return;
  if (source.head.length === 0 && source.columns.length === 0) return;
  throw new ProcError(
    'invalid_usage',
    `No column is mapped to ${keyField}: a second import could not recognise any row`,
    {
      hint: `Say which it is (--map ${keyField}=COLUMN; there are ${source.columns.slice(0, 8).join(', ')}), or send all the same: --no-code send`,
    },
  );
}
