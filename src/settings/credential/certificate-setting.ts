import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProcError, whyUnreadable } from '../../core/errors.ts';
import { GLOBAL_FLAGS } from '../../core/global-flags.ts';
import type { ClientCertificate } from '../../core/service-target.ts';
import { inShell } from '../../core/text/typed.ts';
import type { Selection, Sources, TargetFlags } from '../read/select-target.ts';
import { type Sourced, sourced } from '../read/setting-origin.ts';
import { unbind } from './credential.ts';

/**
 * A certificate from the flags wins. The certificate of an environment is shown only to the origin
 * for which it was stored.
 *
 * @throws ProcError `credential_origin`, `invalid_usage`
 */
export function clientCertificateOf(
  { flags }: Pick<Sources, 'flags'>,
  { known, url }: Pick<Selection, 'known' | 'url'>,
): Sourced<ClientCertificate> | undefined {
  const given = certificateOfFlags(flags);
  if (given !== undefined) return sourced(given, 'flag', '--client-cert');
  const { clientCert, clientKey, clientKeyPassphraseCommand, clientCertOrigin } =
    known?.settings ?? {};
  if (known === undefined || clientCert === undefined) return undefined;
  const { profile, environment } = known;
  const stored = {
    cert: clientCert,
    key: clientKey ?? clientCert,
    passphraseCommand: clientKeyPassphraseCommand,
  };
  const origin = clientCertOrigin ?? known.url.origin;
  const certificate = unbind(
    { value: stored, origin },
    known,
    { url },
    {
      what: 'client certificate',
      verb: 'shown to',
      instead: 'Add --client-cert FILE for this address',
      again: `Set it for the new address: proc profile set ${inShell(profile)} -e ${inShell(environment)} clientCert=${inShell(clientCert)}`,
    },
  );
  return sourced(certificate, 'profile', `${profile}/${environment}`);
}

/** The file of further certificate authorities, and how errors name it. */
export interface AuthoritiesFile {
  readonly path: string;
  readonly name: string;
}

/**
 * `--ca-file`, or `PROC_CA_FILE`, or the setting of the environment, which holds only for the origin for which it
 * was stored.
 *
 * @throws ProcError `credential_origin`
 */
export function authoritiesOf(
  { flags, env }: Pick<Sources, 'flags' | 'env'>,
  { known, url }: Pick<Selection, 'known' | 'url'>,
): Sourced<AuthoritiesFile> | undefined {
  const given = authoritiesGiven({ flags, env });
  if (given !== undefined) return given;
  const { caFile, caFileOrigin } = known?.settings ?? {};
  if (known === undefined || caFile === undefined) return undefined;
  const { profile, environment } = known;
  const value = unbind(
    { value: caFile, origin: caFileOrigin ?? known.url.origin },
    known,
    { url },
    {
      what: 'caFile',
      verb: 'used for',
      instead: 'Add --ca-file FILE for this address',
      again: `Set it for the new address: proc profile set ${inShell(profile)} -e ${inShell(environment)} caFile=${inShell(caFile)}`,
    },
  );
  const place = `${profile}/${environment}`;
  return sourced({ path: value, name: `caFile of ${place}, ${value}` }, 'profile', place);
}

export function authoritiesGiven({
  flags: { caFile },
  env,
}: Pick<Sources, 'flags' | 'env'>): Sourced<AuthoritiesFile> | undefined {
  if (caFile !== undefined) {
    return sourced({ path: caFile, name: `--ca-file ${caFile}` }, 'flag', '--ca-file');
  }
  const { variable } = GLOBAL_FLAGS.caFile;
  const path = env[variable];
  return path ? sourced({ path, name: `${variable} ${path}` }, 'variable', variable) : undefined;
}

/**
 * Certificate authorities as PEM text.
 *
 * @throws ProcError `invalid_setting`
 */
export function readAuthorities({ path, name }: AuthoritiesFile, cwd: string): string {
  try {
    const text = readFileSync(resolve(cwd, path), 'utf8');
    // A check: TLS ignores an invalid certificate, and the connection would fail later.
    new X509Certificate(text);
    return text;
  } catch (thrown) {
    throw new ProcError('invalid_setting', whyUnreadable(name, thrown), {
      hint: 'Give a readable PEM file with a certificate.',
    });
  }
}

/** @throws ProcError `invalid_usage` for a key without its certificate */
export function certificateOfFlags({
  clientCert,
  clientKey,
}: TargetFlags): ClientCertificate | undefined {
  if (clientCert !== undefined) return { cert: clientCert, key: clientKey ?? clientCert };
  if (clientKey === undefined) return undefined;
  throw new ProcError('invalid_usage', '--client-key needs --client-cert', {
    hint: 'Give the certificate that the key belongs to: --client-cert FILE',
  });
}
