import { statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import type * as z from 'zod/mini';
import { ProcError, systemCode, whyUnreadable } from '../core/errors.ts';
import type { Env } from '../core/io.ts';
import { JsonError, joinPath, readJson } from '../core/text/strict-json.ts';
import { inShell } from '../core/text/typed.ts';
import { show } from '../core/validate.ts';
import { readRegularFile } from '../store/regular-file.ts';
import { NAME_RULE } from './names.ts';
import { configFile } from './paths.ts';
import { CONFIG, type Config } from './settings.ts';

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
