import { dirname, join, resolve } from 'node:path';
import { messageOf, ProcError, systemCode } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { nearest } from '../../core/text/nearest.ts';
import { JsonError, readJson } from '../../core/text/strict-json.ts';
import { readRegularFile } from '../../store/regular-file.ts';
import { PREFERENCES, type PreferenceKey } from '../keys.ts';
import { homeDir } from './paths.ts';

const PROJECT_FILE = '.proc.json';

const KEYS = (Object.keys(PREFERENCES) as readonly PreferenceKey[]).filter(
  (key) => PREFERENCES[key].inProject,
);

/**
 * A project file can select a profile and an environment. It cannot set an address or a key.
 */
export type ProjectFile = { readonly path: string } & {
  readonly [K in PreferenceKey]?: string | undefined;
};

/** Finds the nearest `.proc.json`, from `cwd` up to the home folder or the root. */
export function findProjectFile(cwd: string, env: Env): ProjectFile | undefined {
  const home = resolve(homeDir(env));
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, PROJECT_FILE);
    try {
      return parse(readRegularFile(path).text, path);
    } catch (thrown) {
      if (thrown instanceof ProcError) throw thrown;
      const code = systemCode(thrown);
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw unreadable(path, messageOf(thrown));
    }
    if (folder === home || folder === dirname(folder)) return undefined;
  }
}

function parse(text: string, path: string): ProjectFile {
  let data: unknown;
  try {
    data = readJson(text.replace(/^\uFEFF/, ''));
  } catch (thrown) {
    if (thrown instanceof JsonError) throw unreadable(path, thrown.message);
    throw thrown;
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw unreadable(path, 'it must be an object, e.g. {"profile": "acme"}');
  }
  const values: { [K in PreferenceKey]?: string | undefined } = {};
  for (const [key, value] of Object.entries(data)) {
    if (key === '$schema') continue;
    const known = KEYS.find((one) => one === key);
    if (known === undefined) throw unknownKey(key, path);
    if (typeof value !== 'string') {
      throw new ProcError('invalid_setting', `${path}: "${key}" must be a string`);
    }
    values[known] = value === '' ? undefined : value;
  }
  return { path, ...values };
}

function unreadable(path: string, problem: string): ProcError {
  return new ProcError('config_unreadable', `${path}: ${problem}`, {
    hint: 'Fix or remove the file',
  });
}

/** An error and not a warning, because a misspelt "profile" would send requests elsewhere. */
function unknownKey(key: string, path: string): ProcError {
  if (/key|token|secret|passw|credential/i.test(key)) {
    return new ProcError('invalid_setting', `${path}: "${key}" looks like a secret`, {
      hint: 'Remove it: a project file is shared and must not contain secrets. Store the key instead: proc auth login',
    });
  }
  const near = nearest(key, KEYS);
  return new ProcError('invalid_setting', `${path}: unknown key "${key}"`, {
    hint: near === undefined ? `Use one of: ${KEYS.join(', ')}` : `Did you mean "${near}"?`,
  });
}
