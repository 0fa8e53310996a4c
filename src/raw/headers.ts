import { ProcError } from '../core/errors.ts';
import { show } from '../core/validate.ts';

/** Set by proc, or by the connection: another value would send the wrong key or break the request. */
const OWN: Readonly<Record<string, string>> = {
  'x-api-key': 'comes from the environment of the profile: proc auth login, or PROC_API_KEY',
  authorization: 'comes from the environment of the profile: proc auth login, or PROC_TOKEN',
  host: 'follows from the base URL',
  'content-length': 'follows from the body',
  'transfer-encoding': 'follows from the body',
  'accept-encoding': 'stays out, as answers are shown as they come',
  connection: 'belongs to the connection',
  'keep-alive': 'belongs to the connection',
  upgrade: 'belongs to the connection',
  expect: 'belongs to the connection',
  te: 'belongs to the connection',
  trailer: 'belongs to the connection',
  'proxy-authorization': 'belongs to the proxy',
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
      // The line may hold a secret that was meant for another flag.
      throw new ProcError('invalid_usage', `--header: expected 'name: value'`, {
        hint: "For instance -H 'accept-language: es'",
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
        `--header ${name}: its value holds a character that no header may`,
      );
    }
    headers[name] = value;
  }
  return { ...headers };
}
