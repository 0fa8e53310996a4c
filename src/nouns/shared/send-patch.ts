import { type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import { isSignalled, ProcError } from '../../core/errors.ts';
import type { Ports, WriteIntent, WriteProblem } from '../../core/ports.ts';
import type { RecordResult, Row, ShownRequest } from '../../core/result.ts';
import { compareDecimals, isDecimal } from '../../core/text/decimal.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { inShell } from '../../core/text/typed.ts';

export interface SentPatch {
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
export function sendPatch(
  ports: Ports<'io' | 'api' | 'lookup'>,
  sent: SentPatch,
  intent: WriteIntent,
  then: (value: Row | undefined) => RecordResult | Promise<RecordResult>,
): Promise<ShownRequest> {
  const { patch, id, before, body } = sent;
  let value: Row | undefined;
  const check = async (response: unknown): Promise<WriteProblem | undefined> => {
    value = await recordAfter(ports, sent, response as Row | undefined);
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
  if (response === undefined || otherFields(body, response).length === 0) return response;
  try {
    return (await lookup.call(read, { params: { id } })) as Row;
  } catch (thrown) {
    // The service has accepted the write, so a failed read must not end the command.
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
    return response;
  }
}

/**
 * A field that still has its old value is an error. A field with neither its old nor the sent value is a
 * warning, because services may normalize values. Fields that the service does not return are not compared.
 */
function problemOf(
  { io }: Ports<'io'>,
  { read, id, before, body }: SentPatch,
  now: Row,
): WriteProblem | undefined {
  const others = otherFields(body, now);
  const kept = others.filter((field) => before !== undefined && isSame(now[field], before[field]));
  const altered = others.filter((field) => !kept.includes(field));
  if (altered.length > 0) {
    const text = `the service stored other values than proc sent: ${differences(altered, body, now)}`;
    io.say({ kind: 'warning', text });
  }
  if (kept.length === 0) return undefined;
  const noun = nounOf(read);
  const error = new ProcError(
    'refused',
    `the service accepted the change of ${noun}/${id}, but did not make it: ${differences(kept, body, now)}`,
    {
      hint: `Check the service: proc ${noun} get ${inShell(`id=${id}`)}`,
      details: { id, fields: kept },
    },
  );
  const hadEffect = Object.keys(body).some(
    (field) => !kept.includes(field) && !isSame(body[field], before?.[field]),
  );
  return { error, hadEffect };
}

function otherFields(body: Row, record: Row): string[] {
  return Object.keys(body).filter(
    (field) => Object.hasOwn(record, field) && !isSame(body[field], record[field]),
  );
}

/** Numbers may come back as text, and empty text as null. */
function isSame(a: unknown, b: unknown): boolean {
  const left = textOf(a);
  const right = textOf(b);
  if (left === right) return true;
  return (
    isDecimal(left) && isDecimal(right) && isNumber(a, b) && compareDecimals(left, right) === 0
  );
}

function isNumber(...values: readonly unknown[]): boolean {
  return values.some((value) => numberText(value) !== undefined);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return numberText(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
}

function differences(fields: readonly string[], body: Row, record: Row): string {
  return fields
    .map((field) => {
      const [sent, got] = [body[field], record[field]].map((one) => JSON.stringify(one ?? null));
      return `${field} was sent as ${sent}, but is ${got}`;
    })
    .join('; ');
}
