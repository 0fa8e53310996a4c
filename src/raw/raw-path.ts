import { ProcError } from '../core/errors.ts';
import { show } from '../core/validate.ts';

/**
 * The path of a raw call, below the base URL and nowhere else: percent-encoded, with its query.
 * Takes `/orders/?limit=2`, `orders/`, or a whole URL below the base URL.
 *
 * @throws ProcError `invalid_usage` for another origin, and for whatever a server or proxy might
 *   resolve to another place: dot segments and slashes, encoded or not, however often.
 */
export function rawPath(text: string, baseUrl: string): string {
  if (/[\u0000-\u0020\u007f-\u009f\\]/.test(text)) {
    throw refused(text, 'holds a space, backslash or control character', 'Write a space as %20.');
  }
  if (!text.isWellFormed()) throw refused(text, 'holds half a character');
  if (text.includes('#')) throw refused(text, 'holds a "#"', 'Write it as %23.');
  const below = belowBase(text, baseUrl);
  const [path = '', ...query] = below.split('?');
  for (const segment of path.split('/')) checkSegment(segment, text);
  const search = query.length === 0 ? '' : `?${query.join('?')}`;
  const url = new URL(`http://x${path.startsWith('/') ? '' : '/'}${path}${search}`);
  return url.pathname + url.search;
}

function belowBase(text: string, baseUrl: string): string {
  if (!/^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(text)) return text;
  const base = new URL(baseUrl);
  const prefix = `${base.origin}${base.pathname.replace(/\/+$/, '')}`;
  if (text === prefix || text.startsWith(`${prefix}/`) || text.startsWith(`${prefix}?`)) {
    return text.slice(prefix.length);
  }
  throw refused(
    text,
    `is not below the base URL ${prefix}, and the credential goes nowhere else`,
    'Give the path below the base URL, for instance /orders/, or choose another profile with -p.',
  );
}

/** Decoded again and again: proxies that decode twice are met in practice. */
function checkSegment(segment: string, text: string): void {
  if (/%(?![0-9a-f]{2})/i.test(segment)) {
    throw refused(text, 'holds a "%" that encodes nothing', 'Write a percent sign as %25.');
  }
  for (let plain = segment; ; ) {
    // Some servers cut what follows a semicolon off before they resolve dots.
    const name = plain.split(';')[0];
    if (name === '.' || name === '..' || /[/\\\u0000-\u001f\u007f]/.test(plain)) {
      throw refused(
        text,
        'could be resolved to another place',
        'Give ids as the service shows them.',
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
