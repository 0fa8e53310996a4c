import type { RawResponse } from '../../core/endpoint.ts';
import { isObject } from '../../core/is-object.ts';
import type { Hide } from '../../core/service/hiding.ts';
import { idText, strangeId } from '../../core/service/same-value.ts';
import { parseResponse } from '../../core/text/strict-json.ts';
import type { PreparedRequest } from '../request.ts';
import { summaryOf } from './error-body.ts';

type Decoded =
  | { readonly value: unknown }
  | { readonly reason: 'undecodable' | 'no-id'; readonly detail: string };

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
  if ('created' in expects && expects.created !== undefined) {
    const id = value?.[expects.created];
    if (idText(id) !== undefined) return { value };
    const isStrange = value !== undefined && Object.hasOwn(value, expects.created);
    return {
      reason: 'no-id',
      detail: isStrange
        ? `the ${expects.created} in the response is ${strangeId(id)}: ${summaryOf(text, hide)}`
        : `the response has no ${expects.created}: ${summaryOf(text, hide)}`,
    };
  }
  const names = 'identifiedBy' in expects ? expects.identifiedBy : undefined;
  if (method !== 'GET' && (names === undefined || text.trim() === '')) return { value };
  if (value !== undefined) {
    if (names === undefined || names.some((name) => isNamed(value[name], subject))) {
      return { value };
    }
    return {
      reason: 'no-id',
      detail: `the response is not the record ${JSON.stringify(subject)}: ${otherId(value) ?? summaryOf(text, hide)}`,
    };
  }
  return {
    reason: 'undecodable',
    detail: `the response is not a JSON object: ${summaryOf(text, hide)}`,
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

function otherId({ id }: Readonly<Record<string, unknown>>): string | undefined {
  const text = idText(id);
  return text === undefined ? undefined : `it has the id ${JSON.stringify(text)}`;
}
