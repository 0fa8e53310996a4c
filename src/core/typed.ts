/** Quoted for POSIX shells, where it needs to be. */
export function inShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * The command line that was typed, with further flags, ready to be typed again.
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
