// Part of the build: generates man/ from the command tree: proc-cli(1), and proc-NOUN(1) for each
// noun. There is no proc(1), because `man proc` may show proc(5) of the kernel.
// Optional argument: the output folder (default man/).
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { argDocOf, docOf, namedValues } from '../src/cli/flags/flag-options.ts';
import { VARIABLES } from '../src/cli/help/topics.ts';
import { loadTree } from '../src/cli/tree.ts';
import type { CommandSpec, FlagSpecs } from '../src/core/command-spec.ts';
import type { NounTree } from '../src/core/command-tree.ts';
import { EXIT_MEANING, exitCodesOf } from '../src/core/exit-codes.ts';
import { kebab } from '../src/core/text/kebab.ts';

const tree = await loadTree();
const withCommands = tree.nouns.filter(({ commands }) => commands.length > 0);
const pages = new Map([
  ['proc-cli.1', rootPage()],
  ...withCommands.map((noun) => [`proc-${noun.name}.1`, nounPage(noun)] as const),
]);
const FOLDER = resolve(process.argv[2] ?? join(import.meta.dirname, '../man'));
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER);
for (const [name, text] of pages) writeFileSync(join(FOLDER, name), text);

function rootPage(): string {
  return page('proc-cli', 'the command line for procurement operations', [
    section('SYNOPSIS', ['.B proc', '.I noun verb', `[${bold('--flags')}]`]),
    section('DESCRIPTION', [
      text(
        'proc talks to the Procurement Service: requisitions with groups and line items, purchase orders, the inventory catalogue, imputations, sectors and addresses. Data goes to standard output, everything else to standard error. proc retries a write only if the first attempt provably had no effect.',
      ),
    ]),
    section(
      'COMMANDS',
      tree.nouns.flatMap(({ name, summary, commands }) =>
        term(
          commands.length > 0 ? `${bold(`proc-${name}`)}(1)` : bold(`proc ${name}`),
          `${summary}.`,
        ),
      ),
    ),
    section('FLAGS OF EVERY COMMAND', flagTerms(tree.globals)),
    section(
      'ENVIRONMENT',
      Object.entries(VARIABLES).flatMap(([name, doc]) => term(bold(name), doc)),
    ),
    section(
      'EXIT STATUS',
      Object.entries(EXIT_MEANING).flatMap(([code, meaning]) => term(bold(code), meaning)),
    ),
    section('SEE ALSO', [
      withCommands.map(({ name }) => `${bold(`proc-${name}`)}(1)`).join(', '),
      '.PP',
      text('Topics: '),
      Object.keys(tree.topics)
        .map((topic) => bold(`proc help ${topic}`))
        .join(', '),
    ]),
  ]);
}

function nounPage(noun: NounTree): string {
  const also = noun.aliases.length === 0 ? '' : ` Also: proc ${noun.aliases.join(', proc ')}.`;
  return page(`proc-${noun.name}`, noun.summary, [
    section(
      'SYNOPSIS',
      noun.commands.flatMap((spec, index) => [...(index === 0 ? [] : ['.br']), usage(spec)]),
    ),
    section('DESCRIPTION', [text(`${noun.summary}.${also}`)]),
    ...noun.commands.map(commandSection),
    section('SEE ALSO', [
      `${bold('proc-cli')}(1), ${bold('proc help flags')}, ${bold('proc help exit-codes')}`,
    ]),
  ]);
}

function commandSection(spec: CommandSpec): string {
  const lines = [text(`${spec.summary}.`)];
  for (const part of [spec.description, spec.details]) {
    for (const paragraph of part?.split('\n\n') ?? []) lines.push('.PP', text(paragraph));
  }
  for (const [name, arg] of Object.entries(spec.args ?? {}))
    lines.push(...term(italic(name), argDocOf(arg)));
  lines.push(...flagTerms(spec.flags ?? {}));
  lines.push('.SS Examples');
  for (const { run, doc } of spec.examples) {
    lines.push('.PP', text(`${doc}:`), '.PP', '.RS', '.nf', text(run), '.fi', '.RE');
  }
  lines.push('.SS Exit status');
  const codes = exitCodesOf(spec.exitCodes);
  const passed = spec.passesCodes === undefined ? '' : ` ${spec.passesCodes}`;
  lines.push(text(`${codes.join(', ')}; see proc help exit-codes.${passed}`));
  return section(`PROC ${spec.path.join(' ').toUpperCase()}`, lines);
}

function usage(spec: CommandSpec): string {
  const args = Object.entries(spec.args ?? {}).map(([name, arg]) => {
    const shown = `${italic(name)}${arg.variadic === true ? '...' : ''}`;
    return arg.optional === true ? `[${shown}]` : shown;
  });
  return [bold(`proc ${spec.path.join(' ')}`), ...args, '[flags]'].join(' ');
}

function flagTerms(specs: FlagSpecs): string[] {
  return Object.entries(specs).flatMap(([key, spec]) => {
    const short = spec.short === undefined ? '' : `${bold(`-${spec.short}`)}, `;
    const value = spec.kind === 'boolean' ? '' : ` ${italic(spec.value ?? 'value')}`;
    return [
      ...term(`${short}${bold(`--${kebab(key)}`)}${value}`, docOf(spec)),
      ...namedValues(key, spec).flatMap(([name, doc]) => term(bold(name), doc)),
    ];
  });
}

function page(name: string, summary: string, sections: readonly string[]): string {
  return [
    `.\\" Generated from the command tree by npm run build; do not edit.`,
    `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 "" "proc" "proc"`,
    section('NAME', [`${escaped(name)} \\- ${escaped(summary)}`]),
    ...sections,
    '',
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string {
  return [`.SH ${escaped(title)}`, ...lines].join('\n');
}

function term(head: string, doc: string): string[] {
  return ['.TP', head, text(doc)];
}

/** Escapes a line so that roff does not read it as a request. */
function text(line: string): string {
  const safe = escaped(line);
  return /^[.']/.test(safe) ? `\\&${safe}` : safe;
}

function escaped(line: string): string {
  return line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll("'", '\\(aq')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(/[^\n\u0020-\u007e]/gu, (found) => {
      const code = found.codePointAt(0)!.toString(16).toUpperCase();
      return `\\[u${code.padStart(4, '0')}]`;
    });
}

function bold(words: string): string {
  return `\\fB${escaped(words)}\\fR`;
}

function italic(words: string): string {
  return `\\fI${escaped(words)}\\fR`;
}
