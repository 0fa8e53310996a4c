import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Ports } from '../../core/ports.ts';
import type { Column, RecordResult, Row, ShownRequest } from '../../core/result.ts';
import type { Phrase } from '../../core/text/phrase.ts';

export const DELETED_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'deleted', header: 'DELETED' },
  { key: 'was', header: 'WAS' },
];

/** Deletes a record that cannot be created again. Reads it first, to show it. */
export async function deleteRecord(
  ports: Ports<'api' | 'lookup'>,
  endpoints: { readonly read: EndpointSpec; readonly remove: EndpointSpec },
  id: string,
  what: Phrase,
  then: (deleted: Row) => RecordResult | Promise<RecordResult>,
): Promise<ShownRequest> {
  const input = { params: { id } };
  const intent = { what, weight: 'delete', irreversible: true } as const;
  await ports.api.ensureAskable(intent);
  const before = await ports.lookup.before(endpoints.read, input, { isShown: false });
  return ports.api.send(endpoints.remove, input, { ...intent, before }, () =>
    then({ id, deleted: true, was: before }),
  );
}
