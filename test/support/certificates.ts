import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Certificates {
  /** PEM file, for `PROC_CA_FILE`. */
  readonly caFile: string;
  readonly key: string;
  readonly cert: string;
}

export interface Issued {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

interface ToIssue {
  /** Name of the files; the subject is `CN=Test NAME`. */
  readonly name: string;
  readonly hosts?: readonly string[];
  /** Days until the certificate expires. -1: it expired yesterday. */
  readonly days?: number;
  readonly passphrase?: string;
}

export interface Authority {
  readonly caFile: string;
  readonly ca: string;
  issue(options: ToIssue): Promise<Issued>;
  /** Makes an intermediate authority, signed by this one. Its `caFile` contains only its own certificate. */
  below(name: string, days?: number): Promise<Authority>;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

/** Makes an authority with openssl. The caller removes the folder. */
export async function makeAuthority(folder: string, name = 'authority'): Promise<Authority> {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  await run('openssl', [
    ...['req', '-x509', ...NEW_KEY, '-nodes', '-subj', `/CN=Test ${name}`, '-days', '200'],
    ...['-keyout', key, '-out', cert],
  ]);
  return authority(folder, cert, key);
}

async function authority(folder: string, caFile: string, caKey: string): Promise<Authority> {
  const at = (file: string) => join(folder, file);
  const signed = async (
    { name, days = 90, passphrase }: ToIssue,
    extensions: string,
  ): Promise<Issued> => {
    const [keyFile, certFile] = [at(`${name}.key`), at(`${name}.pem`)];
    const protection = passphrase === undefined ? ['-nodes'] : ['-passout', `pass:${passphrase}`];
    await run('openssl', [
      ...['req', ...NEW_KEY, ...protection, '-subj', `/CN=Test ${name}`],
      ...['-keyout', keyFile, '-out', at(`${name}.csr`)],
    ]);
    await writeFile(at(`${name}.ext`), extensions);
    await run('openssl', [
      ...['x509', '-req', '-in', at(`${name}.csr`), '-days', String(days)],
      ...['-extfile', at(`${name}.ext`), '-CA', caFile, '-CAkey', caKey],
      ...['-set_serial', String(Date.now()), '-out', certFile],
    ]);
    const [cert, key] = [await readFile(certFile, 'utf8'), await readFile(keyFile, 'utf8')];
    return { certFile, keyFile, cert, key };
  };
  return {
    caFile,
    ca: await readFile(caFile, 'utf8'),
    issue: (options) =>
      signed(options, options.hosts ? `subjectAltName=${options.hosts.join(',')}\n` : ''),
    async below(name, days = 90) {
      const { certFile, keyFile } = await signed(
        { name, days },
        'basicConstraints=critical,CA:TRUE\n',
      );
      return authority(folder, certFile, keyFile);
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
