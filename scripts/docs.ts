// Generates docs/reference/ from the command tree, and docs/images/ by running the built program. With --check it only
// compares.

import { join, resolve } from 'node:path';
import { argDocOf, docOf, namedValues } from '../src/cli/flags/flag-options.ts';
import { usageOf } from '../src/cli/help/pages/usage.ts';
import { errorsOf, VARIABLES } from '../src/cli/help/topics.ts';
import { HELP_NOUN, NOUNS, TOPICS } from '../src/cli/registry.ts';
import type { CommandSpec, FlagSpec } from '../src/core/command-spec.ts';
import { ERROR_MEANING } from '../src/core/error-meanings.ts';
import { ERROR_CODES, type ErrorCode, RETRY } from '../src/core/errors.ts';
import { EXIT_MEANING, type ExitCode, exitCodesOf } from '../src/core/exit-codes.ts';
import { GLOBAL_FLAGS } from '../src/core/global-flags.ts';
import { kebab } from '../src/core/text/kebab.ts';
import { SAME_VERBS } from '../src/core/text/synonyms.ts';
import { keepInStep } from './generated.ts';
import { screenshots } from './screenshot.ts';

const DOCS = resolve(import.meta.dirname, '../docs');

type NamedNoun = {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
};

const pages = new Map<string, string>();
const nouns: Array<readonly [NamedNoun, readonly CommandSpec[]]> = [];
for (const noun of NOUNS) {
  const specs = (await noun.load()).filter(
    (spec) => spec.path[0] === noun.name && spec.hidden !== true,
  );
  nouns.push([noun, specs]);
  pages.set(`${noun.name}.md`, nounPage(noun, specs));
}
const help: readonly CommandSpec[] = [HELP_NOUN];
nouns.push([HELP_NOUN, help]);
pages.set('help.md', nounPage(HELP_NOUN, help, ['## Topics', topicTable()]));
pages.set('README.md', indexPage());
pages.set('exit-codes.md', exitCodesPage());
pages.set('errors.md', errorsPage());
pages.set('environment.md', environmentPage());

keepInStep(join(DOCS, 'reference'), pages, 'npm run docs');
keepInStep(join(DOCS, 'images'), await screenshots(), 'npm run docs');

function indexPage(): string {
  const rows = nouns.flatMap(([noun, specs]) =>
    specs.map(
      (spec) =>
        `| [\`proc ${spec.path.join(' ')}\`](${noun.name}.md#${spec.path.length === 0 ? '' : `proc-${spec.path.join('-')}`}) | ${spec.summary} |`,
    ),
  );
  return page('Command reference', [
    'This page lists every command and flag. `npm run docs` generates it from the program; do not edit it.',
    table(['command', 'what it does'], rows),
    '## Synonyms of verbs',
    `The words in each line below mean the same. If a noun has exactly one of them as a verb, the others run it too: \`proc orders ls\` is \`proc orders list\`. If a word matches several commands or none, proc lists similar commands and exits 2.\n\n${SAME_VERBS.map((verbs) => `- ${verbs.map((verb) => `\`${verb}\``).join(' ')}`).join('\n')}`,
    '## Flags of every command',
    flagTable(GLOBAL_FLAGS),
    'See also [exit codes](exit-codes.md), [error codes](errors.md) and [environment variables](environment.md).',
  ]);
}

