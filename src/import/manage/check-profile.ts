import type { SelfPort } from '../../core/ports.ts';
import { readConfig } from '../../settings/read/config-file.ts';
import {
  environmentNames,
  environmentNotFound,
  hasProfile,
  profileNotFound,
} from '../../settings/read/lookup.ts';

/**
 * Refuses an unknown `--profile`, and an unknown `--env` of that profile. For commands that contact
 * no service.
 *
 * @throws ProcError `profile_not_found`, `environment_not_found`
 */
export function checkProfile({ flags, env }: Pick<SelfPort, 'flags' | 'env'>): void {
  const name = flags.profile;
  if (name === undefined) return;
  const config = readConfig(env);
  if (!hasProfile(config, name)) throw profileNotFound(config, name, '--profile');
  const environment = flags.env;
  if (environment === undefined || environmentNames(config, name).includes(environment)) return;
  throw environmentNotFound(config, name, environment, '--env');
}
