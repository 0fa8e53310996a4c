import { ProcError } from '../core/errors.ts';
import { show } from '../core/validate.ts';

/**
 * The percent-encoded path and query of `/orders/?limit=2` or `orders/`.
 *
 * @throws ProcError `invalid_usage` for a whole URL, because proc sends the credential nowhere else; also for `..` or an encoded slash, which a
 * server might resolve to another place
 */
export function rawPath(text: string): string {
  if (/[ \\\p{Cc}\p{Cs}]/u.test(text)) {
    throw refused(
      text,
      'contains a space, a backslash, or a control or incomplete character',
      'Write a space as %20.',
    );
  }
  if (text.includes('#')) throw refused(text, 'contains a "#"', 'Write it as %23.');
  if (/^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(text)) {
    throw refused(text, 'is not below the base URL', 'Use a path such as /orders/');
  }
  const [path = '', ...query] = text.split('?');
  for (const segment of path.split('/')) checkSegment(segment, text);
  const search = query.length === 0 ? '' : `?${query.join('?')}`;
  const url = new URL(`http://x${path.startsWith('/') ? '' : '/'}${path}${search}`);
  return url.pathname + url.search;
}

/** Decodes repeatedly, because some proxies decode twice. */
function checkSegment(segment: string, text: string): void {
  if (/%(?![0-9a-f]{2})/i.test(segment)) {
    throw refused(text, 'contains an invalid "%"', 'Write a percent sign as %25.');
  }
  for (let plain = segment; ; ) {
    // Some servers remove the text after a semicolon before they resolve dots.
    const name = plain.split(';')[0];
    if (name === '.' || name === '..' || /[/\\\u0000-\u001f\u007f]/.test(plain)) {
      throw refused(
        text,
        'may resolve to another place',
        'Use ids exactly as the service returns them',
      );
    }
    const next = plain.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === plain) return;
    plain = next;
  }
}

function refused(text: string, problem: string, hint?: string): ProcError {
  return new ProcError('invalid_usage', `<path> ${show(text)} ${problem}; nothing was sent`, {
    hint,
  });
}
