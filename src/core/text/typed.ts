function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * A word of a command that people type or paste, quoted for POSIX shells and zsh if needed. Every value in
 * such a command must be quoted by this function, because the value may come from a service.
 */
export function inShell(word: string | number): string {
  const text = String(word);
  // zsh reads a word that begins with "=" as the path of a program.
  return /^(?!=)[\w@%+=:,./-]+$/.test(text) ? text : singleQuoted(text);
}

/**
 * The typed command line with further flags, ready to be typed again.
 *
 * @param typed words after `proc`
 * @param without flags that take a value and are left out: `--on-existing`
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
