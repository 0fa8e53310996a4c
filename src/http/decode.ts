import type { RawResponse } from '../core/endpoint.ts';
import { isObject } from '../core/is-object.ts';
import type { Problem } from '../core/row-problem.ts';
import type { Hide } from '../core/service/hiding.ts';
import { idText, strangeId } from '../core/service/same-value.ts';
import { parseResponse } from '../core/text/strict-json.ts';
import { readErrorBody } from './error-body.ts';
import type { PreparedRequest } from './request.ts';

type Decoded =
  | { readonly value: unknown }
  | { readonly reason: 'undecodable' | 'no-id'; readonly problem: Problem };

/**
 * Decodes a successful response that is not a list. Checks its id, because a gateway may answer 200 with
 * an error of its own.
 *
 * @param answer the decoded JSON; undefined if the response is not JSON
 * @param text the whole response, for messages
 * @param hide masks the secret
 */
export function decodeRecord(
  answer: unknown,
  text: string,
  { expects, method, subject }: Pick<PreparedRequest, 'expects' | 'method' | 'subject'>,
  hide: Hide,
): Decoded {
  const value = isObject(answer) ? answer : undefined;
  const said = () => readErrorBody(text, undefined, hide).message ?? 'it is empty';
  if ('created' in expects && expects.created !== undefined) {
    const name = expects.created;
    const id = value?.[name];
    if (idText(id) !== undefined) return { value };
    const isStrange = value !== undefined && Object.hasOwn(value, name);
    return {
      reason: 'no-id',
      problem: isStrange
        ? { text: `the ${name} in the response is ${strangeId(id)}: ${said()}` }
        : { text: `the response has no ${name}: ${said()}` },
    };
  }
  const names = 'identifiedBy' in expects ? expects.identifiedBy : undefined;
  if (method !== 'GET' && (names === undefined || text.trim() === '')) return { value };
  if (value !== undefined) {
    if (names === undefined || names.some((name) => isNamed(value[name], subject))) {
      return { value };
    }
    const id = idText(value.id);
    const other = id === undefined ? said() : `it has the id ${JSON.stringify(id)}`;
    const why = `the response is not the record ${JSON.stringify(subject ?? '')}: ${other}`;
    return { reason: 'no-id', problem: { text: why } };
  }
  return {
    reason: 'undecodable',
    problem: { text: `the response is not a JSON object: ${said()}` },
  };
}

/** The content of a raw response: its JSON, or its text. Undefined if it is empty. */
export function rawContent({ bytes }: RawResponse): unknown {
  const text = textOf(Buffer.from(bytes));
  try {
    return parseResponse(text);
  } catch {
    return text === '' ? undefined : text;
  }
}

/** Without the byte order mark that some services send. */
export function textOf(body: Buffer): string {
  const text = body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Some services change the case of ids. */
function isNamed(value: unknown, subject: string | undefined): boolean {
  const text = idText(value);
  return text !== undefined && text.toLowerCase() === subject?.toLowerCase();
}
