import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Issued {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates extends Issued {
  /** PEM file, for `PROC_CA_FILE`. */
  readonly caFile: string;
}

interface ToIssue {
  /** Name of the files; the subject is `CN=Test NAME`. */
  readonly name: string;
  readonly hosts?: readonly string[];
  /** Days until the certificate expires. -1: it expired yesterday. */
  readonly days?: number;
}

export interface Authority {
  readonly caFile: string;
  readonly ca: string;
  issue(options: ToIssue): Promise<Issued>;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

/** Makes an authority with openssl. The caller removes the folder. */
export async function makeAuthority(folder: string, name = 'authority'): Promise<Authority> {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  await run('openssl', [
    ...['req', '-x509', ...NEW_KEY, '-nodes', '-subj', `/CN=Test ${name}`, '-days', '200'],
    ...['-keyout', key, '-out', cert],
  ]);
  const at = (file: string) => join(folder, file);
  return {
    caFile: cert,
    ca: await readFile(cert, 'utf8'),
    async issue({ name: own, hosts = [], days = 90 }) {
      const [keyFile, certFile] = [at(`${own}.key`), at(`${own}.pem`)];
      await run('openssl', [
        ...['req', ...NEW_KEY, '-nodes', '-subj', `/CN=Test ${own}`],
        ...['-keyout', keyFile, '-out', at(`${own}.csr`)],
      ]);
      await writeFile(at(`${own}.ext`), hosts.length ? `subjectAltName=${hosts.join(',')}\n` : '');
      await run('openssl', [
        ...['x509', '-req', '-in', at(`${own}.csr`), '-days', String(days)],
        ...['-extfile', at(`${own}.ext`), '-CA', cert, '-CAkey', key],
        ...['-set_serial', String(Date.now()), '-out', certFile],
      ]);
      return { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
    },
  };
}

/**
 * Makes an authority, and a certificate for these hosts that expires in two days.
 * @param hosts e.g. `IP:127.0.0.1`, `DNS:procurement.test`
 */
export async function makeCertificates(
  folder: string,
  hosts: readonly string[],
): Promise<Certificates> {
  const { caFile, issue } = await makeAuthority(folder);
  return { caFile, ...(await issue({ name: 'service', hosts, days: 2 })) };
}
