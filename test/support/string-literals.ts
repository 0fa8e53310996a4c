/** After these, a slash begins a regular expression. Elsewhere it divides. */
const BEFORE_REGEX = /(?:^|[=(,:;[!&|?{}<>+\n]|\breturn|=>)\s*$/;

/** The string literals of a source file. In a template, `…` stands for each expression. */
export function stringLiterals(source: string): string[] {
  const found: string[] = [];
  /** For each open template: the text so far, and the number of open braces in the current expression. */
  const templates: { text: string; braces: number }[] = [];
  let at = 0;
  const readQuoted = (quote: string): void => {
    let text = '';
    for (at++; at < source.length && source[at] !== quote; at++) {
      if (source[at] === '\\') at++;
      text += source[at];
    }
    at++;
    found.push(text);
  };
  const readTemplate = (): void => {
    const open = templates.at(-1)!;
    for (; at < source.length; at++) {
      if (source[at] === '\\') open.text += source[++at];
      else if (source[at] === '`') {
        found.push(templates.pop()!.text);
        at++;
        return;
      } else if (source.startsWith('${', at)) {
        open.text += '…';
        at += 2;
        return;
      } else open.text += source[at];
    }
  };
  const skipRegex = (): void => {
    let inClass = false;
    for (at++; at < source.length && (inClass || source[at] !== '/'); at++) {
      if (source[at] === '\\') at++;
      else if (source[at] === '[') inClass = true;
      else if (source[at] === ']') inClass = false;
    }
    at++;
  };
  while (at < source.length) {
    const char = source[at]!;
    if (source.startsWith('//', at)) at = endOf(source, '\n', at);
    else if (source.startsWith('/*', at)) at = endOf(source, '*/', at + 2);
    else if (char === "'" || char === '"') readQuoted(char);
    else if (char === '`') {
      templates.push({ text: '', braces: 0 });
      at++;
      readTemplate();
    } else if (char === '/' && BEFORE_REGEX.test(source.slice(Math.max(0, at - 20), at))) {
      skipRegex();
    } else {
      const open = templates.at(-1);
      at++;
      if (open === undefined) continue;
      if (char === '{') open.braces++;
      else if (char === '}' && open.braces-- === 0) {
        open.braces = 0;
        readTemplate();
      }
    }
  }
  return found;
}

function endOf(source: string, mark: string, from: number): number {
  const found = source.indexOf(mark, from);
  return found < 0 ? source.length : found + mark.length;
}
