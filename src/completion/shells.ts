import type { Env } from '../core/ports.ts';
import { filesFrom, quotedForBash, readBashLine } from './bash.ts';
import type { Candidate } from './offers.ts';

interface Found {
  readonly head: string;
  readonly typed: string;
  readonly candidates: readonly Candidate[];
  readonly files: boolean;
}

interface Question {
  /** The words after `proc`, up to the cursor, without quotes. */
  readonly words: readonly string[];
  /** The lines that the script in `completions/` reads. The first line has options. */
  answer(found: Found, env: Env, cwd: string): readonly string[];
}

/** Parses what the script of a shell passes. Undefined if nothing can be offered. */
export const QUESTIONS: Readonly<
  Record<string, (args: readonly string[]) => Question | undefined>
> = {
  /** First line: options of `compopt`. Then one candidate per line, quoted for the command line. */
  bash([version = '', breaks = '', line = '']) {
    const read = readBashLine(line, breaks);
    if (read === undefined) return undefined;
    return {
      words: read.words,
      answer(found, env, cwd) {
        const values = matching(found).map(([text]) => text);
        const files = found.files ? filesFrom(found.typed, env, cwd) : [];
        const texts = [...values, ...files].map((text) => (found.head + text).slice(read.start));
        // With the option `filenames`, bash 4 and later quotes all candidates itself.
        const isQuotedThere = found.files && Number(version) >= 4;
        const options = [
          ...(isQuotedThere ? ['filenames'] : []),
          ...(values.some(isOpen) ? ['nospace'] : []),
        ];
        return [options.join(' '), ...(isQuotedThere ? texts : quotedForBash(texts, read.quote))];
      },
    };
  },

  /**
   * First line: any of `files`, `joined` (a flag and its value are one word), `list` (show display
   * texts). Other lines: value, tab, display text. zsh itself quotes and filters.
   */
  zsh: (words) => ({
    words: withoutOpenQuote(words),
    answer: ({ head, candidates, files }) => {
      const width = Math.max(...candidates.map(([text]) => text.length));
      const options = [
        ...(files ? ['files'] : []),
        ...(head === '' ? [] : ['joined']),
        ...(candidates.some(([, doc]) => doc !== '') ? ['list'] : []),
      ];
      const lines = candidates.map(([text, doc]) => {
        return `${text}\t${doc === '' ? text : `${text.padEnd(width)}  -- ${doc}`}`;
      });
      return [options.join(' '), ...lines];
    },
  }),

  /**
   * First line: empty, or `files`, tab, head, tab, typed part of the file name. Other lines: value,
   * tab, description. fish itself quotes and filters.
   */
  fish: (words) => ({
    words: withoutOpenQuote(words),
    answer: ({ head, typed, candidates, files }) => [
      files ? ['files', head, typed].join('\t') : '',
      ...candidates.map(([text, doc]) => described(head + text, doc)),
    ],
  }),

  /**
   * First line: empty. Other lines: text to insert, tab, display text, tab, tool tip. Without
   * candidates PowerShell offers files.
   *
   * The script puts `=` before the last word, because older versions of PowerShell drop empty
   * words.
   */
  powershell: (words) => ({
    words: withoutOpenQuote([...words.slice(0, -1), (words.at(-1) ?? '').slice(1)]),
    answer: (found) => [
      '',
      ...matching(found).map(
        ([text, doc]) => `${quotedForPowershell(found.head + text)}\t${text}\t${doc || text}`,
      ),
    ],
  }),
};

function described(text: string, doc: string): string {
  return doc === '' ? text : `${text}\t${doc}`;
}

function matching({ typed, candidates }: Found): readonly Candidate[] {
  return candidates.filter(([text]) => text.startsWith(typed));
}

/** A value must follow a candidate such as `code=`, so no space is added. */
function isOpen(text: string): boolean {
  return text.endsWith('=');
}

function withoutOpenQuote(words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? '';
  return [...words.slice(0, -1), last.replace(/^(--[^=]+=)?["']/, '$1')];
}

function quotedForPowershell(text: string): string {
  if (!/^[^\p{L}\p{Nd}_/-]|[^\p{L}\p{Nd}_+=:./-]/u.test(text)) return text;
  // PowerShell treats four more characters as single quotes.
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}
