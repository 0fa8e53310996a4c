const INDENT = '  ';

/** Words of a shell, a flag together with its value: a space in quotes does not end one. */
const WORD = /(?:-\S+ (?![-|&]))?(?:[^\s'"]+|'[^']*'|"[^"]*")+/g;

/**
 * A command to copy, cut between its words by a backslash, so that a terminal does not cut it inside one
 * and a shell still takes it as one line.
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

/** A flag and its value, apart if they are wider than a line together. */
function fitting(word: string, width: number): string[] {
  if (!word.startsWith('-') || word.length + INDENT.length + 6 <= width) return [word];
  return word.split(/ (.*)/s).filter((part) => part !== '');
}
