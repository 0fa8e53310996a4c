import { readFileSync } from 'node:fs';
import type { Env } from '../../core/ports.ts';
import { nodeModule } from '../../core/process/node-module.ts';

/**
 * The certificate authorities of the system, as PEM texts, with those of `SSL_CERT_FILE`, which Node reads
 * only on Linux. Reading all this takes 0.15 s on Linux and much longer on some machines, so proc does it
 * only if it must.
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
