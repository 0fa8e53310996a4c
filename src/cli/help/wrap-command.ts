const INDENT = '  ';

/** Words of a shell. A flag and its value count as one word, and a quoted space does not end a word. */
const WORD = /(?:-\S+ (?![-|&]))?(?:[^\s'"]+|'[^']*'|"[^"]*")+/g;

/**
 * Breaks a command between words, with a backslash at the end of each line. A user can copy the lines to a shell, and
 * the terminal does not break a word.
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
