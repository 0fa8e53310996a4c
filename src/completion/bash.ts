import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { homeDir } from '../config/paths.ts';
import type { Env } from '../core/ports.ts';

type Quote = '' | "'" | '"';

export interface BashLine {
  /**
   * The words as the command would get them. Words with an expansion such as `$HOME` stay as typed.
   */
  readonly words: readonly string[];
  readonly quote: Quote;
  /** bash replaces the last word from this index on. */
  readonly start: number;
}

/**
 * @param breaks `COMP_WORDBREAKS`
 * @returns undefined if the last word has an expansion or a closed quote: bash would insert a
 * candidate in the wrong place
 */
export function readBashLine(line: string, breaks: string): BashLine | undefined {
  const words: string[] = [];
  let [raw, text, quote, start] = ['', '', '' as Quote | '`', 0];
  let isExpanded = false;
  let isClosed = false;
  /** Open parentheses of `$(…)`. */
  let depth = 0;
  for (let index = 0; index < line.length; index++) {
    const char = line[index]!;
    if (quote === '' && depth === 0 && ' \t\n'.includes(char)) {
      if (raw !== '') words.push(isExpanded ? raw : text);
      [raw, text, start, isExpanded, isClosed] = ['', '', 0, false, false];
      continue;
    }
    raw += char;
    if (char === quote) {
      quote = '';
      isClosed = true;
    } else if (quote === "'") text += char;
    else if (char === '$' || char === '`') {
      isExpanded = true;
      if (char === '`' && quote === '') quote = char;
    } else if (char === '\\') {
      const next = line[++index] ?? '';
      isExpanded ||= next === '';
      raw += next;
      // Inside double quotes a backslash is literal before most characters.
      text += quote === '"' && !'$`"\\'.includes(next) ? char + next : next;
    } else if (quote === '' && (char === '"' || char === "'")) {
      quote = char;
      start = text.length;
    } else {
      if (isExpanded && quote === '' && '()'.includes(char)) depth += char === '(' ? 1 : -1;
      text += char;
      if (quote === '' && breaks.includes(char)) start = text.length;
    }
  }
  if (isExpanded || isClosed || quote === '`') return undefined;
  return { words: [...words.slice(1), text], quote, start };
}

export function quotedForBash(candidates: readonly string[], quote: Quote): readonly string[] {
  const quoted = candidates
    // bash expands "!" inside double quotes even after a backslash.
    .filter((candidate) => quote !== '"' || !candidate.includes('!'))
    .map((candidate) => quotedBehind(quote, candidate));
  return sharesHalfAnEscape(quoted, quote) ? [...quoted, ' '] : quoted;
}

function quotedBehind(quote: Quote, text: string): string {
  const quoted =
    quote === "'"
      ? text.replaceAll("'", `'\\''`)
      : text.replace(quote === '"' ? /[$`"\\]/g : /[^\w%+=:,./@\u0080-\uffff-]/g, '\\$&');
  // If the text ends with the quote character, bash does not add the closing quote.
  return quote !== '' && quoted.endsWith(quote) ? quoted + quote : quoted;
}

/**
 * bash inserts the common prefix of all candidates. If the prefix ends inside an escape, the caller
 * adds a candidate that does not begin with the prefix.
 */
function sharesHalfAnEscape([first = '', ...others]: readonly string[], quote: Quote): boolean {
  if (quote === "'" || others.length === 0) return false;
  let shared = first;
  for (const other of others) while (!other.startsWith(shared)) shared = shared.slice(0, -1);
  return /(?<!\\)(\\\\)*\\$/.test(shared);
}

export function filesFrom(typed: string, env: Env, cwd: string): readonly string[] {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const name = typed.slice(folder.length);
  try {
    return readdirSync(resolve(cwd, folder.replace(/^~(?=\/)/, homeDir(env))))
      .filter((one) => one.startsWith(name))
      .map((one) => folder + one);
  } catch {
    return [];
  }
}
