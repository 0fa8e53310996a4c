import type { Env } from '../core/ports.ts';
import { filesFrom, quotedForBash, readBashLine } from './bash.ts';
import type { Candidate } from './offers.ts';

/** What may stand at the cursor. */
interface Found {
  /** `--dir=` where the value of a flag is joined to it, else empty. */
  readonly head: string;
  /** The rest of the word under the cursor, as far as it is typed. */
  readonly typed: string;
  /** Each may replace `typed`. */
  readonly candidates: readonly Candidate[];
  /** A file name may stand there too. */
  readonly files: boolean;
}

/** What a shell asks at a press of Tab. */
interface Question {
  /** After `proc`, up to the cursor, without quotes. */
  readonly words: readonly string[];
  /** Lines for the few lines of script in `completions/`; the first holds options. */
  answer(found: Found, env: Env, cwd: string): readonly string[];
}

/** Reads what the scripts pass; undefined if nothing may be offered. */
export const QUESTIONS: Readonly<
  Record<string, (args: readonly string[]) => Question | undefined>
> = {
  /** Options of `compopt`, then candidates that are quoted as the line needs it. */
  bash([version = '', breaks = '', line = '']) {
    const read = readBashLine(line, breaks);
    if (read === undefined) return undefined;
    return {
      words: read.words,
      answer(found, env, cwd) {
        const values = matching(found).map(([text]) => text);
        const files = found.files ? filesFrom(found.typed, env, cwd) : [];
        const texts = [...values, ...files].map((text) => (found.head + text).slice(read.start));
        // Beside files bash does the quoting, but version 3 cannot be told to.
        const isQuotedThere = found.files && Number(version) >= 4;
        const options = [
          ...(isQuotedThere ? ['filenames'] : []),
          ...(values.some(isOpen) ? ['nospace'] : []),
        ];
        return [options.join(' '), ...(isQuotedThere ? texts : quotedForBash(texts, read.quote))];
      },
    };
  },

  /** `files`, `joined`, `list`; then value, tab, what is shown for it. zsh quotes and filters. */
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

  /** `files`, tab, head, tab, what is typed of the file; then value, tab, description. fish quotes and filters. */
  fish: (words) => ({
    words: withoutOpenQuote(words),
    answer: ({ head, typed, candidates, files }) => [
      files ? ['files', head, typed].join('\t') : '',
      ...candidates.map(([text, doc]) => described(head + text, doc)),
    ],
  }),

  /**
   * Nothing; then what is inserted, tab, what is shown, tab, the tool tip. The last word comes behind a
   * `=`, as older versions drop empty ones. If nothing is offered, PowerShell offers files.
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

export function described(text: string, doc: string): string {
  return doc === '' ? text : `${text}\t${doc}`;
}

function matching({ typed, candidates }: Found): readonly Candidate[] {
  return candidates.filter(([text]) => text.startsWith(typed));
}

/** Whether more has to follow in the same word. */
function isOpen(text: string): boolean {
  return text.endsWith('=');
}

/** The quote of a word that is still being typed is no part of it. */
function withoutOpenQuote(words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? '';
  return [...words.slice(0, -1), last.replace(/^(--[^=]+=)?["']/, '$1')];
}

function quotedForPowershell(text: string): string {
  if (!/^[^\p{L}\p{Nd}_/-]|[^\p{L}\p{Nd}_+=:./-]/u.test(text)) return text;
  // PowerShell takes four more characters for a single quote.
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}
