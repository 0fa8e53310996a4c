import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { Visitor } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';
import { IMPORT_TARGETS } from '../../../src/import/targets/all-targets.ts';
import { parse } from '../../../src/program.ts';
import { commandsOf, NOUNS } from '../../../src/registry.ts';

const ROOT = join(import.meta.dirname, '../../..');
const specs = (await Promise.all(NOUNS.map(commandsOf))).flat();
const commands = specs.map(({ path }) => path.join(' '));
const nouns = new Set(
  [...NOUNS, { name: 'help' }].flatMap(({ name, ...rest }) => [
    ...('aliases' in rest ? (rest.aliases ?? []) : []),
    name,
  ]),
);
const verbs = new Set(specs.flatMap(({ path }) => path.slice(1)));
const nounsWith = (verb: string): readonly string[] =>
  specs.filter(({ path }) => path[1] === verb).map(({ path }) => path[0]);
const imported = IMPORT_TARGETS.map(({ noun }) => noun);

/**
 * What expressions in templates stand for, if that is not one argument: nouns, verbs, flags. Nothing: no command
 * follows the word `proc` there.
 */
const STANDS_FOR: Readonly<Record<string, readonly string[]>> = {
  'src/config/resolve-target.ts: at': ['-p VALUE -e VALUE'],
  'src/nouns/shared/body.ts: nounOf(spec)': nounsWith('create'),
  'src/program.ts: name': NOUNS.map(({ name }) => name),
  "src/run.ts: path.join(' ')": commands,
  'src/import/report/run-endings.ts: verb': ['resume', 'resolve', 'show', 'rows'],
  'src/import/report/run-endings.ts: header.noun': imported,
  'src/ledger/memory.ts: id': [],
  'src/nouns/shared/references.ts: kind': ['item', 'order', 'sector'],
};

/** Stands for an expression whose value is one argument. */
const VALUE = 'VALUE';

interface Text {
  readonly file: string;
  /** Expressions of a template are {@link MARK}, their index in `expressions`, and `MARK` again. */
  readonly text: string;
  readonly expressions: readonly string[];
}

const MARK = '\u0000';

function filesUnder(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file));
}

/** All strings and templates of a source file. */
function textsOf(file: string, source = readFileSync(join(ROOT, file), 'utf8')): Text[] {
  const found: Text[] = [];
  const visitor = new Visitor({
    Literal({ value }) {
      if (typeof value === 'string') found.push({ file, text: value, expressions: [] });
    },
    TemplateLiteral({ quasis, expressions }) {
      found.push({
        file,
        text: quasis
          .map(({ value, tail }, at) => (value.cooked ?? '') + (tail ? '' : MARK + at + MARK))
          .join(''),
        expressions: expressions.map(({ start, end }) => source.slice(start, end)),
      });
    },
  });
  visitor.visit(parseAst(source, { lang: 'ts' }));
  return found;
}

