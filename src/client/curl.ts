import { type PreparedRequest, urlOf } from './request.ts';

/** The same request as a curl command; the key stands as `$PROC_API_KEY`, never as itself. */
export function curlLine(request: PreparedRequest, scheme: 'api-key' | 'bearer'): string {
  const words = ['curl', '--fail-with-body', '--silent', '--show-error'];
  if (request.method !== 'GET') words.push('--request', request.method);
  words.push(quote(urlOf(request)));
  words.push(
    '--header',
    scheme === 'api-key' ? '"x-api-key: $PROC_API_KEY"' : '"authorization: Bearer $PROC_TOKEN"',
  );
  for (const [name, value] of Object.entries(request.headers)) {
    if (name !== 'user-agent') words.push('--header', quote(`${name}: ${value}`));
  }
  if (request.body !== undefined) words.push('--data-raw', quote(request.body));
  return `${words.join(' ')}\n`;
}

/** For POSIX shells. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
