import { type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import { isSignalled, ProcError } from '../../core/errors.ts';
import type { Answer, Ports, WriteProblem } from '../../core/ports.ts';
import type { Column, RecordResult, Row, ShownRequest } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
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

/** Deletes a record that cannot be created again. Reads it first, to show it, and again as proof. */
export async function deleteRecord(
  ports: Ports<'io' | 'api' | 'lookup' | 'self'>,
  { read, remove, id, what }: Deletion,
  then: (deleted: Row) => RecordResult | Promise<RecordResult>,
): Promise<ShownRequest> {
  const input = { params: { id } };
  const intent = { weight: 'delete', irreversible: true } as const;
  await ports.api.ensureAskable({ ...intent, what: what(id) });
  const { interactive } = ports.io.terminal;
  const before = await ports.lookup.before(read, input, { isShown: interactive });
  const noun = nounOf(read);
  const hint = `Check the service: proc ${noun} get ${inShell(`id=${id}`)}`;
  const check = provedBy(ports, `${noun}/${id}`, hint, async () => {
    await ports.lookup.call(read, input);
    return 'there';
  });
  // The id tells apart records of one name.
  const name = before === undefined ? id : withId(recordName(before), id);
  return ports.api.send(remove, input, { ...intent, what: what(name), before, check }, () =>
    then({ id, deleted: true, was: before }),
  );
}

function withId(name: string, id: string): string {
  return name === id || name.startsWith(`${id} `) ? name : `${name} (${id})`;
}

/** Some services show a deleted record for a moment. So a record that is still there is read twice. */
const PAUSE_MS = 1_000;

/**
 * A delete is done when a read says so: services answer 200 with `success: false`, with a sign-in page, or
 * before they delete anything.
 *
 * @param look reads what was deleted; throws `not_found` if it is gone. `unclear`: the answer to the delete decides
 */
function provedBy(
  { self: { clock, signal } }: Ports<'self'>,
  what: string,
  hint: string,
  look: () => Promise<'there' | 'gone' | 'unclear'>,
): (answer: Answer) => Promise<WriteProblem | undefined> {
  const seen = async (): Promise<'there' | 'gone' | 'unclear' | ProcError> => {
    try {
      return await look();
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      return thrown.code === 'not_found' || thrown.status === GONE ? 'gone' : thrown;
    }
  };
  return async ({ status, doubt }) => {
    let found = await seen();
    if (found === 'there') {
      await clock.sleep(PAUSE_MS, signal).catch(() => undefined);
      found = await seen();
    }
    if (found === 'gone') return undefined;
    if (found === 'unclear') {
      return doubt === undefined ? undefined : { error: doubt, state: 'unknown' };
    }
    const init = { hint, status };
    const answered = doubt === undefined ? `the service returned ${status}` : doubt.message;
    if (found !== 'there') {
      if (isSignalled(found)) return { error: found, state: 'unknown' };
      const message = `${answered}, but proc cannot tell whether ${what} is deleted: ${found.message}`;
      return { error: new ProcError('outcome_unknown', message, init), state: 'unknown' };
    }
    if (status === ACCEPTED) {
      const message = `the service accepted the delete (${status}), but ${what} is still there`;
      return { error: new ProcError('outcome_unknown', message, init), state: 'unknown' };
    }
    const message = `${answered}, but ${what} is still there`;
    return { error: new ProcError('refused', message, init), state: 'rejected' };
  };
}

const ACCEPTED = 202;
const GONE = 410;

/**
 * Proves the delete of a group or a line by the lines of the group, the only part of a requisition that the
 * service shows. If they cannot be read, the answer to the delete decides.
 */
export function provedByLines(
  ports: Ports<'lookup' | 'self'>,
  what: string,
  params: { readonly id: string; readonly groupId: string },
  judge: (rows: readonly Row[]) => 'there' | 'gone' | 'unclear',
): (answer: Answer) => Promise<WriteProblem | undefined> {
  const hint = `Check the service: proc requisition item list ${inShell(params.id)} ${inShell(params.groupId)}`;
  return provedBy(ports, what, hint, async () => {
    try {
      return judge((await ports.lookup.call(listLines, { params })) as readonly Row[]);
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || thrown.code === 'not_found') throw thrown;
      if (isSignalled(thrown)) throw thrown;
      return 'unclear';
    }
  });
}
