import type { GlobalFlags } from '../global-flags.ts';

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Quotes a word for POSIX shells and zsh if needed. Use it for every value in a command to paste, because
 * values may come from a service.
 */
export function inShell(word: string | number): string {
  const text = String(word);
  // zsh reads a word that begins with "=" as the path of a program.
  return /^(?!=)[\w@%+=:,./-]+$/.test(text) ? text : singleQuoted(text);
}

/** The flags `-p` and `-e` for commands that proc suggests, if the user typed these flags. */
export function targetFlags({ profile, env }: Pick<GlobalFlags, 'profile' | 'env'>): string {
  const named = profile === undefined ? '' : ` -p ${inShell(profile)}`;
  return `${named}${env === undefined ? '' : ` -e ${inShell(env)}`}`;
}

/**
 * The typed command line with further flags.
 *
 * @param typed words after `proc`
 * @param without flags to omit together with their values: `--digest`
 */
export function typedAgain(
  typed: readonly string[],
  further: readonly string[],
  without: readonly string[] = [],
): string {
  const end = typed.includes('--') ? typed.indexOf('--') : typed.length;
  const flags = typed.slice(0, end);
  const kept = flags.filter((word, index) => {
    const [name = ''] = word.split('=', 1);
    return !without.includes(name) && !without.includes(flags[index - 1] ?? '');
  });
  return ['proc', ...kept, ...further, ...typed.slice(end)].map(inShell).join(' ');
}