/** The code spans of a page that begin with proc. Other tests run the lines of its blocks. */
function spansOf(file: string): Text[] {
  const prose = readFileSync(join(ROOT, file), 'utf8').replace(/^(`{3,}).*?^\1$/gms, '');
  return [...prose.matchAll(/`(proc [^`]*)`/g)].flatMap(([, span = '']) =>
    alternatives(span).map((text) => ({ file, text, expressions: [] })),
  );
}

/** `completion bash|zsh` is two commands. */
function alternatives(span: string): string[] {
  const [several] = /[\w-]+(?:\|[\w-]+)+/.exec(span) ?? [];
  return several === undefined
    ? [span]
    : several.split('|').map((one) => span.replace(several, one));
}

const WORD = new RegExp(`^(?:${MARK}\\d+${MARK}|'[^']*'|"[^"]*"|[^\\s'"()\`;|&<>#${MARK}])+`);

/** The words after `proc`, up to a mark that ends a clause, or a sign of the shell. */
function wordsAfter(after: string): string[] {
  const words: string[] = [];
  let left = after;
  for (;;) {
    // A line of help may be broken before a flag.
    left = left.replace(/^(?: |\n *(?=-))+/, '');
    const found = WORD.exec(left)?.[0] ?? '';
    // An expression after a full stop is the next sentence.
    const word = /^[a-z-]+[.:](?=\u0000)/.exec(found)?.[0] ?? found;
    const [, before = word, marks = ''] = /^(.*?)([.,:…]+)$/.exec(word) ?? [];
    if (before === '' || (word === 'proc' && words.at(-1) !== '--')) return words;
    left = left.slice(word.length);
    words.push(before);
    if (marks !== '' || !/^\s/.test(left)) return words;
  }
}

/** The commands that a text names, as words, with expressions replaced by what they stand for. */
function commandsIn({ file, text, expressions }: Text, used: Set<string>): (readonly string[])[] {
  return [...text.matchAll(/\bproc (?=[a-z\u0000-])/g)].flatMap(({ index, 0: { length } }) => {
    const words = wordsAfter(text.slice(index + length));
    if (isProse(words)) return [];
    return words.reduce<(readonly string[])[]>(
      (lines, word) => {
        const at = new RegExp(`${MARK}(\\d+)${MARK}`).exec(word);
        const key = at === null ? '' : `${file}: ${expressions[Number(at[1])]}`;
        const values = STANDS_FOR[key]?.map((value) => word.replace(at![0], value).split(' '));
        if (values !== undefined) used.add(key);
        return lines.flatMap((line) =>
          (values ?? [[word]]).map((added) => [...line, ...added.map(plain)].filter(Boolean)),
        );
      },
      [[]],
    );
  });
}

/** Without quotes, and without the brackets of an optional part. Other expressions are one value. */
const plain = (word: string): string =>
  word.replace(new RegExp(`(?:${MARK}\\d+${MARK})+`, 'g'), VALUE).replace(/['"[\]]/g, '');

/** In "proc reads the file", proc is the subject; "proc approvals list RUN" names a noun that is not there. */
function isProse([noun = '', verb = '', next = '']: readonly string[]): boolean {
  if (nouns.has(noun) || noun.startsWith('-')) return false;
  if (noun.startsWith(MARK)) return /^[a-z]/.test(verb) && !verbs.has(verb);
  return /^(?:can|cannot|would)$/.test(noun) || !verbs.has(verb) || /^[a-z]/.test(next);
}

/** Undefined if the words are a command, possibly followed by prose. */
async function mistake(words: readonly string[]): Promise<string | undefined> {
  let first: string | undefined;
  for (let count = words.length; count > 0; count--) {
    const told = await problem(words.slice(0, count));
    first ??= told;
    if (told === undefined) {
      const [next] = words.slice(count);
      const isCommand = count > 1 || commands.includes(words[0]!);
      const isWhole = next === undefined || (/^[a-z]+$/.test(next) && isCommand);
      return isWhole ? undefined : first;
    }
  }
  return first;
}

async function problem(words: readonly string[]): Promise<string | undefined> {
  try {
    await parse(words);
    return undefined;
  } catch (thrown) {
    const { message } = thrown as Error;
    // A text may name a command without its arguments.
    const isName =
      commands.includes(words.join(' ')) &&
      /^(missing required argument|required option) /.test(message);
    return isName ? undefined : message;
  }
}

async function mistakesIn(texts: readonly Text[], used = new Set<string>()): Promise<string[]> {
  const found: string[] = [];
  for (const text of texts) {
    for (const words of commandsIn(text, used)) {
      const told = await mistake(words);
      if (told !== undefined) found.push(`${text.file}: proc ${words.join(' ')} (${told})`);
    }
  }
  return found;
}

describe('each command that is named', () => {
  const sources = filesUnder('src', '.ts').flatMap((file) => textsOf(file));

  it('in a hint, a next step or help is a command', async () => {
    const used = new Set<string>();
    expect(await mistakesIn(sources, used)).toEqual([]);
    expect([...used].sort()).toEqual(Object.keys(STANDS_FOR).sort());
  });

  it('in a sentence of the docs is a command', async () => {
    const pages = [
      'README.md',
      'CONTRIBUTING.md',
      ...filesUnder('docs', '.md'),
      ...filesUnder('examples', '.md'),
    ];
    expect(await mistakesIn(pages.flatMap(spansOf))).toEqual([]);
  });
});

it.each([
  ["'See: proc orders lst'", 'proc orders lst'],
  ["'See: proc nobody list'", 'proc nobody list'],
  ["'Run: proc orders get PO-1 --lmit 2. Then go on'", '--lmit'],
  ["'(proc orders changes --since)'", '--since'],
  [`\`Run: proc \${noun} list\``, 'proc VALUE list'],
  ["'Run: proc imports resolve --yes'", "argument 'run'"],
])('a mistake in %s is found', async (source, says) => {
  const found = await mistakesIn(textsOf('a.ts', source));
  expect(found).toEqual([expect.stringContaining(says)]);
});

it.each([
  "'proc cannot list the records of a sector'",
  "'proc profile list shows it; proc profile show too'",
  "'Run: proc orders list --limit 2 -o json | wc -l'",
  `\`Run: proc orders get \${code} --fields id,\${field}\``,
])('%s has no mistake', async (source) => {
  expect(await mistakesIn(textsOf('a.ts', source))).toEqual([]);
});
