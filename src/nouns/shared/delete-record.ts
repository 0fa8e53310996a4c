import type { EndpointSpec } from '../../core/endpoint.ts';
import { isSignalled, ProcError } from '../../core/errors.ts';
import type { Ports, Settled } from '../../core/ports.ts';
import type { Column, RecordResult, Row, ShownRequest } from '../../core/result.ts';
import { listLines } from '../requisition/index.ts';
import { recordName } from './references/record-name.ts';

export const DELETED_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'deleted', header: 'DELETED' },
  { key: 'was', header: 'WAS' },
];

interface Deletion {
  readonly read: EndpointSpec;
  readonly remove: EndpointSpec;
  readonly id: string;
  readonly what: (name: string) => string;
}

/** Deletes a record that cannot be created again. Reads it first, to show it. */
export async function deleteRecord(
  ports: Ports<'io' | 'api' | 'lookup'>,
  { read, remove, id, what }: Deletion,
  then: (deleted: Row) => RecordResult | Promise<RecordResult>,
): Promise<ShownRequest> {
  const params = { id };
  const intent = { weight: 'delete', irreversible: true } as const;
  await ports.api.ensureAskable({ ...intent, what: what(id) });
  const { interactive } = ports.io.terminal;
  const before = await ports.lookup.before(read, { params }, { isShown: interactive });
  const settle = async (): Promise<Settled | undefined> => {
    const now = await readAfter(ports, read, params);
    const place = read.path.slice(1).replace('{id}', id);
    if (now === 'gone') return { is: 'done', seen: `${place} is gone` };
    return now && { is: 'not done', seen: `${place} is still there` };
  };
  // The id tells apart records of one name.
  const name = before === undefined ? id : withId(recordName(before), id);
  return ports.api.send(remove, { params }, { ...intent, what: what(name), before, settle }, () =>
    then({ id, deleted: true, was: before }),
  );
}

function withId(name: string, id: string): string {
  return name === id || name.startsWith(`${id} `) ? name : `${name} (${id})`;
}

const GONE = 410;

/** Reads a record after a write whose outcome is unknown. Undefined if the read fails. */
export async function readAfter(
  { lookup }: Ports<'lookup'>,
  read: EndpointSpec,
  params: Readonly<Record<string, string>>,
): Promise<Row | 'gone' | undefined> {
  try {
    return (await lookup.call(read, { params })) as Row;
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
    return thrown.code === 'not_found' || thrown.status === GONE ? 'gone' : undefined;
  }
}

/** The lines of a group are the only part of a requisition that the service shows. */
export async function linesAfter(
  ports: Ports<'lookup'>,
  params: { readonly id: string; readonly groupId: string },
): Promise<readonly Row[] | undefined> {
  const lines = await readAfter(ports, listLines, params);
  return Array.isArray(lines) ? (lines as readonly Row[]) : undefined;
}
