import type { Column, Row } from '../../../core/result.ts';
import { Secret } from '../../../core/secret.ts';
import { isLoopback } from '../../../core/service.ts';
import { storedEnvironment } from '../../config-file.ts';
import { shownCredential } from '../../resolve-target.ts';
import type { Config, EnvironmentSettings } from '../../settings.ts';

/** The columns of {@link environmentRow} in a table. */
export const ENVIRONMENT_COLUMNS: readonly Column[] = [
  { key: 'environment', header: 'ENVIRONMENT', priority: 3 },
  { key: 'baseUrl', header: 'BASE URL', priority: 2 },
  { key: 'credential', header: 'CREDENTIAL', priority: 2 },
  { key: 'protected', header: 'PROTECTED' },
  { key: 'readOnly', header: 'READ-ONLY' },
  { key: 'listNames', header: 'LIST NAMES' },
];

/** The settings of an environment, with the defaults of those that protect it. */
export function environmentRow(config: Config, profile: string, name: string): Row {
  const { settings } = storedEnvironment(config, profile, name);
  const { baseUrl, scheme: _, credentialCommand: __, ...rest } = settings;
  return {
    environment: name,
    baseUrl,
    ...rest,
    credential: storedCredential(settings),
    protected: settings.protected ?? !isLoopback(new URL(baseUrl).hostname),
    readOnly: settings.readOnly ?? false,
    listNames: settings.listNames ?? null,
  };
}

function storedCredential(settings: EnvironmentSettings): string | null {
  const { credential, credentialCommand, scheme = 'api-key' } = settings;
  if (credentialCommand !== undefined) return shownCredential({ scheme, ...credentialCommand });
  if (credential === undefined) return null;
  const shown = shownCredential({ scheme, secret: new Secret(credential.secret) });
  return `${shown} for ${credential.origin}`;
}

export function environmentResult(config: Config, profile: string, name: string) {
  const value = { profile, ...environmentRow(config, profile, name) };
  return { kind: 'record', value, idField: 'profile' } as const;
}
