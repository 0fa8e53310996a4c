import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ProcError, whyUnreadable } from '../../core/errors.ts';

/**
 * The certificate authorities of `--ca-file`, as PEM text.
 *
 * @throws ProcError `invalid_setting`
 */
export async function readCertificates(file: string, cwd: string): Promise<string> {
  try {
    const text = await readFile(resolve(cwd, file), 'utf8');
    // A check: TLS ignores an invalid certificate, and the connection would fail later.
    new X509Certificate(text);
    return text;
  } catch (thrown) {
    throw new ProcError('invalid_setting', whyUnreadable(`--ca-file ${file}`, thrown), {
      hint: 'Give a readable PEM file with a certificate.',
    });
  }
}
