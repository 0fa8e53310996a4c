import { inShell } from '../core/text/typed.ts';
import { type PreparedRequest, urlOf } from './request.ts';

export interface CertificateFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** The request as a curl command, with `$PROC_API_KEY` or `$PROC_TOKEN` in place of the secret. */
export function curlLine(
  request: PreparedRequest,
  scheme: 'api-key' | 'bearer',
  files: CertificateFiles = {},
): string {
  const words = ['curl', '--fail-with-body', '--silent', '--show-error'];
  if (files.ca !== undefined) words.push('--cacert', inShell(files.ca));
  if (files.cert !== undefined) words.push('--cert', inShell(files.cert));
  if (files.key !== undefined) words.push('--key', inShell(files.key));
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
  // A shell argument cannot hold every byte, so the command has the body as base64 and decodes it.
  words.push('--data-binary', '@-');
  return `printf %s '${Buffer.from(body).toString('base64')}' | base64 -d | ${words.join(' ')}\n`;
}
