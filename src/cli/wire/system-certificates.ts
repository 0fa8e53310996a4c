import { dirname } from 'node:path';
import type { DetailedPeerCertificate } from 'node:tls';
import type { Env } from '../../core/ports.ts';
import { nodeModule } from '../../core/process/node-module.ts';
import { systemOriginsFile } from '../../settings/read/paths.ts';
import { createFolder } from '../../store/folder.ts';
import { readRegularFile } from '../../store/regular-file.ts';
import { PRIVATE, writeWholeFile } from '../../store/whole-file.ts';

const MOST_ORIGINS = 50;

/**
 * Whether a certificate is from an authority that neither Node nor `ca` knows.
 *
 * @param ca the authorities of `--ca-file`, as PEM
 */
export function needsSystem(certificate: DetailedPeerCertificate, ca: readonly string[]): boolean {
  const known = [...nodeModule('node:tls').getCACertificates('default'), ...ca];
  const root = rootOf(certificate).raw.toString('base64');
  return !known.some((pem) => pem.replace(/\s/g, '').includes(root));
}

export function noteOrigin(origin: string, isNeeded: boolean, env: Env): void {
  const all = systemOrigins(env);
  if (all.includes(origin) === isNeeded) return;
  const others = all.filter((one) => one !== origin).slice(0, MOST_ORIGINS - 1);
  try {
    const path = systemOriginsFile(env);
    createFolder(dirname(path));
    const text = JSON.stringify(isNeeded ? [origin, ...others] : others);
    writeWholeFile(path, `${text}\n`, PRIVATE, false);
  } catch {
    // Without the file, the next command only takes longer.
  }
}

export function systemOrigins(env: Env): readonly string[] {
  try {
    const value: unknown = JSON.parse(readRegularFile(systemOriginsFile(env)).text);
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

function rootOf(certificate: DetailedPeerCertificate): DetailedPeerCertificate {
  let root = certificate;
  while (root.issuerCertificate !== undefined && root.issuerCertificate !== root) {
    root = root.issuerCertificate;
  }
  return root;
}
