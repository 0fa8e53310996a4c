import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { ProcError } from '../core/errors.ts';
import type { Env } from '../core/ports.ts';
import { inShell } from '../core/text/typed.ts';
import { homeDir } from '../settings/read/paths.ts';
import { createFolder } from '../store/folder.ts';
import { writeWholeFile } from '../store/whole-file.ts';
import type { Shell } from './scripts.ts';

export const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish', 'powershell'];

/** `content` is the whole new text of the file, even if only a line is added. */
export interface InstallStep {
  readonly file: string;
  /** In words: `the completion script`, or the line that is added. */
  readonly what: string;
  readonly content: string;
}

/** Marks the line that proc adds. A later installation replaces the marked line. */
const MARK = '# proc completion';

export function shellOf(env: Env): Shell | undefined {
  const name = env.SHELL?.split('/').at(-1);
  if (name === 'bash' || name === 'zsh' || name === 'fish') return name;
  return name === 'pwsh' || (name === undefined && env.PSModulePath !== undefined)
    ? 'powershell'
    : undefined;
}

/**
 * The files to write for completion in a new shell. Empty if completion is installed.
 *
 * @throws ProcError `unreadable_file` if a start-up file cannot be read
 */
export function installSteps(shell: Shell, script: string, env: Env): readonly InstallStep[] {
  const { file, startUp, line } = placesOf(shell, env);
  const steps: InstallStep[] = [];
  if (contentOf(file) !== script) {
    steps.push({ file, what: 'the completion script', content: script });
  }
  if (startUp !== undefined && line !== undefined) {
    const before = contentOf(startUp) ?? '';
    const marked = `${line} ${MARK}`;
    const kept = before.split('\n').filter((one) => !one.endsWith(MARK) || one === marked);
    if (!kept.includes(marked)) {
      const text = kept.join('\n');
      const content = `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${marked}\n`;
      steps.push({ file: startUp, what: `the line: ${marked}`, content });
    }
  }
  return steps;
}

/**
 * A start-up file keeps its mode. If the file is a link, proc writes its target.
 *
 * @throws ProcError `unwritable_output`
 */
export function applySteps(steps: readonly InstallStep[]): void {
  for (const { file, content } of steps) {
    const exists = existsSync(file);
    const target = exists ? realpathSync(file) : file;
    try {
      if (!exists) createFolder(dirname(file));
      writeWholeFile(target, content, exists ? statSync(target).mode : undefined);
    } catch (thrown) {
      throw new ProcError('unwritable_output', `cannot write ${file}`, {
        hint: 'Print the script and save it yourself: proc completion SHELL',
        cause: thrown,
      });
    }
  }
}

interface Places {
  readonly file: string;
  /** The start-up file, to which `line` is added. Undefined if the shell finds `file` itself. */
  readonly startUp?: string;
  readonly line?: string;
}

function placesOf(shell: Shell, env: Env): Places {
  const home = homeDir(env);
  const data = absolute(env.XDG_DATA_HOME) ?? join(home, '.local', 'share');
  const config = absolute(env.XDG_CONFIG_HOME) ?? join(home, '.config');
  switch (shell) {
    case 'bash': {
      // bash-completion finds the script here by itself. Without bash-completion, the line loads
      // the script.
      const file = join(data, 'bash-completion', 'completions', 'proc');
      // On macOS a terminal starts login shells, which do not read .bashrc.
      const startUp = join(home, platform() === 'darwin' ? '.bash_profile' : '.bashrc');
      return { file, startUp, line: `[ -r ${inShell(file)} ] && . ${inShell(file)}` };
    }
    case 'zsh': {
      const file = join(data, 'proc', '_proc');
      const startUp = join(absolute(env.ZDOTDIR) ?? home, '.zshrc');
      const load = '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }';
      return { file, startUp, line: `${load}; source ${inShell(file)}` };
    }
    case 'fish':
      return { file: join(config, 'fish', 'completions', 'proc.fish') };
    case 'powershell': {
      const isWindows = platform() === 'win32';
      const file = join(data, 'proc', 'proc.ps1');
      const folder = isWindows ? join(home, 'Documents', 'PowerShell') : join(config, 'powershell');
      const startUp = join(folder, 'Microsoft.PowerShell_profile.ps1');
      return { file, startUp, line: `. '${file.replaceAll("'", "''")}'` };
    }
  }
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

function contentOf(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new ProcError('unreadable_file', `cannot read ${file}`, {
      hint: 'Check its permissions, or install the script yourself: proc completion SHELL',
      cause: thrown,
    });
  }
}
