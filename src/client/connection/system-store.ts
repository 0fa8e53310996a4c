import { readFileSync } from 'node:fs';
import type { Env } from '../../core/ports.ts';
import { nodeModule } from '../../core/process/node-module.ts';

/**
 * The authorities of the system, as PEM texts. Reading them takes 0.15 s on Linux and much longer on some
 * machines, so proc reads them only if it must. Includes `SSL_CERT_FILE`, which Node reads on Linux only.
 */
export function systemCertificates(env: Env): readonly string[] {
  return [...nodeModule('node:tls').getCACertificates('system'), ...certFile(env)];
}

function certFile({ SSL_CERT_FILE: file }: Env): readonly string[] {
  if (file === undefined || file === '') return [];
  try {
    return [readFileSync(file, 'utf8')];
  } catch {
    // As with OpenSSL, an unreadable file has no certificates. `proc doctor` reports it.
    return [];
  }
}
