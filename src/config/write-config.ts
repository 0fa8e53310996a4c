import { constants } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';
import type { Env } from '../core/io.ts';
import type { Credential } from '../core/secret.ts';
import { systemClock } from '../core/time.ts';
import { lockWithin } from '../store/database.ts';
import { configFile, createFolder } from '../store/folder.ts';
import { parseBaseUrl } from './addresses.ts';
import {
  hasProfile,
  newName,
  parseConfig,
  readConfig,
  storedEnvironment,
  typedPlace,
} from './config-file.ts';
import type { Config, EnvironmentSettings } from './settings.ts';

const LOCK_WAIT_MS = 5_000;
const LOOK_AGAIN_MS = 15;
const SIGNALS = Object.keys(constants.signals) as NodeJS.Signals[];

/**
 * Changes the configuration file under a lock, so that concurrent changes are not lost.
 *
 * @throws ProcError the errors of `readConfig` and of the change, with the file unchanged; `state_unwritable` if
 * the file cannot be written or another process holds its lock
 */
export async function updateConfig(
  env: Env,
  change: (draft: Config) => void,
  waitMs = LOCK_WAIT_MS,
): Promise<Config> {
  const path = configFile(env);
  // A refused change creates no file.
  change(readConfig(env));
  try {
    createFolder(dirname(path));
    const lockFile = join(dirname(path), `.${basename(path)}.lock`);
    const lock = await lockWithin(lockFile, waitMs, { clock: systemClock, everyMs: LOOK_AGAIN_MS });
    if (lock === undefined) {
      throw new ProcError('state_unwritable', `another process holds ${lockFile}`, {
        hint: `Wait for it to finish. If no proc is running, delete ${lockFile}`,
      });
    }
    try {
      // Who may read the file is checked before conf opens it.
      readConfig(env);
      const conf = await openConf(path);
      const draft = conf.store;
      change(draft);
      conf.store = draft;
      return draft;
    } finally {
      lock.release();
    }
  } catch (thrown) {
    if (thrown instanceof ProcError || systemCode(thrown) === undefined) throw thrown;
    throw new ProcError('state_unwritable', `cannot write ${path}: ${messageOf(thrown)}`, {
      hint: 'Check who owns its folder, or set PROC_CONFIG_DIR to another folder',
      cause: thrown,
    });
  }
}

/** conf owns the file: its place, format and atomic write, and no content that is invalid. */
async function openConf(path: string) {
  const before = SIGNALS.map((signal) => process.listeners(signal));
  const { default: Conf } = await import('conf');
  // Its listeners send a signal again, and a second signal ends proc at once.
  for (const [index, signal] of SIGNALS.entries()) {
    const added = process.listeners(signal).filter((one) => !before[index]!.includes(one));
    for (const listener of added) process.off(signal, listener);
  }
  return new Conf<Config>({
    ...{ cwd: dirname(path), configName: 'config', configFileMode: 0o600 },
    ...{ projectName: 'proc', projectVersion: '1.0.0' },
    ...{ accessPropertiesByDotNotation: false, clearInvalidConfig: false },
    deserialize: (text) => parseConfig(text, path),
    serialize: (config) => {
      const text = JSON.stringify(config, undefined, '\t');
      parseConfig(text, path);
      return text;
    },
  });
}

interface Place {
  readonly profile: string;
  readonly environment: string;
}

/** @returns true if the profile is the first and has become the current profile */
export function addEnvironment(
  draft: Config,
  place: Place,
  settings: EnvironmentSettings,
  credential: Credential | undefined,
): boolean {
  const profile = newName(place.profile, 'profile');
  const environment = newName(place.environment, 'environment');
  draft.profiles ??= {};
  const isFirst = Object.keys(draft.profiles).length === 0 && draft.profile === undefined;
  if (!hasProfile(draft, profile)) draft.profiles[profile] = { environments: {} };
  const { environments } = draft.profiles[profile]!;
  if (Object.hasOwn(environments, environment)) {
    throw new ProcError('invalid_usage', `${profile}/${environment} already exists`, {
      hint: `Change it: proc profile set ${typedPlace({ profile, environment })} baseUrl=URL`,
    });
  }
  environments[environment] = settings;
  if (credential !== undefined) storeCredential(draft, { profile, environment }, credential);
  if (isFirst) draft.profile = profile;
  return isFirst;
}

/** Stores a key for the address of the environment. It is sent nowhere else. */
export function storeCredential(draft: Config, place: Place, credential: Credential): void {
  const { settings } = storedEnvironment(draft, place.profile, place.environment);
  refuseCommandBeside(settings, place);
  const { scheme, secret } = credential;
  const { origin } = parseBaseUrl(settings.baseUrl, 'base-url');
  settings.credential = { secret: secret.reveal(), origin };
  if (scheme === 'bearer') settings.scheme = scheme;
  else delete settings.scheme;
}

export function refuseCommandBeside(settings: EnvironmentSettings, place: Place): void {
  if (settings.credentialCommand === undefined) return;
  const message = `${place.profile}/${place.environment} gets its credential from a credentialCommand`;
  throw new ProcError('invalid_setting', message, {
    hint: `Remove it first: proc profile set ${typedPlace(place)} credentialCommand=`,
  });
}
