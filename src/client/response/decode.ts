import type { RawResponse } from '../../core/endpoint.ts';
import { isObject } from '../../core/is-object.ts';
import type { Hide } from '../../core/service/hiding.ts';
import { isRawNumber, numberText } from '../../core/text/raw-number.ts';
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
 * @param hide masks the secret
 */
export function decodeRecord(
  body: Buffer,
  { expects, method, subject }: Pick<PreparedRequest, 'expects' | 'method' | 'subject'>,
  hide: Hide,
): Decoded {
  if (expects.kind === 'none') return { value: undefined };
  const text = textOf(body);
  const value = hide.value(parseObject(text), text);
  if ('created' in expects && expects.created !== undefined) {
    const id = value?.[expects.created];
    if ((typeof id === 'string' && id !== '') || isNumber(id)) return { value };
    return {
      reason: 'no-id',
      detail: `the response has no ${expects.created}: ${summaryOf(text, hide)}`,
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
function textOf(body: Buffer): string {
  const text = body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseResponse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
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

function idText(id: unknown): string | undefined {
  return typeof id === 'string' ? id : numberText(id);
}

/** An id with more digits than a double holds is a raw number. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || isRawNumber(value);
}
