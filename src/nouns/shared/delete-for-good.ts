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
 * Deletes a record that cannot be created again. Reads it first (a 404 is an error), shows it in the
 * confirmation and returns the copy. If confirmation is impossible, it fails before any request.
 *
 * @param what describes the deletion in the question.
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
