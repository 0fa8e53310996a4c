import { statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import type * as z from 'zod/mini';
import { ProcError, systemCode, whyUnreadable } from '../core/errors.ts';
import type { Env } from '../core/io.ts';
import { JsonError, joinPath, readJson } from '../core/json.ts';
import { show } from '../core/validate.ts';
import { inShell, nearest } from '../core/wording.ts';
import { configFile } from '../store/folder.ts';
import { readRegularFile } from '../store/whole-file.ts';
import {
  CONFIG,
  type Config,
  type EnvironmentSettings,
  NAME,
  type ProfileSettings,
} from './settings.ts';

/**
 * A missing file counts as empty. Reads without the library `conf`, because loading `conf` would slow
 * down every command.
 *
 * @throws ProcError `config_unreadable`, `config_insecure`
 */
export function readConfig(env: Env): Config {
  const path = configFile(env);
  try {
    const { text, stats } = readRegularFile(path);
    const config = parseConfig(text, path);
    if (platform() !== 'win32') checkPrivacy(path, stats.mode, config);
    return config;
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return {};
    if (thrown instanceof ProcError) throw thrown;
    throw new ProcError('config_unreadable', whyUnreadable(path, thrown), {
      hint: 'Check what it is and who owns it, or set PROC_CONFIG_DIR to another folder',
      cause: thrown,
    });
  }
}

/** Nobody else may read a secret, or change a command, which proc would run. */
function checkPrivacy(path: string, mode: number, config: Config): void {
  const isPrivate = Object.values(config.profiles ?? {})
    .flatMap(({ environments }) => Object.values(environments))
    .some(({ credential, credentialCommand }) => (credential ?? credentialCommand) !== undefined);
  if (!isPrivate) return;
  const folder = dirname(path);
  const insecure = (problem: string, fix: string) =>
    new ProcError('config_insecure', `${path} has a secret or a command, ${problem}`, {
      hint: fix,
    });
  if ((mode & 0o077) !== 0) {
    throw insecure('and others can read or write it', `chmod 600 ${inShell(path)}`);
  }
  if ((statSync(folder).mode & 0o022) !== 0) {
    throw insecure('and others can write to its folder', `chmod 700 ${inShell(folder)}`);
  }
}

/** Errors name file, place and key, but no value: a value may be a secret. */
export function parseConfig(text: string, path: string): Config {
  let data: unknown;
  try {
    data = readJson(text.replace(/^\uFEFF/, ''));
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    const mistake = thrown.isRounding ? 'the number would be rounded' : thrown.mistake;
    throw unreadable(path, `line ${thrown.line}, column ${thrown.column}: ${mistake}`);
  }
  const { data: config, error } = CONFIG.safeParse(data);
  if (error !== undefined) {
    const issue = error.issues[0]!;
    const key = issue.path.reduce<string>((p, part) => joinPath(p, part as string | number), '');
    throw unreadable(path, `${key || 'the file'} ${expected(issue)}`);
  }
  return config;
}

function unreadable(path: string, problem: string): ProcError {
  return new ProcError('config_unreadable', `${path}: ${problem}`, {
    hint: 'Fix the file, or move it aside and start over. proc has not changed it.',
  });
}

function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `has an unknown setting: ${issue.keys.map((key) => show(key)).join(', ')}`;
  if (issue.code === 'invalid_key') return `is not a valid name: ${NAME_RULE}`;
  if (issue.code === 'custom') return `must be ${issue.message}`;
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'too_small') return 'must not be empty';
  return 'is invalid';
}

const NAME_RULE =
  'a name starts with a letter or digit, contains only letters, digits, ".", "_" and "-", and has at most 64 characters';

function isName(text: string): boolean {
  return NAME.test(text);
}

/**
 * Checks a new name. Normalizes Unicode, so that names that look equal are equal.
 *
 * @param where the flag or variable that has it
 */
export function newName(
  text: string,
  what: 'profile' | 'environment' | 'organization' | 'snapshot',
  where?: string,
): string {
  const name = text.normalize('NFC');
  if (!isName(name)) {
    const at = where === undefined ? '' : `${where}: `;
    throw new ProcError('invalid_usage', `${at}${show(text)} is not a valid ${what} name`, {
      hint: `Choose another: ${NAME_RULE}`,
    });
  }
  return name;
}

export function environmentNames(config: Config, profile: string): readonly string[] {
  return Object.keys(config.profiles?.[profile]?.environments ?? {});
}

export function profileNames(config: Config): readonly string[] {
  return Object.keys(config.profiles ?? {});
}

export function hasProfile(config: Config, name: string): boolean {
  // Not `in`, which also finds inherited keys: a profile may be named `constructor`.
  return Object.hasOwn(config.profiles ?? {}, name);
}

/** `acme -e staging`, as typed. After `-p` too. */
export function typedPlace(place: {
  readonly profile: string;
  readonly environment: string;
}): string {
  return `${inShell(place.profile)} -e ${inShell(place.environment)}`;
}

/** The environment that a profile uses if nothing names one. */
export function defaultEnvironment(config: Config, profile: string): string | undefined {
  const names = environmentNames(config, profile);
  const chosen = config.profiles?.[profile]?.defaultEnvironment;
  return chosen ?? (names.length === 1 ? names[0] : undefined);
}

/** @param place that has the name, e.g. `--profile` @throws ProcError `profile_not_found` */
export function storedProfile(config: Config, name: string, place?: string): ProfileSettings {
  if (hasProfile(config, name)) return config.profiles![name]!;
  const known = profileNames(config);
  const near = nearest(name, known);
  const guess = near === undefined ? '' : `Did you mean "${near}"? `;
  const message = `no profile is named ${show(name)}${place === undefined ? '' : ` (${place})`}`;
  throw new ProcError('profile_not_found', message, {
    hint: `${guess}List the profiles: proc profile list`,
    details: { profile: name, known },
  });
}

/** @param wanted default: that of the profile @throws ProcError `profile_not_found` */
export function storedEnvironment(
  config: Config,
  profile: string,
  wanted = defaultEnvironment(config, profile),
): { readonly name: string; readonly settings: EnvironmentSettings } {
  const { environments } = storedProfile(config, profile);
  if (wanted !== undefined && Object.hasOwn(environments, wanted))
    return { name: wanted, settings: environments[wanted]! };
  const known = Object.keys(environments);
  const [first] = known;
  const near = wanted === undefined ? undefined : nearest(wanted, known);
  const isUnnamed = wanted === undefined && first !== undefined;
  const says = isUnnamed
    ? 'several environments and none is selected'
    : `no environment ${wanted === undefined ? '' : show(wanted)}`.trimEnd();
  const hint = isUnnamed
    ? `Select one with -e, or set the default: proc profile use ${inShell(profile)} -e ${inShell(first)}`
    : near === undefined
      ? `Add one: proc profile add ${inShell(profile)} -e NAME --base-url URL`
      : `Did you mean "${near}"?`;
  throw new ProcError('profile_not_found', `profile "${profile}" has ${says}`, {
    hint: first === undefined ? hint : `Environments: ${known.join(', ')}. ${hint}`,
    details: { profile, environment: wanted, known },
  });
}
