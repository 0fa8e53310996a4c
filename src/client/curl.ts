import { inShell } from '../core/text/typed.ts';
import { type PreparedRequest, urlOf } from './request.ts';

/** The same request as a curl command; the key stands as `$PROC_API_KEY`, never as itself. */
export function curlLine(request: PreparedRequest, scheme: 'api-key' | 'bearer'): string {
  const words = ['curl', '--fail-with-body', '--silent', '--show-error'];
  if (request.method !== 'GET') words.push('--request', request.method);
  words.push(inShell(urlOf(request)));
  words.push(
    '--header',
    scheme === 'api-key' ? '"x-api-key: $PROC_API_KEY"' : '"authorization: Bearer $PROC_TOKEN"',
  );
  for (const [name, value] of Object.entries(request.headers)) {
    if (name !== 'user-agent') words.push('--header', inShell(`${name}: ${value}`));
  }
  const { body } = request;
  if (typeof body === 'string') words.push('--data-raw', inShell(body));
  if (body === undefined || typeof body === 'string') return `${words.join(' ')}\n`;
  // No argument of a shell can hold every byte.
  words.push('--data-binary', '@-');
  return `printf %s '${Buffer.from(body).toString('base64')}' | base64 -d | ${words.join(' ')}\n`;
}
