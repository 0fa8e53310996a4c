import {
  type Difference,
  differencesIn,
  differencesText,
} from '../../client/response/compare-answer.ts';
import { type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import { isSignalled, ProcError } from '../../core/errors.ts';
import type { Answer, Ports, WriteIntent, WriteProblem } from '../../core/ports.ts';
import type { RecordResult, Row, ShownRequest } from '../../core/result.ts';
import { isSameValue } from '../../core/service/same-value.ts';
import { inShell } from '../../core/text/typed.ts';
import { recordName } from './references/record-name.ts';

interface SentPatch {
  readonly read: EndpointSpec;
  readonly patch: EndpointSpec;
  readonly id: string;
  readonly before: Row | undefined;
  readonly body: Row;
}

/**
 * Sends a patch and verifies that the service made the change.
 *
 * @param then makes the result from the record after the change, or from undefined after an empty response
 */
function sendPatch(
  ports: Ports<'io' | 'api' | 'lookup'>,
  sent: SentPatch,
  intent: WriteIntent,
  then: (value: Row | undefined) => RecordResult | Promise<RecordResult>,
): Promise<ShownRequest> {
  const { patch, id, before, body } = sent;
  let value: Row | undefined;
  const check = async (answer: Answer): Promise<WriteProblem | undefined> => {
    if (answer.doubt !== undefined) return { error: answer.doubt, state: 'unknown' };
    value = await recordAfter(ports, sent, answer.value as Row | undefined);
    return value === undefined ? undefined : problemOf(ports, sent, value);
  };
  return ports.api.send(patch, { params: { id }, body }, { ...intent, before, check }, () =>
    then(value),
  );
}

/**
 * If the response has other values than proc sent, reads the record again: some services respond with the
 * record before the change.
 */
async function recordAfter(
  { lookup }: Ports<'lookup'>,
  { read, id, body }: SentPatch,
  response: Row | undefined,
): Promise<Row | undefined> {
  if (response === undefined || differencesIn(body, response).length === 0) return response;
  try {
    return (await lookup.call(read, { params: { id } })) as Row;
  } catch (thrown) {
    // The service has accepted the write, so a failed read must not end the command.
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
    return response;
  }
}

/**
 * A field that still has its old value is an error. A key that is neither the old nor the sent one leaves the
 * outcome unknown; any other such field is a warning, because services may normalize values. Fields that the
 * service does not return are not compared.
 */
function problemOf(
  { io }: Ports<'io'>,
  { read, id, before, body }: SentPatch,
  now: Row,
): WriteProblem | undefined {
  const others = differencesIn(body, now);
  const isKept = ({ field }: Difference) =>
    before !== undefined && isSameValue(now[field], before[field]);
  const kept = others.filter(isKept);
  const altered = others.filter((one) => !isKept(one));
  const noun = nounOf(read);
  const hint = `Check the service: proc ${noun} get ${inShell(`id=${id}`)}`;
  if (kept.length > 0) {
    const fields = kept.map(({ field }) => field);
    const error = new ProcError(
      'refused',
      `the service accepted the change of ${noun}/${id}, but did not make it: ${differencesText(kept)}`,
      { hint, details: { id, fields } },
    );
    const hadEffect = Object.keys(body).some(
      (field) => !fields.includes(field) && !isSameValue(body[field], before?.[field]),
    );
    return { error, state: hadEffect ? 'done' : 'rejected' };
  }
  const wrong = altered.filter(({ contradicts }) => contradicts);
  // A name that the service spells in its own way is no sign that it changed another record.
  if (wrong.some(({ field }) => field !== 'name')) {
    const message = `the service accepted the change of ${noun}/${id}, but shows other values: ${differencesText(wrong)}`;
    return { error: new ProcError('outcome_unknown', message, { hint }), state: 'unknown' };
  }
  if (altered.length > 0) {
    const text = `the service stored other values than proc sent: ${differencesText(altered)}`;
    io.say({ kind: 'warning', text });
  }
  return undefined;
}

interface Patch {
  readonly read: EndpointSpec;
  readonly patch: EndpointSpec;
  readonly id: string;
  readonly body: Row;
  /** @param name of the record before the change; its id if it was not read */
  readonly what: (name: string) => string;
}

export interface Patched {
  readonly before: Row | undefined;
  /** The record as the service returned it last; only the id if the response was empty. */
  readonly value: Row;
}

/**
 * Changes a record. Reads it first, shows what changes, and keeps the record before the change in history.
 *
 * @param then makes the result of the command
 */
export async function patchRecord(
  ports: Ports<'io' | 'api' | 'lookup'>,
  { read, patch, id, body, what }: Patch,
  then: (patched: Patched) => RecordResult | Promise<RecordResult>,
): Promise<ShownRequest> {
  const params = { id };
  const intent = { weight: 'patch' } as const;
  await ports.api.ensureAskable({ ...intent, what: what(id) });
  // A preview reads the record only if a person sees what changes.
  const isShown = ports.io.terminal.interactive;
  const before = await ports.lookup.before(read, { params }, { isShown });
  if (before !== undefined) {
    if (!ports.api.isPreview && differing(before, body).length === 0) {
      const text = 'Every field already has this value. Nothing was sent.';
      ports.io.say({ kind: 'notice', text });
      return then({ before, value: before });
    }
    ports.io.say({ kind: 'notice', text: changes(before, body) });
  }
  const name = before === undefined ? id : recordName(before);
  const named = { ...intent, what: what(name) };
  return sendPatch(ports, { read, patch, id, before, body }, named, (value) =>
    then({ before, value: value ?? { id } }),
  );
}

/** `name: Forks → Horquillas`, a line for each field that differs. */
function changes(before: Row, body: Row): string {
  const lines = differing(before, body).map((field) => {
    const old = Object.hasOwn(before, field)
      ? text(before[field])
      : '(not returned by the service)';
    return `${field}: ${old} → ${text(body[field])}`;
  });
  return lines.length === 0 ? 'Every field already has this value.' : lines.join('\n');
}

function differing(before: Row, body: Row): readonly string[] {
  return Object.keys(body).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(body[field]),
  );
}

function text(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
