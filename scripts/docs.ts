// Generates docs/reference.md from the command tree, and docs/images/ by running the built program. With --check it only
// compares the page.

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CommandSpec, FlagSpec } from '../src/core/command-spec.ts';
import type { ExitCode } from '../src/core/errors.ts';
import { ERRORS } from '../src/core/errors.ts';
import { GLOBAL_FLAGS, sharedFlags } from '../src/core/global-flags.ts';
import { docOf, flagTerm, usageOf } from '../src/program.ts';
import { commandsOf, NOUNS } from '../src/registry.ts';
import { screenshots } from './screenshot.ts';

const DOCS = resolve(import.meta.dirname, '../docs');
const PAGE = join(DOCS, 'reference.md');

const EXIT_MEANING: Readonly<Record<ExitCode, string>> = {
  0: 'Done. Imports: no row is rejected, unconfirmed or pending.',
  1: 'A bug in proc.',
  2: 'Usage or input is invalid, or a confirmation is missing; nothing was sent.',
  3: 'Configuration: no such profile or environment, unreadable config, no key, a key that belongs to another address, a state folder that cannot be written. Or the target is read-only.',
  4: 'The service returned 401 or 403.',
  5: 'The service returned 404, or its list does not have the record.',
  6: 'The service refused the request (another 4xx) or redirected it. (If a write is redirected with 303: exit 9.)',
  7: 'The service was unreachable, timed out or failed; no write is unconfirmed.',
  8: 'Imports: some rows were rejected, or would be. Comparisons with --exit-code: there are differences.',
  9: 'A write was sent and its outcome is unknown, or the records of an import could not be verified.',
  10: 'Incomplete: an import stopped early (resume it), or a list may be incomplete.',
  11: 'The command succeeded, but its result could not be written; stderr names what was created.',
  129: 'The terminal was closed (SIGHUP).',
  130: 'Interrupted (SIGINT).',
  131: 'Quit (SIGQUIT).',
  143: 'Terminated (SIGTERM).',
};

const parts = [
  '# Reference',
  'Every command, flag, exit code and error code. `npm run docs` writes this page from the program; do not edit it.',
];
for (const noun of NOUNS) {
  parts.push(`## proc ${noun.name}`, `${noun.summary}.`);
  for (const spec of await commandsOf(noun)) parts.push(...commandSection(spec));
}
parts.push(
  '## Flags of every command',
  ...flagList(GLOBAL_FLAGS),
  '## Exit codes',
  table(
    ['code', 'meaning', 'error codes'],
    Object.entries(EXIT_MEANING).map(([code, meaning]) => [
      code,
      meaning,
      errorsOf(Number(code)).replace(/\w+/g, '`$&`'),
    ]),
  ),
  '## Error codes',
  table(
    ['code', 'exit code', 'retry', 'meaning'],
    Object.entries(ERRORS).map(([code, [exitCode, retry, meaning]]) => [
      `\`${code}\``,
      String(exitCode),
      retry,
      meaning,
    ]),
  ),
);
const text = `${parts.join('\n\n')}\n`;
if (!process.argv.includes('--check')) {
  writeFileSync(PAGE, text);
  for (const [name, image] of await screenshots()) writeFileSync(join(DOCS, 'images', name), image);
} else if (readFileSync(PAGE, 'utf8') !== text) {
  console.error('docs/reference.md is out of date. Run: npm run docs');
  process.exitCode = 1;
}

/** The error codes with this exit code, separated by commas. */
function errorsOf(exitCode: number): string {
  const ofExit = Object.entries(ERRORS).filter(([, [own]]) => own === exitCode);
  return ofExit.map(([code]) => code).join(', ');
}

function commandSection(spec: CommandSpec): string[] {
  const args = Object.entries(spec.args ?? {}).map(
    ([name, arg]) => `- \`${name}\`: ${arg.doc}${choicesOf(arg)}`,
  );
  const sent = (spec.endpoints ?? [])
    .map(({ method, path }) => ` · \`${method} ${path}\``)
    .join('');
  return [
    `### proc ${spec.path.join(' ')}`,
    `${spec.summary}. \`proc ${[...spec.path, usageOf(spec)].join(' ')}\`${sent}`,
    ...(args.length === 0 ? [] : [args.join('\n')]),
    ...flagList({ ...spec.flags, ...sharedFlags(spec) }),
  ];
}

function flagList(specs: Readonly<Record<string, FlagSpec>>): string[] {
  const rows = Object.entries(specs).map(([key, spec]) => {
    return `- \`${flagTerm(key, spec)}\`: ${docOf(spec)}${choicesOf(spec)}`;
  });
  return rows.length === 0 ? [] : [rows.join('\n')];
}

function choicesOf(spec: object): string {
  const { choices } = spec as { readonly choices?: unknown };
  if (choices === undefined) return '';
  const names = Array.isArray(choices) ? choices : Object.keys(choices as object);
  return `; one of: ${names.join(', ')}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (one: string) => one.replaceAll('|', '\\|');
  return [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}
