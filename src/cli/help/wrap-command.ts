const INDENT = '  ';

/**
 * A word of a command. A flag and its value count as one word: `-o json`, `--map 'name=Item name'`.
 */
const WORD = /(?:-\S+ (?![-|&]))?(?:[^\s'"]+|'[^']*'|"[^"]*")+/g;

/**
 * Breaks a long command between words. Broken lines end with a backslash, so a user can paste them
 * into a shell.
 */
export function wrapCommand(command: string, width: number): string[] {
  const lines: string[] = [];
  let line = INDENT;
  const words = command.match(WORD) ?? [];
  for (const word of words.flatMap((one) => fitting(one, width))) {
    const longer = line.trim() === '' ? line + word : `${line} ${word}`;
    if (longer.length > width - 2 && line.trim() !== '') {
      lines.push(`${line} \\`);
      line = `${INDENT}    ${word}`;
    } else line = longer;
  }
  return [...lines, line];
}

function fitting(word: string, width: number): string[] {
  if (!word.startsWith('-') || word.length + INDENT.length + 6 <= width) return [word];
  return word.split(/ (.*)/s).filter((part) => part !== '');
}
