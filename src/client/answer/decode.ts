import type { EndpointSpec, Method, RawAnswer } from '../../core/endpoint.ts';
import { isObject } from '../../core/is-object.ts';
import type { Hide } from '../../core/service/hiding.ts';
import { isRawNumber } from '../../core/text/raw-number.ts';
import { parseAnswer } from '../../core/text/strict-json.ts';
import { summaryOf } from './error-body.ts';

type Decoded =
  | { readonly value: unknown }
  | { readonly reason: 'undecodable' | 'no-id'; readonly detail: string };

/**
 * Decodes a successful answer that is not a list, and checks only that it is a JSON object. The answer to a
 * create must have an id, as the proof of what was created. Other writes succeed with any 2xx, whatever the
 * body.
 *
 * @param hide masks the secret, so that nothing made of the answer contains it
 */
export function decodeRecord(
  body: Buffer,
  expects: EndpointSpec['response'],
  method: Method,
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
  if (value !== undefined) return { value };
  if (method !== 'GET') return { value: undefined };
  return {
    reason: 'undecodable',
    detail: `the response is not a JSON object: ${summaryOf(text, hide)}`,
  };
}

/** The content of a raw answer: its JSON, else its text; undefined if it is empty. */
export function rawContent({ bytes }: RawAnswer): unknown {
  const text = textOf(Buffer.from(bytes));
  try {
    return parseAnswer(text);
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
    const value = parseAnswer(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A raw number has more digits than a double holds. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || isRawNumber(value);
}
