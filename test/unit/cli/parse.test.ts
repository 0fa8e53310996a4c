import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FlagSpec } from '../../../src/core/command-spec.ts';
import { GLOBAL_FLAGS } from '../../../src/core/global-flags.ts';
import { kebab, synonymsOf } from '../../../src/core/wording.ts';
import { parse } from '../../../src/program.ts';
import { NOUNS } from '../../../src/registry.ts';
import { atNight } from '../../support/at-night.ts';
import { refusal, specs } from './typed-line.ts';

describe('a command line', () => {
  it.each([
    'orders list',
    'order list --limit 3',
    '--output=json orders list',
    'orders list -vyojson --limit=3',
    'orders list -o=json',
    'orders list -o json -o json',
    'orders list --where a=1 --where b=2',
    'addresses get -5 adr-1',
    'items list -- --limit',
    'requisition group add req-1 --name Plant',
    'orders --version lst',
    'orders',
    'orders ls --limit 3',
    'requisition item new req-1 grp-1 --quantity 1',
  ])('is read: %s', async (line) => {
    expect(await refusal(line.split(' '))).toBeUndefined();
  });

  it.each([
    ['requisition group ad', /^invalid_usage: .*Did you mean add.*Not in the API: /],
    ['orders list --limti 3', /^invalid_usage: .*'--limti' → Did you mean --limit\? The verbs of /],
    ['sectors get --xyz=SECRET', /^invalid_usage: unknown option '--xyz' → /],
    ['orders list -o jsn', /^invalid_usage: .*Did you mean json\?/],
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

/** A valid value of a flag, as typed. */
function validValue(flag: FlagSpec): fc.Arbitrary<string> {
  const text = fc
    .stringMatching(/^[a-zA-Z0-9äñ€ ,.:=@%'"$*-]{1,12}$/)
    .filter((one) => one.trim() !== '');
  switch (flag.kind) {
    case 'choice':
      return fc.constantFrom(...flag.choices);
    case 'strings':
      return flag.choices === undefined ? text : fc.constantFrom(...Object.keys(flag.choices));
    case 'integer':
      return fc
        .integer({ min: Math.max(flag.min ?? 0, 0), max: Math.min(flag.max ?? 99, 99) })
        .map(String);
    case 'number':
      return fc.integer({ min: -99, max: 99 }).map(String);
    case 'duration':
      return fc.integer({ min: 1, max: 59 }).map((n) => `${n}m`);
    default:
      return text;
  }
}

interface Made {
  readonly argv: readonly string[];
  readonly path: readonly string[];
  readonly args: Readonly<Record<string, unknown>>;
  readonly given: Readonly<Record<string, unknown>>;
}

/** A command line in any of the forms that people type it in, and what it says. */
const line: fc.Arbitrary<Made> = fc.constantFrom(...specs).chain((spec) => {
  const noun = NOUNS.find(({ name }) => name === spec.path[0])!;
  const depth = spec.path.length - 1;
  const below = specs.flatMap(({ path }) =>
    path.slice(0, depth).join(' ') === spec.path.slice(0, -1).join(' ') ? [path.slice(depth)] : [],
  );
  const verbs = below.flatMap((words) => (words.length === 1 ? words : []));
  const synonyms = [...synonymsOf(verbs, new Set(below.flat()))].flatMap(([word, verb]) =>
    depth > 0 && verb === spec.path.at(-1) ? [word] : [],
  );
  const flags = Object.entries({ ...GLOBAL_FLAGS, ...spec.flags } as Record<string, FlagSpec>);
  const required = flags.filter(([, { required }]) => required === true);
  const operands = fc.tuple(
    ...Object.entries(spec.args ?? {}).map(([, arg]) => {
      const word =
        arg.choices === undefined
          ? fc.stringMatching(/^[\w.=/ -]{1,9}$/)
          : fc.constantFrom(...arg.choices);
      return arg.variadic === true
        ? fc.array(word, { minLength: 1, maxLength: 3 })
        : word.map((one) => [one]);
    }),
  );
  const chosen = fc.subarray(flags, { maxLength: 5 }).chain((some) =>
    fc.tuple(
      ...[...new Set([...required, ...some])].map(([key, flag]) =>
        fc.record({
          key: fc.constant(key),
          flag: fc.constant(flag),
          value: validValue(flag),
          form: fc.constantFrom('joined', 'apart', 'short'),
          isEarly: fc.boolean(),
        }),
      ),
    ),
  );
  return fc
    .record({
      operands,
      chosen,
      noun: fc.constantFrom(noun.name, ...(noun.aliases ?? [])),
      verb: fc.constantFrom(spec.path.at(-1)!, ...synonyms),
      isEnded: fc.boolean(),
    })
    .map(({ operands: groups, chosen: flagged, noun: first, verb, isEnded }) => {
      const typed = flagged.map(({ key, flag, value, form, isEarly }) => {
        const name =
          form === 'short' && flag.short !== undefined ? `-${flag.short}` : `--${kebab(key)}`;
        const isJoined = form === 'joined' || value.startsWith('-');
        const words =
          flag.kind === 'boolean'
            ? [name]
            : name.startsWith('--')
              ? isJoined
                ? [`${name}=${value}`]
                : [name, value]
              : [`${name}${value}`];
        return { words, isEarly: isEarly && Object.hasOwn(GLOBAL_FLAGS, key) };
      });
      const early = typed.filter(({ isEarly }) => isEarly).flatMap(({ words }) => words);
      const late = typed.filter(({ isEarly }) => !isEarly).flatMap(({ words }) => words);
      const words = groups.flat();
      const path = [first, ...spec.path.slice(1, -1), ...(spec.path.length > 1 ? [verb] : [])];
      const needsEnd = isEnded || words.some((word) => word.startsWith('-'));
      const behind = needsEnd && words.length > 0 ? [...late, '--', ...words] : [...words, ...late];
      return {
        argv: [...early, ...path, ...behind],
        path: spec.path,
        args: Object.fromEntries(
          Object.entries(spec.args ?? {}).map(([name, arg], at) => [
            name,
            arg.variadic === true ? groups[at] : groups[at]![0],
          ]),
        ),
        given: Object.fromEntries(
          flagged.map(({ key, flag, value }) => [key, flag.kind === 'boolean' ? true : value]),
        ),
      };
    });
});

it('says what it was made of, in whatever form it is typed', async () => {
  await fc.assert(
    fc.asyncProperty(line, async ({ argv, path, args, given }) => {
      const parsed = await parse(argv);
      if (parsed.kind !== 'run') throw new Error(`read as ${parsed.kind}`);
      const flags = { ...GLOBAL_FLAGS, ...parsed.command.flags } as Record<string, FlagSpec>;
      expect([parsed.command.path, parsed.args]).toEqual([path, args]);
      for (const [key, flag] of Object.entries(flags)) {
        const isOwn = Object.hasOwn(parsed.command.flags ?? {}, key);
        const value = isOwn ? parsed.flags[key] : (parsed.globals as never)[key];
        if (flag.kind === 'boolean') expect(value, key).toBe(given[key] === true);
        else if (given[key] === undefined || flag.kind === 'duration') continue;
        else if (flag.kind === 'strings') expect(value, key).toEqual([given[key]]);
        else if (key !== 'profile' && key !== 'env') expect(String(value), key).toBe(given[key]);
      }
    }),
    { numRuns: atNight ? 10_000 : 100 },
  );
});

it('gives a command of commander or an error of proc for any words', async () => {
  const word = fc.constantFrom(
    ...['orders', 'order', 'items', 'requisition', 'group', 'item', 'imports', 'api', 'schema'],
    ...['history', 'profile', 'help', 'list', 'get', 'find', 'add', 'set', 'show', 'resolve'],
    ...[
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
      '-o',
      '-ojson',
    ],
    ...[
      '-vy',
      '-vo',
      '-h',
      '--help',
      '--version',
      '-V',
      '--dry-run=yes',
      '-kx',
      '--all',
      '--name',
      '--adopt',
    ],
    ...[
      '-f',
      'a=b',
      '--no-input',
      '--no-inptu',
      '-=',
      '--=',
      '',
      ' ',
      '--out',
      '-y=',
      'constructor',
    ],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 7 }), async (argv) => {
      expect(await refusal(argv)).toSatisfy((text) => text === undefined || text !== '');
    }),
    { numRuns: atNight ? 10_000 : 100 },
  );
});
