import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A test certificate authority, and a server certificate signed by it. */
export interface Certificates {
  /** PEM file, for `--ca-file`. */
  readonly caFile: string;
  readonly key: string;
  readonly cert: string;
}

/**
 * Makes them with openssl, in a folder that is removed with the test.
 *
 * @param hosts for instance `IP:127.0.0.1`, `DNS:procurement.test`.
 */
export async function makeCertificates(
  folder: string,
  hosts: readonly string[],
): Promise<Certificates> {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => run('openssl', args);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await openssl(
    ...['req', '-x509', ...newKey, '-subj', '/CN=Test authority', '-days', '2'],
    ...['-keyout', at('ca.key'), '-out', at('ca.pem')],
  );
  await openssl(
    ...['req', ...newKey, '-subj', '/CN=Test service'],
    ...['-keyout', at('server.key'), '-out', at('server.csr')],
  );
  await writeFile(at('server.ext'), `subjectAltName=${hosts.join(',')}\n`);
  await openssl(
    ...['x509', '-req', '-in', at('server.csr'), '-days', '2', '-extfile', at('server.ext')],
    ...['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-set_serial', '1', '-out', at('server.pem')],
  );
  return {
    caFile: at('ca.pem'),
    key: await readFile(at('server.key'), 'utf8'),
    cert: await readFile(at('server.pem'), 'utf8'),
  };
}
