import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProcError } from '../../../src/core/errors.ts';
import { parse } from '../../../src/program.ts';

/** Why a command line is refused, with the hint. Undefined if it is read. */
async function refusal(words: readonly string[]): Promise<string | undefined> {
  try {
    await parse(words);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    return `${thrown.code}: ${thrown.message} → ${thrown.hint}`;
  }
}

describe('a command line', () => {
  it.each<[line: string, path: string, meant: object]>([
    ['orders list', 'orders list', { globals: { yes: false, timeoutMs: 30_000 } }],
    ['order list --limit 3', 'orders list', { flags: { limit: 3 } }],
    ['orders ls', 'orders list', {}],
    ['--output=json orders list', 'orders list', { globals: { output: 'json' } }],
    ['-p acme orders list -e x', 'orders list', { globals: { profile: 'acme', env: 'x' } }],
    [
      'orders list -vyojson --limit=3',
      'orders list',
      { flags: { limit: 3 }, globals: { verbose: true, yes: true, output: 'json' } },
    ],
    ['orders list -o=json', 'orders list', { globals: { output: 'json' } }],
    ['orders list -o json -o json', 'orders list', { globals: { output: 'json' } }],
    ['orders list --where a=1 --where b=2', 'orders list', { flags: { where: ['a=1', 'b=2'] } }],
    ['addresses get -5 adr-1', 'addresses get', { args: { ids: ['-5', 'adr-1'] } }],
    ['items list -- --limit', 'items list', { args: { text: '--limit' } }],
    ['items create --name=-x', 'items create', { flags: { name: '-x' } }],
    [
      'requisition item new req-1 grp-1 --quantity 1',
      'requisition item add',
      { args: { requisition: 'req-1', group: 'grp-1' }, flags: { quantity: 1 } },
    ],
  ])('%s is %s with %o', async (line, path, meant) => {
    const parsed = await parse(line.split(' '));
    expect(parsed).toMatchObject({ kind: 'run', command: { path: path.split(' ') }, ...meant });
  });

  it.each([
    ['requisition group ad', /^invalid_usage: .*Did you mean add.*Not in the API: /],
    [
      'orders list --limti 3',
      /^invalid_usage: .*'--limti' → Did you mean --limit\? See .* orders list --help/,
    ],
    ['sectors get --xyz=SECRET', /^invalid_usage: unknown option '--xyz' → /],
    ['orders list -o jsn', /^invalid_usage: .*Did you mean json\?/],
    ['orders list -o json -o csv', /^invalid_usage: .*twice/],
    ['orders list --limit', /^invalid_usage: .*See the help: proc orders list --help/],
    ['orders list --limit x', /^invalid_usage: .*a whole number from 1/],
    ['orders get', /^invalid_usage: .*codes or ids.*To list them: proc orders list/],
    ['orders list a b c', /^invalid_usage: .*but got 3 /],
  ])('is refused: %s', async (line, expected) => {
    expect(await refusal(line.split(' '))).toMatch(expected);
  });

  it.each([
    ['--help', []],
    ['orders', ['orders']],
    ['orders -h list', ['orders']],
    ['orders list --nonsense 3 --help', ['orders', 'list']],
    ['requisition group', ['requisition', 'group']],
    ['requisition group rm --help', ['requisition', 'group', 'remove']],
  ])('asks for a page: %s', async (line, path) => {
    expect(await parse(line.split(' '))).toMatchObject({ kind: 'page', path });
  });
});

it('gives a command of commander or an error of proc for any words', async () => {
  const word = fc.constantFrom(
    ...['orders', 'order', 'items', 'requisition', 'group', 'item', 'imports', 'api', 'schema'],
    ...['history', 'profile', 'help', 'list', 'get', 'find', 'add', 'set', 'show', 'resolve'],
    ...['lst', 'ls', 'rm', 'new', 'x', '3', '-5', '-', '--', '--limit', '--limit=3', '--sort'],
    ...['-o', '-ojson', '-vy', '-vo', '-h', '--help', '--version', '-V', '--dry-run=yes', '-kx'],
    ...['--all', '--name', '--adopt', '-f', 'a=b', '--no-input', '--no-inptu', '-=', '--=', ''],
    ...[' ', '--out', '-y=', 'constructor'],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 7 }), async (argv) => {
      expect(await refusal(argv)).toSatisfy((text) => text === undefined || text !== '');
    }),
    { numRuns: 100 },
  );
});
