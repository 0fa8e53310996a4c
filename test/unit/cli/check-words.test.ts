import { CommanderError } from 'commander';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Runtime } from '../../../src/cli/bind.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { checkWords } from '../../../src/cli/words/check-words.ts';
import { ProcError } from '../../../src/core/errors.ts';
import { atNight } from '../../support/at-night.ts';

async function refusal(words: readonly string[]): Promise<string | undefined> {
  try {
    await checkWords(words);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    return `${thrown.code}: ${thrown.message} → ${thrown.hint}`;
  }
}

describe('the check of words', () => {
  it.each([
    'orders list',
    'order list --limit 3',
    '--output=json orders list',
    'orders list -vyojson --limit=3',
    'orders list -o json -o json',
    'orders list --where a=1 --where b=2',
    'addresses get -5 adr-1',
    'items find -- --limit',
    'requisition group add req-1 --name Plant',
    'orders --version lst',
    'orders',
    'help orders lst',
    'orders ls --limit 3',
    'requisition item new req-1 grp-1 --quantity 1',
  ])('accepts: %s', async (line) => {
    expect(await refusal(line.split(' '))).toBeUndefined();
  });

  it.each([
    [
      'ordrs list',
      'unknown_command: proc: there is no command "ordrs" → Did you mean: proc orders list',
    ],
    [
      'requisition group ad',
      'unknown_command: proc requisition group: there is no command "ad" → Did you mean: proc requisition group add',
    ],
    ['orders list --limti 3', "unknown_flag: unknown option '--limti' → Did you mean --limit?"],
    [
      'sectors get --xyz=SECRET',
      "unknown_flag: unknown option '--xyz' → See the help: proc sectors get --help",
    ],
    [
      '--limit 3 orders list',
      "unknown_flag: unknown option '--limit' → Put the flag after the verb: proc orders list --limit 3",
    ],
    [
      'sandbox exec proc orders list --limit 3',
      "unknown_flag: unknown option '--limit' → Put -- before the command: proc sandbox exec -- proc orders list --limit 3",
    ],
    [
      'orders list --limit',
      "invalid_usage: option '--limit <n>' argument missing → See the help: proc orders list --help",
    ],
    [
      'orders list -o',
      "invalid_usage: option '-o, --output <format>' argument missing → See the help: proc help",
    ],
    [
      'orders list --limit 3 --limit 4',
      'invalid_usage: --limit was given twice: "3" and "4" → Give it once.',
    ],
    [
      'orders get',
      "invalid_usage: missing required argument 'order' → To list them: proc orders list",
    ],
    [
      'history prune x',
      'invalid_usage: proc history prune takes no arguments, but got "x" → Its flags are --older-than, --service. See what they do: proc history prune --help',
    ],
  ])('refuses: %s', async (line, expected) => {
    expect(await refusal(line.split(' '))).toBe(expected);
  });

  it('refuses everything that commander itself would refuse', async () => {
    const word = fc.constantFrom(
      ...['orders', 'order', 'items', 'requisition', 'group', 'item', 'draft', 'imports', 'api'],
      ...['schema', 'history', 'profile', 'config', 'help', 'list', 'get', 'find', 'add', 'set'],
      ...[
        'show',
        'resolve',
        'lst',
        'ls',
        'rm',
        'new',
        'x',
        '3',
        '-5',
        '-',
        '--',
        '--limit',
        '--limit=3',
        '--sort',
      ],
      ...['-o', '-ojson', '-vy', '-vo', '-h', '--help', '--version', '-V', '--dry-run=yes', '-kx'],
      ...['--all', '--name', '--adopt', '-f', 'a=b', '-F', '--no-input', '--no-inptu', '-=', '--='],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 7 }), async (argv) => {
        if ((await refusal(argv)) !== undefined) return;
        expect(await complaint((await checkWords(argv)).argv)).toBeUndefined();
      }),
      { numRuns: atNight ? 2000 : 200 },
    );
  });
});

const plain = () => ({ width: 80, heading: (text: string) => text });

/** The error that commander itself reports for a command line. Runs no command. */
async function complaint(argv: readonly string[]): Promise<string | undefined> {
  const runtime: Omit<Runtime, 'helpStyle'> = {
    ports: () => Promise.reject(new ProcError('interrupted', 'nothing is carried out here')),
    env: {},
    examples: () => 'examples',
    manPage: () => Promise.resolve(),
    done: () => undefined,
  };
  try {
    await createProgram(runtime, () => undefined, plain).parseAsync(argv, { from: 'user' });
  } catch (thrown) {
    const isComplaint =
      thrown instanceof CommanderError && !/^commander\.(help|version)/.test(thrown.code);
    if (isComplaint) return thrown.message;
    if (!(thrown instanceof CommanderError || thrown instanceof ProcError)) throw thrown;
  }
  return undefined;
}
