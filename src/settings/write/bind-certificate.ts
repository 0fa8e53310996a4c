import { ProcError } from '../../core/errors.ts';
import { openCertificateFiles } from '../credential/client-certificate.ts';
import { parseBaseUrl } from '../read/base-url.ts';
import type { EnvironmentSettings } from '../read/config-schema.ts';

/**
 * After settings of a client certificate were changed: checks its files, and binds it to the address of the
 * environment. If the certificate was removed, removes its other settings.
 *
 * @throws ProcError
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
