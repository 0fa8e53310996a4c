import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Ports } from '../../core/ports.ts';
import type { Column, Row } from '../../core/result.ts';
import type { Phrase } from '../../core/text/phrase.ts';

export const DELETED_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'deleted', header: 'DELETED' },
  { key: 'was', header: 'WAS' },
];

/**
 * Deletes what no command can create again: reads it first (a 404 ends it there), shows it when
 * asking, and gives the copy back. Where nobody can be asked, it ends before any request.
 *
 * @param what says what is done, in the question.
 */
export async function deleteForGood(
  ports: Ports<'api'>,
  endpoints: { readonly read: EndpointSpec; readonly remove: EndpointSpec },
  id: string,
  what: Phrase,
): Promise<Row> {
  const input = { params: { id } };
  const intent = { what, weight: 'delete', irreversible: true } as const;
  await ports.api.ensureAskable(intent);
  const before = ports.api.isPreview
    ? {}
    : ((await ports.api.callAny(endpoints.read, input)) as Row);
  await ports.api.callAny(endpoints.remove, input, { ...intent, before });
  return { id, deleted: true, was: before };
}
