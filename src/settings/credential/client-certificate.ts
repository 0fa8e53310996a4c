import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TlsIdentity } from '../../client/connection/connect-options.ts';
import { ProcError, whyUnreadable } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { ClientCertificate } from '../../core/service-target.ts';
import type { Phrase } from '../../core/text/phrase.ts';
import { inShell } from '../../core/text/typed.ts';
import { settingsMessages } from '../../messages/settings.ts';
import { isOwn } from '../../store/owner.ts';
import { readRegularFile } from '../../store/regular-file.ts';
import { printedBy } from './credential.ts';

const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/;

interface CertificateFiles {
  readonly certificate: X509Certificate;
  readonly cert: string;
  readonly key: string;
  readonly isEncrypted: boolean;
}

/**
 * Checks that the certificate is valid now. If the key is not encrypted, checks that the key
 * belongs to the certificate.
 *
 * @throws ProcError `invalid_setting`, `config_insecure`
 */
export function openCertificateFiles(
  { cert: certFile, key: keyFile }: ClientCertificate,
  cwd: string,
  now: number,
): CertificateFiles {
  const cert = readPem(certFile, cwd, 'client certificate');
  const certificate = parseCertificate(cert, certFile);
  checkValidity(certificate, certFile, now);
  const key = readPem(keyFile, cwd, 'client key');
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key)) {
    throw invalid(
      `${keyFile} contains no private key`,
      keyFile === certFile ? 'Name the file of the key: --client-key FILE' : PEM_HINT,
    );
  }
  const isEncrypted = ENCRYPTED.test(key);
  if (!isEncrypted) {
    checkPrivacy(keyFile, cwd);
    checkPair(certificate, openKey(key, keyFile), certFile, keyFile);
  }
  return { certificate, cert, key, isEncrypted };
}

/**
 * The certificate with its key, for TLS. The passphrase of an encrypted key comes from a command or
 * a prompt.
 *
 * @throws ProcError `invalid_setting`, `config_insecure`, `credential_command`
 */
export async function readClientCertificate(
  files: ClientCertificate,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<TlsIdentity> {
  const { cwd, clock } = ports.self;
  const { certificate, cert, key, isEncrypted } = openCertificateFiles(files, cwd, clock.now());
  if (!isEncrypted) return { cert, key };
  const opened = await decrypted(key, files, ports);
  checkPair(certificate, opened, files.cert, files.key);
  return { cert, key: opened.export({ format: 'pem', type: 'pkcs8' }) as string };
}

async function decrypted(
  key: string,
  { key: file, passphraseCommand: argv }: ClientCertificate,
  { io, ask, self }: Ports<'io' | 'ask' | 'self'>,
): Promise<KeyObject> {
  if (argv !== undefined) {
    const where = `clientKeyPassphraseCommand "${argv[0]}"`;
    const passphrase = (await printedBy(argv, where, self.env)).replace(/\r?\n$/, '');
    const opened = tryPassphrase(key, passphrase);
    if (opened !== undefined) return opened;
    throw invalid(`the passphrase that ${where} prints does not open ${file}`, DECRYPT_HINT(file));
  }
  if (!io.terminal.interactive) {
    throw invalid(
      `${file} is encrypted, and there is no terminal to ask for its passphrase on`,
      `Set a command that prints it: proc profile set NAME -e ENV clientKeyPassphraseCommand='["pass", "show", "client key"]'`,
    );
  }
  const words = settingsMessages[await io.lang()].certificate;
  for (;;) {
    const passphrase = await ask.secret(words.passphrase(file));
    if (passphrase === '') throw invalid(`no passphrase for ${file}`, DECRYPT_HINT(file));
    const opened = tryPassphrase(key, passphrase);
    if (opened !== undefined) return opened;
    io.say({ kind: 'warning', text: words.wrongPassphrase });
  }
}

function tryPassphrase(key: string, passphrase: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key, passphrase });
  } catch {
    return undefined;
  }
}

const PEM_HINT = 'Give a PEM file, which begins with -----BEGIN';

const DECRYPT_HINT = (file: string) => `Try it with: openssl pkey -in ${inShell(file)} -noout`;

function readPem(file: string, cwd: string, what: string): string {
  let text: string;
  try {
    text = readRegularFile(resolve(cwd, file)).text;
  } catch (thrown) {
    throw invalid(whyUnreadable(`the ${what} ${file}`, thrown), 'Check the path.');
  }
  if (text.includes('-----BEGIN ')) return text;
  // DER and PKCS #12 files begin with the byte 0x30, which is the character `0`.
  const isBinary = text.startsWith('0');
  throw invalid(
    `the ${what} ${file} is not a PEM file`,
    isBinary
      ? `Convert it. PKCS #12 (.p12, .pfx): openssl pkcs12 -in ${inShell(file)} -out client.pem. DER: openssl x509 -inform der -in ${inShell(file)} -out client.pem`
      : PEM_HINT,
  );
}

function parseCertificate(text: string, file: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch {
    throw invalid(`${file} contains no readable certificate`, PEM_HINT);
  }
}

function checkValidity(certificate: X509Certificate, file: string, now: number): void {
  const { validFrom, validTo, issuer } = certificate;
  const hint = `Get a new one from its issuer (${oneLine(issuer)}), and check the clock of this machine`;
  if (now > Date.parse(validTo)) {
    throw invalid(`the client certificate ${file} expired on ${dayOf(validTo)}`, hint);
  }
  if (now < Date.parse(validFrom)) {
    throw invalid(`the client certificate ${file} is not valid before ${dayOf(validFrom)}`, hint);
  }
}

function openKey(key: string, file: string): KeyObject {
  try {
    return createPrivateKey(key);
  } catch {
    throw invalid(`${file} contains no readable private key`, PEM_HINT);
  }
}

function checkPair(
  certificate: X509Certificate,
  key: KeyObject,
  certFile: string,
  keyFile: string,
): void {
  if (certificate.checkPrivateKey(key)) return;
  throw invalid(
    `the key ${keyFile} does not belong to the certificate ${certFile}`,
    'Use the key that was made for this certificate',
  );
}

/** Like ssh, refuses the user's own key file if others can read it. */
function checkPrivacy(file: string, cwd: string): void {
  const { uid, mode } = statSync(resolve(cwd, file));
  if (!isOwn(uid) || (mode & 0o077) === 0) return;
  throw new ProcError('config_insecure', `the client key ${file} can be read by others`, {
    hint: `chmod 600 ${inShell(file)}`,
  });
}

function dayOf(date: string): string {
  return new Date(date).toISOString().slice(0, 10);
}

function oneLine(name: string): string {
  return name.replace(/\s*\n\s*/g, ', ');
}

function invalid(message: Phrase, hint: string): ProcError {
  return new ProcError('invalid_setting', message, { hint });
}
