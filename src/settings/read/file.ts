import { statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { messageOf, ProcError, systemCode } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { inShell } from '../../core/text/typed.ts';
import { readRegularFile } from '../../store/regular-file.ts';
import { type Config, parseConfig } from './config-schema.ts';
import { configFile } from './paths.ts';

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
    throw thrown instanceof ProcError ? thrown : cannotRead(path, thrown);
  }
}

function cannotRead(path: string, thrown: unknown): ProcError {
  const code = systemCode(thrown);
  const reason =
    code === 'EISDIR'
      ? 'it is a directory'
      : code === 'EACCES'
        ? 'permission denied'
        : messageOf(thrown);
  return new ProcError('config_unreadable', `cannot read ${path}: ${reason}`, {
    hint: 'Check who owns it, or set PROC_CONFIG_DIR to another folder',
    cause: thrown,
  });
}

/**
 * A file with a secret must be private. A file with a command, e.g. `credentialCommand`, must not
 * be writable by others: proc would run their command.
 */
function checkPrivacy(path: string, mode: number, config: Config): void {
  const environments = Object.values(config.profiles ?? {}).flatMap((profile) =>
    Object.values(profile.environments),
  );
  const hasSecret = environments.some((one) => one.credential !== undefined);
  const hasCommand = environments.some(
    (one) => (one.credentialCommand ?? one.clientKeyPassphraseCommand) !== undefined,
  );
  if (!hasSecret && !hasCommand) return;
  const holds = hasSecret ? 'contains a secret' : 'contains a command';
  if ((mode & (hasSecret ? 0o077 : 0o022)) !== 0) {
    const others = (mode & 0o022) !== 0 ? 'written' : 'read';
    throw insecure(`${path} ${holds} and can be ${others} by others`, `chmod 600 ${inShell(path)}`);
  }
  const folder = dirname(path);
  if ((statSync(folder).mode & 0o022) !== 0) {
    throw insecure(
      `${path} ${holds} and others can write to its folder`,
      `chmod 700 ${inShell(folder)}`,
    );
  }
}

function insecure(message: string, hint: string): ProcError {
  return new ProcError('config_insecure', message, { hint });
}
