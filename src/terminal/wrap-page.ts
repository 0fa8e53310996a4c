import { wrapWords } from './wrap-words.ts';

/**
 * In columns of the terminal. If less room is left to the right of a long term, its description goes below
 * it. A term is long if it takes more than a third of the line.
 */
const LEAST_ROOM = 40;

interface Block {
  readonly lead: number;
  readonly term: string | undefined;
  readonly column: number;
  text: string;
}

/**
 * Wraps a page of paragraphs and term/description rows to `width`. If a line is too wide, lines that
 * were broken by hand are joined first.
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
    else if (above !== undefined && term === undefined && continues(above, lead)) {
      above.text += ` ${line.trim()}`;
    } else {
      const column = term === undefined ? lead : lead + term.length + gap!.length;
      blocks.push({ lead, term, column, text: line.slice(column) });
    }
  }
  return blocks.flatMap((block) => (block === undefined ? [''] : laidOut(block, width))).join('\n');
}

/**
 * A line with the same indentation continues the text above. A paragraph ends with a full stop or a
 * colon.
 */
function continues({ term, column, text }: Block, lead: number): boolean {
  return lead === column && (term !== undefined || !/[.:]$/.test(text));
}

function laidOut({ lead, term, column, text }: Block, width: number): string[] {
  const margin = ' '.repeat(lead);
  if (term === undefined) return wrapWords(margin + text, width, lead);
  if (width - column >= LEAST_ROOM || column * 3 <= width) {
    return wrapWords(`${`${margin}${term}`.padEnd(column)}${text}`, width, column);
  }
  return [margin + term, ...wrapWords(`${margin}    ${text}`, width, lead + 4)];
}
