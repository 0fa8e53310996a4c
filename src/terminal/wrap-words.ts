/**
 * Characters of two columns: CJK, Hangul, full width, emoji. Listed here, so that errors are
 * printed without loading a library.
 */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;
const NO_COLUMN = /\p{M}|\u200d/gu;

function columnsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  const plain = text.replace(NO_COLUMN, '');
  return [...plain].length + (plain.match(WIDE)?.length ?? 0);
}

/**
 * Wraps a line at spaces; further lines begin with `indent` spaces. A long word, e.g. a URL or a
 * file name, is not broken.
 */
export function wrapWords(text: string, width: number, indent = 0): string[] {
  const lead = /^ */.exec(text)![0];
  if (columnsOf(text) <= width) return [text];
  const margin = ' '.repeat(indent);
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.slice(lead.length).split(' ')) {
    const longer: string = line === undefined ? `${lead}${word}` : `${line} ${word}`;
    if (line !== undefined && columnsOf(longer) > width) {
      lines.push(line.trimEnd());
      line = `${margin}${word}`;
    } else line = longer;
  }
  return [...lines, line ?? ''];
}

/**
 * Wraps text at words, but never breaks a command, which a person may copy. A command at the end of
 * a long line gets a line of its own.
 *
 * @param taken columns of the first line that are in use
 */
export function wrapText(text: string, width: number, taken = 0): string {
  return text
    .split('\n')
    .flatMap((line, index) => wrapLine(line, width, index === 0 ? taken : 0))
    .join('\n');
}

/** A command in a sentence, up to the next punctuation mark. */
const COMMAND = /(?<=: |then )proc (?:(?![;,.)](?:\s|$)).)*/gi;

function wrapLine(line: string, width: number, taken: number): string[] {
  if (/^ +proc /.test(line) || columnsOf(line) + taken <= width) return [line];
  const indent = /^ */.exec(line)![0].length;
  const gap = '\u0000'.repeat(taken);
  const wrapped = (part: string) =>
    wrapWords(`${gap}${part}`, width, indent).map((one) =>
      one.replaceAll('\u0000', '').replaceAll('\u0001', ' '),
    );
  const [command, ...others] = line.match(COMMAND) ?? [];
  if (command !== undefined && others.length === 0 && line.endsWith(`: ${command}`)) {
    return [...wrapped(line.slice(0, -command.length - 1)), `  ${command}`];
  }
  return wrapped(line.replace(COMMAND, (one) => one.replaceAll(' ', '\u0001')));
}
