import type { CommandTree } from '../core/command-tree.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { modelOf } from './model.ts';
import { powershellScript } from './powershell.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
} as const;

export type Shell = keyof typeof SCRIPTS;

export const SHELLS = Object.keys(SCRIPTS) as readonly Shell[];

/** The name of a shell's script in `completions/`. */
export const FILE_NAMES: Readonly<Record<Shell, string>> = {
  bash: 'proc.bash',
  zsh: '_proc',
  fish: 'proc.fish',
  powershell: 'proc.ps1',
};

/** The script that makes a shell complete the words of proc. */
export function completionScript(shell: Shell, tree: CommandTree): string {
  return SCRIPTS[shell](modelOf(tree));
}
