import { readFile } from 'node:fs/promises';

const FILES = {
  bash: 'proc.bash',
  zsh: '_proc',
  fish: 'proc.fish',
  powershell: 'proc.ps1',
} as const;

export type Shell = keyof typeof FILES;

/**
 * The build replaces this file with the result of the function: the completion script of each
 * shell.
 */
export async function completionScripts(): Promise<Readonly<Record<Shell, string>>> {
  const texts = Object.entries(FILES).map(async ([shell, file]) => [
    shell,
    await readFile(new URL(`../../completions/${file}`, import.meta.url), 'utf8'),
  ]);
  return Object.fromEntries(await Promise.all(texts)) as Record<Shell, string>;
}
