import { existsSync } from 'node:fs';
import type { TransportOptions } from '../../client/connection/connect-options.ts';
import type { Transport } from '../../client/connection/transport.ts';
import { changingIfUntrusted } from '../../client/connection/untrusted.ts';
import type { Env, Say } from '../../core/ports.ts';
import { systemOriginsFile } from '../../settings/read/paths.ts';

export interface TrustPorts {
  readonly env: Env;
  /** In a preview, nothing is written to the state folder. */
  readonly isPreview: boolean;
  readonly verbose: boolean;
  readonly say: Say;
}

/**
 * Reading the system's certificates is slow. So proc reads them only if the connection fails
 * without them, or if an earlier command needed them.
 */
export async function openTrustedTransport(
  options: TransportOptions,
  open: (options: TransportOptions) => Promise<Transport>,
  { env, isPreview, verbose, say }: TrustPorts,
): Promise<Transport> {
  const { origin, ca = [] } = options;
  const isNeeded = await isSystemNeeded(origin, env);
  const openWithSystem = async (): Promise<Transport> => {
    const { needsSystem, noteOrigin } = await import('./system-certificates.ts');
    const { systemCertificates } = await import('../../client/connection/system-store.ts');
    let isNoted = isPreview;
    let isHelping = false;
    return open({
      ...options,
      ca: [...ca, ...systemCertificates(env)],
      // A connection verifies first the proxy, then the service. Either may need the system's
      // certificates.
      onVerified(certificate, of) {
        if (isNoted) return;
        isHelping ||= needsSystem(certificate, ca);
        if (of === 'proxy') return;
        isNoted = true;
        noteOrigin(origin, isHelping, env);
      },
    });
  };
  if (isNeeded) {
    return changingIfUntrusted(await openWithSystem(), async () => {
      const { noteOrigin } = await import('./system-certificates.ts');
      if (!isPreview) noteOrigin(origin, false, env);
      return undefined;
    });
  }
  return changingIfUntrusted(await open(options), () => {
    if (verbose) {
      const text = `the certificate of ${origin}, or of the proxy, is from an unknown authority; trying the certificate store of the system`;
      say({ kind: 'notice', text });
    }
    return openWithSystem();
  });
}

/** Loads `system-certificates.ts` only if the file of origins exists. Most users do not have the file. */
async function isSystemNeeded(origin: string, env: Env): Promise<boolean> {
  try {
    if (!existsSync(systemOriginsFile(env))) return false;
  } catch {
    // Thrown if the state folder belongs to another user.
    return false;
  }
  const { systemOrigins } = await import('./system-certificates.ts');
  return systemOrigins(env).includes(origin);
}
