import type { Ports } from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import { FULL_ACCESS } from '../../../core/service/access.ts';
import { Secret } from '../../../core/service/secret.ts';
import { fingerprint } from '../../credential/clean-secret.ts';
import { parseBaseUrl } from '../../read/base-url.ts';
import { SANDBOX_PROFILE, sandboxUrl } from '../../read/built-in.ts';
import type { Config, EnvironmentSettings } from '../../read/config-schema.ts';
import { environmentNames } from '../../read/lookup.ts';
import { storedEnvironment } from '../../write/edits.ts';

/** The environment that a profile uses if nothing names one. Null if there is no default. */
export function defaultOf(config: Config, profile: string): string | null {
  const names = environmentNames(config, profile);
  const stored = profile === SANDBOX_PROFILE ? undefined : config.profiles?.[profile];
  return stored?.defaultEnvironment ?? (names.length === 1 ? names[0]! : null);
}

export function environmentResult(
  config: Config,
  profile: string,
  name: string,
  ports: Ports<'self'>,
) {
  const value = { profile, ...environmentRow(config, profile, name, ports) };
  return { kind: 'record', value, idField: 'profile' } as const;
}

export function environmentRow(
  config: Config,
  profile: string,
  name: string,
  ports: Ports<'self'>,
): Row {
  if (profile === SANDBOX_PROFILE) {
    const baseUrl = sandboxUrl(ports.self.env).href;
    const credential = 'api-key (public)';
    const settings = { protected: false, access: FULL_ACCESS.level, dialect: null };
    return { environment: name, baseUrl, credential, ...settings };
  }
  const { settings } = storedEnvironment(config, profile, name);
  const url = parseBaseUrl(settings.baseUrl, `baseUrl of ${profile}/${name}`);
  return {
    environment: name,
    baseUrl: url.href,
    credential: credentialText(settings),
    protected: settings.protected ?? !url.isLoopback,
    access: settings.access ?? FULL_ACCESS.level,
    dialect: settings.dialect ?? null,
    ...(settings.allowHttp === undefined ? {} : { allowHttp: settings.allowHttp }),
    ...(settings.settle === undefined ? {} : { settle: settings.settle }),
    ...certificateFields(settings),
  };
}

function certificateFields(settings: EnvironmentSettings): Row {
  const { clientCert, clientKey = clientCert, clientCertOrigin } = settings;
  return clientCert === undefined ? {} : { clientCert, clientKey, clientCertOrigin };
}

function credentialText({ credential, credentialCommand }: EnvironmentSettings): string | null {
  if (credentialCommand !== undefined) return `command ${credentialCommand[0]}`;
  if (credential === undefined) return null;
  return `${credential.scheme} ${fingerprint(new Secret(credential.secret))} for ${credential.origin}`;
}
