import { resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { SelfPort } from '../../core/ports.ts';
import { certificateOfFlags } from '../credential/certificate-setting.ts';
import { openCertificateFiles } from '../credential/client-certificate.ts';
import { parseBaseUrl } from '../read/base-url.ts';
import type { EnvironmentSettings } from '../read/config-schema.ts';

/**
 * Call it after a change of certificate settings. Checks the files of the certificate and binds it
 * to the environment's origin. If the certificate was removed, removes its other settings.
 *
 * @throws ProcError `invalid_usage`, `invalid_setting`, `config_insecure`
 */
export function bindCertificate(settings: EnvironmentSettings, cwd: string, now: number): void {
  const { clientCert, clientKey, clientKeyPassphraseCommand } = settings;
  if (clientCert === undefined) {
    const isRemoved = settings.clientCertOrigin !== undefined;
    if (!isRemoved && (clientKey ?? clientKeyPassphraseCommand) !== undefined) {
      throw new ProcError('invalid_usage', 'clientKey needs clientCert', {
        hint: 'Give both: clientCert=FILE clientKey=FILE',
      });
    }
    delete settings.clientKey;
    delete settings.clientKeyPassphraseCommand;
    delete settings.clientCertOrigin;
    return;
  }
  openCertificateFiles({ cert: clientCert, key: clientKey ?? clientCert }, cwd, now);
  settings.clientCertOrigin = parseBaseUrl(settings.baseUrl, 'base-url').origin;
}

export function storeCertificateOfFlags(
  settings: EnvironmentSettings,
  { flags, cwd, clock }: Pick<SelfPort, 'flags' | 'cwd' | 'clock'>,
): void {
  const given = certificateOfFlags(flags);
  if (given === undefined) return;
  settings.clientCert = resolve(cwd, given.cert);
  if (given.key !== given.cert) settings.clientKey = resolve(cwd, given.key);
  bindCertificate(settings, cwd, clock.now());
}
