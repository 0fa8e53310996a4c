import { ProcError } from '../../core/errors.ts';
import type { ClientCertificate } from '../../core/service-target.ts';
import { inShell } from '../../core/text/typed.ts';
import type { Selection, Sources, TargetFlags } from '../read/select-target.ts';
import { type Sourced, sourced } from '../read/setting-origin.ts';
import { unbind } from './bound.ts';

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
      verb: 'shown',
      instead: 'Add --client-cert FILE for this address',
      again: `Set it for the new address: proc profile set ${inShell(profile)} -e ${inShell(environment)} clientCert=${inShell(clientCert)}`,
    },
  );
  return sourced(certificate, 'profile', `${profile}/${environment}`);
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
