import { describe, expect, it } from 'vitest';
import { flagTerm } from '../../src/cli/flags/flag-options.ts';
import { commandHelp } from '../../src/cli/help/command-help.ts';
import type { HelpStyle } from '../../src/cli/help/help-style.ts';
import { nounHelp } from '../../src/cli/help/noun-help.ts';
import { pageOf } from '../../src/cli/help/pages/command-page.ts';
import { ROOT_FLAGS, rootHelp } from '../../src/cli/help/root-help.ts';
import { loadTree } from '../../src/cli/tree.ts';
import type { CommandSpec, FlagSpec } from '../../src/core/command-spec.ts';
import { GLOBAL_FLAGS } from '../../src/core/global-flags.ts';
import { kebab } from '../../src/core/text/kebab.ts';
import { runHere } from '../support/in-process.ts';

const { nouns } = await loadTree();
const specs: readonly CommandSpec[] = nouns.flatMap(({ commands }) => commands);

const wide = (width: number): HelpStyle => ({ width, heading: (text) => text });
const folder = () => '/proc/ex';
const helpOn = (spec: CommandSpec, style: HelpStyle) => commandHelp(pageOf(spec), style, folder);
const pages = (style: HelpStyle) =>
  new Map([
    ['', rootHelp(style)],
    ...nouns
      .filter(({ commands }) => commands.length > 0)
      .flatMap(({ name, summary, groups, commands }) => [
        [name, nounHelp({ path: [name], summary, commands }, style, folder)] as const,
        ...Object.entries(groups).map(
          ([group, words]) =>
            [
              `${name} ${group}`,
              nounHelp({ path: [name, group], summary: words, commands }, style, folder),
            ] as const,
        ),
      ]),
    ...specs.map((spec) => [spec.path.join(' '), helpOn(spec, style)] as const),
  ]);

describe('every page of help', () => {
  it.each([60, 80])('breaks no word at %i columns', (width) => {
    const cut = [...pages(wide(width))].flatMap(([name, page]) =>
      page
        .split('\n')
        .filter((line) => line.length > width)
        .map((line) => `${name}: ${line}`),
    );
    expect(cut).toEqual([]);
  });

  it('has one to four examples and its exit codes on one line', () => {
    for (const spec of specs) {
      const page = helpOn(spec, wide(80));
      const examples = page.match(/^ {2}# /gm) ?? [];
      expect(examples.length, spec.path.join(' ')).toBeGreaterThanOrEqual(1);
      expect(examples.length, spec.path.join(' ')).toBeLessThanOrEqual(4);
      const [, codes = ''] = /^Exit codes: ([\d ]+)$/m.exec(page) ?? [];
      const shown = [...new Set([0, 2, ...(spec.exitCodes ?? [])])].sort((a, b) => a - b);
      expect(codes, spec.path.join(' ')).toBe(shown.join(' '));
    }
  });
});

describe('examples', () => {
  const above = (page: string, one: string, other: string) =>
    page.indexOf(`\n${one}:`) > 0 && page.indexOf(`\n${one}:`) < page.indexOf(`\n${other}:`);

  it('are the first section of a command', () => {
    for (const spec of specs) {
      const page = helpOn(spec, wide(80));
      const [first] = page.match(/^[A-Z][\w ,]*:$/m) ?? [];
      expect(first, spec.path.join(' ')).toBe('Examples:');
    }
  });

  it('of a noun and of a group are above its commands', () => {
    for (const [name, page] of pages(wide(80))) {
      if (!page.includes('\nCommands:\n')) continue;
      expect(page.match(/^ {2}# /gm), name).not.toBeNull();
      expect(above(page, 'Examples', 'Commands'), name).toBe(true);
    }
  });
});

describe('every flag', () => {
  const describes = (page: string, key: string, flag: FlagSpec) =>
    page.split('\n').some((line) => line.trim().startsWith(flagTerm(key, flag)));

  it('is on the page of its command, in a section', () => {
    for (const spec of specs) {
      const page = helpOn(spec, wide(80));
      for (const [key, flag] of Object.entries(spec.flags ?? {})) {
        const place = `${spec.path.join(' ')} --${kebab(key)}`;
        expect(describes(page, key, flag), place).toBe(true);
      }
    }
  });
});

describe('the first page', () => {
  const page = rootHelp(wide(80));

  it('fits on one screen: first steps on top, then the nouns, then the rest by name', () => {
    const lines = page.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(22);
    expect(lines.slice(2, 5)).toEqual([
      'First steps:',
      expect.stringMatching(/^ {2}proc sandbox exec /),
      expect.stringMatching(/^ {2}proc setup /),
    ]);
    const listed = nouns.filter(({ name }) => new RegExp(`^  ${name} `, 'm').test(page));
    expect(listed).toHaveLength(6);
    const [, others = ''] = /^More: ([^:]*)\nFlags/m.exec(page) ?? [];
    const named = others.split(/,\s+/);
    expect([...listed.map(({ name }) => name), ...named]).toEqual([
      ...nouns.map(({ name }) => name),
    ]);
  });

  it('names flags as they are', () => {
    const known: Readonly<Record<string, FlagSpec>> = GLOBAL_FLAGS;
    const own = { help: 'h', version: 'V' };
    const terms = [
      ...Object.entries(known).map(([key, { short }]) => [kebab(key), short] as const),
      ...Object.entries(own),
    ].map(([name, short]) => `${short === undefined ? '' : `-${short} `}--${name}`);
    const named = ROOT_FLAGS.replace(/ \(.*/, '').split(', ');
    expect(named.filter((term) => !terms.includes(term))).toEqual([]);
  });
});

describe('headings', () => {
  const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
  const run = async (args: readonly string[], env: Record<string, string> = {}) =>
    (await runHere(args, env)).stdout;

  it.each([
    [['--color', 'always', 'orders', 'list', '--help'], 'Usage:'],
    [['orders', 'list', '--help', '--color=always'], 'Flags:'],
    [['help', 'orders', '--color=always'], 'Commands:'],
    [['--color=always', '--help'], 'More:'],
  ])('%j are bold', async (args, heading) => {
    expect(await run(args)).toContain(bold(heading));
    expect(await run(args, { NO_COLOR: '1' })).toContain(bold(heading));
  });

  it.each([
    [['orders', 'list', '--help'], {}],
    [['--help'], {}],
    [['--color=never', 'orders', '--help'], { FORCE_COLOR: '1' }],
    [['orders', '--help'], { NO_COLOR: '1', FORCE_COLOR: '1' }],
  ])('%j with %j are plain', async (args, env) => {
    expect(await run(args, env)).not.toContain('\u001b');
  });

  it.each([
    [['--help'], { FORCE_COLOR: '1' }],
    [['orders', '--help'], { FORCE_COLOR: '1' }],
  ])('%j with %j are bold', async (args, env) => {
    expect(await run(args, env)).toContain(bold('Usage:'));
  });
});
