import { ProcError } from '../core/errors.ts';
import { show } from '../core/validate.ts';

/** Headers that a user cannot set → the reason, for the error. */
const OWN: Readonly<Record<string, string>> = {
  'x-api-key':
    'comes from the environment of the profile; to set it: proc auth login, or PROC_API_KEY',
  authorization:
    'comes from the environment of the profile; to set it: proc auth login, or PROC_TOKEN',
  host: 'is set from the base URL',
  'content-length': 'is set from the body',
  'transfer-encoding': 'is set from the body',
  'accept-encoding': 'is not sent, because responses are printed unchanged',
  connection: 'belongs to the connection',
  'keep-alive': 'belongs to the connection',
  upgrade: 'belongs to the connection',
  expect: 'belongs to the connection',
  te: 'belongs to the connection',
  trailer: 'belongs to the connection',
  'proxy-authorization':
    'comes from the address of the proxy, e.g. HTTPS_PROXY=http://user:password@proxy:3128',
};

/**
 * The headers of `-H 'name: value'`, names in lower case.
 *
 * @throws ProcError `invalid_usage`
 */
export function readHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (colon < 1 || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      // Not quoted, because the text may contain a secret that was meant for another flag.
      throw new ProcError('invalid_usage', `--header: expected 'name: value'`, {
        hint: "Use e.g. -H 'accept-language: es'",
      });
    }
    if (Object.hasOwn(OWN, name)) {
      throw new ProcError('invalid_usage', `--header ${name}: this header ${OWN[name]}`);
    }
    if (Object.hasOwn(headers, name)) {
      throw new ProcError('invalid_usage', `--header ${show(name)} is given twice`);
    }
    if (/[^\t\u0020-\u007e\u00a0-\u00ff]/.test(value)) {
      throw new ProcError(
        'invalid_usage',
        `--header ${name}: the value contains a character that is not allowed in headers`,
      );
    }
    headers[name] = value;
  }
  return { ...headers };
}