function nounPage(
  noun: NamedNoun,
  specs: readonly CommandSpec[],
  more: readonly string[] = [],
): string {
  const also =
    noun.aliases === undefined
      ? ''
      : ` Also ${noun.aliases.map((alias) => `\`proc ${alias}\``).join(', ')}.`;
  return page(`proc ${noun.name}`, [
    `${noun.summary}.${also}`,
    ...specs.flatMap(commandSection),
    ...more,
  ]);
}

function commandSection(spec: CommandSpec): string[] {
  const parts = [
    `## proc ${spec.path.join(' ')}`,
    [`${spec.summary}.`, spec.description, spec.details]
      .filter((part) => part !== undefined)
      .join('\n\n'),
    `\`\`\`\n${usageOf(spec)}\n\`\`\``,
  ];
  for (const endpoint of spec.endpoints ?? []) {
    parts.push(
      `Sends \`${endpoint.method} ${endpoint.path}\` ([service contract](../service-contract.md) ${endpoint.doc.source}).`,
    );
  }
  if (spec.args !== undefined) {
    parts.push(
      table(
        ['argument', 'meaning'],
        Object.entries(spec.args).map(([name, arg]) => `| \`${name}\` | ${cell(argDocOf(arg))} |`),
      ),
    );
  }
  if (Object.keys(spec.flags ?? {}).length > 0) parts.push(flagTable(spec.flags ?? {}));
  parts.push(
    `\`\`\`sh\n${spec.examples.map(({ run, doc }) => `# ${doc}\n${run}`).join('\n')}\n\`\`\``,
  );
  const codes = exitCodesOf(spec.exitCodes)
    .map((code) => `\`${code}\``)
    .join(', ');
  const passed = spec.passesCodes === undefined ? '' : ` ${spec.passesCodes}`;
  parts.push(`Exit codes: ${codes} ([what they mean](exit-codes.md)).${passed}`);
  return parts;
}

function flagTable(specs: Readonly<Record<string, FlagSpec>>): string {
  const rows = Object.entries(specs).flatMap(([key, spec]) => {
    const short = spec.short === undefined ? '' : `\`-${spec.short}\`, `;
    const value = spec.kind === 'boolean' ? '' : ` <${spec.value ?? 'value'}>`;
    return [
      `| ${short}\`--${kebab(key)}${value}\` | ${cell(docOf(spec))} |`,
      ...namedValues(key, spec).map(([term, doc]) => `| \`${term}\` | ${cell(doc)} |`),
    ];
  });
  return table(['flag', 'meaning'], rows);
}

function topicTable(): string {
  const rows = Object.entries(TOPICS).map(
    ([name, summary]) => `| \`${name}\` | ${cell(summary)} |`,
  );
  return table(['topic', 'content'], rows);
}

function exitCodesPage(): string {
  const rows = Object.entries(EXIT_MEANING as Record<ExitCode, string>).map(
    ([code, meaning]) =>
      `| ${code} | ${meaning} | ${errorsOf(Number(code)).replace(/\w+/g, '`$&`')} |`,
  );
  return page('Exit codes', [
    'This page lists the exit codes, as `proc help exit-codes` does. A meaning never changes.',
    table(['code', 'meaning', 'error codes'], rows),
    '[Error codes](errors.md) says what each error code means. With several ids, a command tries all of them and exits with the highest code.',
  ]);
}

function errorsPage(): string {
  const rows = (Object.keys(ERROR_MEANING) as ErrorCode[]).map(
    (code) =>
      `| \`${code}\` | ${ERROR_CODES[code]} | ${RETRY[code]} | ${cell(ERROR_MEANING[code])} |`,
  );
  return page('Error codes', [
    'This page lists the codes of errors, as `proc help errors` does. A code never changes its meaning or its exit code; new ones may be added. [Errors and notices](../output.md#errors-and-notices) describes the line that has the code.',
    table(['code', '[exit code](exit-codes.md)', 'retry', 'meaning'], rows),
  ]);
}

function environmentPage(): string {
  const rows = Object.entries(VARIABLES).map(([name, doc]) => `| \`${name}\` | ${cell(doc)} |`);
  return page('Environment variables', [
    'This page lists the environment variables that proc reads, as `proc help environment` does.',
    table(['variable', 'meaning'], rows),
  ]);
}

function table(head: readonly string[], rows: readonly string[]): string {
  return [`| ${head.join(' | ')} |`, `|${head.map(() => '---|').join('')}`, ...rows].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function page(title: string, parts: readonly string[]): string {
  return `${[`# ${title}`, ...parts].join('\n\n')}\n`;
}
