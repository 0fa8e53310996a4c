import { statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import type * as z from 'zod/mini';
import { ProcError, systemCode, whyUnreadable } from '../core/errors.ts';
import type { Env } from '../core/io.ts';
import { JsonError, joinPath, locate, readJson } from '../core/text/strict-json.ts';
import { inShell } from '../core/text/typed.ts';
import { show } from '../core/validate.ts';
import { readRegularFile } from '../store/regular-file.ts';
import { isName, NAME_RULE } from './names.ts';
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

/** Errors name file, line and key, but no value: a value may be a secret. */
export function parseConfig(text: string, path: string): Config {
  let data: unknown;
  try {
    data = readJson(text.replace(/^\uFEFF/, ''));
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    const { line, column, isRounding, message } = thrown;
    const rounded = 'this number would be rounded; write it as text if its digits matter';
    throw unreadable(path, isRounding ? `line ${line}, column ${column}: ${rounded}` : message);
  }
  const result = CONFIG.safeParse(data);
  if (!result.success) {
    const issue = result.error.issues[0]!;
    const key = issue.path.reduce<string>((p, part) => joinPath(p, part as string | number), '');
    const at = key === '' ? undefined : locate(text.replace(/^\uFEFF/, ''), key);
    const line = at === undefined ? '' : `line ${at.line}: `;
    throw unreadable(path, `${line}${key === '' ? 'the file' : key} ${expected(issue)}`);
  }
  // The raw data, because zod silently drops a key named `__proto__`.
  for (const [profile, settings] of Object.entries((data as Config).profiles ?? {})) {
    const odd = [profile, ...Object.keys(settings.environments)].find((name) => !isName(name));
    if (odd !== undefined)
      throw unreadable(path, `${JSON.stringify(odd)} is not a valid name: ${NAME_RULE}`);
  }
  return result.data;
}

function unreadable(path: string, problem: string): ProcError {
  return new ProcError('config_unreadable', `${path}: ${problem}`, {
    hint: 'Fix the file, or move it aside and start over. proc has not changed it.',
  });
}

function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `has an unknown setting: ${issue.keys.map((key) => show(key)).join(', ')}`;
  if (issue.code === 'custom') return issue.message;
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'too_small') return 'must not be empty';
  return 'is invalid';
}
