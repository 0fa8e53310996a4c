import { readFileSync } from 'node:fs';
import type { Env } from '../../core/ports.ts';
import { nodeModule } from '../../core/process/node-module.ts';

/**
 * The certificate authorities of the system and of `SSL_CERT_FILE`, as PEM texts. On macOS and Windows,
 * Node's list for the system does not include `SSL_CERT_FILE`.
 * Reading takes 0.15 s on Linux, and much longer on some machines.
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
