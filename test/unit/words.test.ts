import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { topicText } from '../../src/cli/help/topics.ts';
import { TOPICS } from '../../src/cli/registry.ts';
import { ROOT } from '../support/run.ts';
import { stringLiterals } from '../support/string-literals.ts';

/** Words that must not come back, and what `docs/glossary.md` has instead. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bunless (given|told otherwise)\b/i, '(default …)'],
  [/\bmend(ed|ing)?\b/i, 'repair, fix'],
  [/\bstands? in\b/i, 'is in, appears in'],
  [/\bin doubt\b/i, 'unconfirmed'],
  [/\b(go|goes|gone|going|went) on with\b/i, 'resume, continue'],
  [/\b(is|are|be|was) told of\b/i, 'proc warns, proc reports'],
  [/\bnobody can be asked\b/i, 'not an interactive terminal'],
  [/(?<![-\w"'`])settle[sd]?(?![-\w"'`:])/i, 'reconcile'],
  [/\b(what|whatever) became of\b/i, 'the outcome of'],
  [/\btry once more\b/i, 'retry'],
  [/\bwhole or not at all\b/i, 'atomically'],
  [/\bsurely was not\b/i, 'provably had no effect'],
];

const under = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => join(folder, file));

const SOURCES = [...under('src', /\.ts$/), ...under('scripts', /\.ts$/)];
const BENCHES = under('bench', /\.ts$/);
const TESTS = under('test', /\.ts$/).filter((file) => !file.includes('node_modules'));
const THIS = join('test', 'unit', 'words.test.ts');
const TEXTS = [
  'README.md',
  ...under('docs', /\.md$/),
  ...under('examples', /\.(md|txt|mjs|sh|ya?ml)$/),
];

/** A literal with a space is prose, but SQL is not. */
const proseOf = (source: string): string[] =>
  stringLiterals(source).filter(
    (text) => / /.test(text) && !/\b[A-Z]{4,} .*\b[A-Z]{4,}\b/s.test(text),
  );

const commentsOf = (source: string): string[] =>
  source.split('\n').filter((line) => /^\s*(?:\/\/|\/?\*)/.test(line));

/** The titles of tests: first arguments of `it` and `describe`, also with `each`. */
const titlesOf = (source: string): string[] =>
  [...source.matchAll(/^\s*(?:(?:it|describe)\b.*?|[\])]+)\(\s*(['"`])(.+?)\1,/gm)].map(
    ([, , title]) => title!,
  );

const offences = (texts: readonly string[]): string[] =>
  texts.flatMap((text) =>
    WORDS.flatMap(([word, instead]) => {
      const found = word.exec(text);
      return found === null ? [] : [`"${found[0]}" → ${instead}: ${text.slice(0, 80)}`];
    }),
  );

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const textsOf = (file: string): string[] =>
  file.endsWith('.ts') ? proseOf(read(file)) : read(file).split('\n');

describe('the words of the glossary', () => {
  it('are kept to in help, messages, docs and examples', () => {
    const checked = [...SOURCES, ...TEXTS].filter((file) => file !== 'docs/glossary.md');
    const found = checked.flatMap((file) =>
      offences(textsOf(file)).map((offence) => `${file}: ${offence}`),
    );
    expect(found).toEqual([]);
  });

  it('are kept to in every topic of help', () => {
    const style = { width: 1000, heading: (text: string) => text };
    for (const topic of Object.keys(TOPICS))
      expect(offences(topicText(topic, style).split('\n'))).toEqual([]);
  });

  it('are kept to in comments', () => {
    const checked = [...SOURCES, ...BENCHES, ...TESTS].filter((file) => file !== THIS);
    const found = checked.flatMap((file) =>
      offences(commentsOf(read(file))).map((offence) => `${file}: ${offence}`),
    );
    expect(found).toEqual([]);
  });

  it('are kept to in the titles of tests', () => {
    const titles = TESTS.filter((file) => file !== THIS).flatMap((file) =>
      titlesOf(read(file)).map((title) => ({ file, title })),
    );
    expect(titles.length).toBeGreaterThan(1000);
    const found = titles.flatMap(({ file, title }) =>
      offences([title]).map((offence) => `${file}: ${offence}`),
    );
    expect(found).toEqual([]);
  });

  it('finds a word in a text, and not in code, flags or comments', () => {
    const source = `
      // a row in doubt
      const settle = row.mends; /* in doubt */
      say(\`row \${row} is in doubt\`, 'the flag --settle waits', /in doubt 'x/);
      say({ hint: "Mend the \\"file\\"" + other[key] / 2 });`;
    expect(stringLiterals(source)).toEqual([
      'row … is in doubt',
      'the flag --settle waits',
      'Mend the "file"',
    ]);
    expect(offences(proseOf(source))).toHaveLength(2);
    expect(offences(commentsOf(source))).toHaveLength(1);
    expect(titlesOf(`it('a', () => {});\n])("it's %s", async () => {});`)).toEqual([
      'a',
      "it's %s",
    ]);
  });
});
