const INDENT = '  ';

/** Words of a shell. A flag and its value count as one word, and a quoted space does not end a word. */
const WORD = /(?:-\S+ (?![-|&]))?(?:[^\s'"]+|'[^']*'|"[^"]*")+/g;

/**
 * Wraps a command to copy, with a backslash between words, so that the terminal does not break it inside a
 * word and a shell still reads it as one line.
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

/** Separates a flag from its value if together they are longer than a line. */
function fitting(word: string, width: number): string[] {
  if (!word.startsWith('-') || word.length + INDENT.length + 6 <= width) return [word];
  return word.split(/ (.*)/s).filter((part) => part !== '');
}
