import { wrapWords } from './wrap-words.ts';

/** Columns that a description needs beside its term, unless the term takes no more than a third. */
const BESIDE = 40;

interface Block {
  readonly lead: number;
  readonly term: string | undefined;
  /** Where its text begins. */
  readonly column: number;
  text: string;
}

/**
 * A page that is laid out by hand, in paragraphs and in rows of a term with its description, cut anew
 * where a line of it is wider than `width`. What was cut by hand is put together first.
 */
export function wrapPage(page: string, width: number): string {
  const lines = page.split('\n');
  if (lines.every((line) => line.length <= width)) return page;
  const blocks: (Block | undefined)[] = [];
  for (const line of lines) {
    const above = blocks.at(-1);
    const lead = /^ */.exec(line)![0].length;
    const [, term, gap] = /^ *(\S+(?: \S+)*)( {2,})\S/.exec(line) ?? [];
    if (line === '') blocks.push(undefined);
    else if (above !== undefined && term === undefined && goesOn(above, lead)) {
      above.text += ` ${line.trim()}`;
    } else {
      const column = term === undefined ? lead : lead + term.length + gap!.length;
      blocks.push({ lead, term, column, text: line.slice(column) });
    }
  }
  return blocks.flatMap((block) => (block === undefined ? [''] : laidOut(block, width))).join('\n');
}

/** A line that begins where the text above does goes on with it, unless that had come to its end. */
function goesOn({ term, column, text }: Block, lead: number): boolean {
  return lead === column && (term !== undefined || !/[.:]$/.test(text));
}

function laidOut({ lead, term, column, text }: Block, width: number): string[] {
  const margin = ' '.repeat(lead);
  if (term === undefined) return wrapWords(margin + text, width, lead);
  if (width - column >= BESIDE || column * 3 <= width) {
    return wrapWords(`${`${margin}${term}`.padEnd(column)}${text}`, width, column);
  }
  return [margin + term, ...wrapWords(`${margin}    ${text}`, width, lead + 4)];
}
