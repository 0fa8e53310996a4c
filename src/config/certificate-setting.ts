import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProcError, whyUnreadable } from '../core/errors.ts';
import type { Env } from '../core/ports.ts';
import { inShell } from '../core/text/typed.ts';
import { unbind } from './credential.ts';
import type { Selection } from './select-target.ts';

const VARIABLE = 'PROC_CA_FILE';

/** The file of further certificate authorities, and how errors name it. */
export interface AuthoritiesFile {
  readonly path: string;
  readonly name: string;
}

/**
 * `PROC_CA_FILE`, or the setting of the environment, which holds only for the origin for which it
 * was stored.
 *
 * @throws ProcError `credential_origin`
 */
export function authoritiesOf(
  env: Env,
  { known, url }: Pick<Selection, 'known' | 'url'>,
): AuthoritiesFile | undefined {
  const given = authoritiesGiven(env);
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
      instead: 'Set PROC_CA_FILE for this address',
      again: `Set it for the new address: proc profile set ${inShell(profile)} -e ${inShell(environment)} caFile=${inShell(caFile)}`,
    },
  );
  const place = `${profile}/${environment}`;
  return { path: value, name: `caFile of ${place}, ${value}` };
}

export function authoritiesGiven(env: Env): AuthoritiesFile | undefined {
  const path = env[VARIABLE];
  return path ? { path, name: `${VARIABLE} ${path}` } : undefined;
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
