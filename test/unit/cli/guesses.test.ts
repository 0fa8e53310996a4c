import { describe, expect, it } from 'vitest';
import { FLAG_GUESSES, GUESSES } from '../../../src/cli/guesses.ts';
import { NOUNS } from '../../../src/cli/registry.ts';
import { loadTree } from '../../../src/cli/tree.ts';
import { commandList } from '../../../src/schema/command-list.ts';
import { refusal, specs } from './typed-line.ts';

describe('a guess', () => {
  const RUN = '20261123-120000-ab12';
  /** The words of a pattern, as somebody would type them. */
  const typedAs = (pattern: string): readonly (readonly string[])[] =>
    pattern.split(' ').reduce<readonly (readonly string[])[]>(
      (lines, one) =>
        lines.flatMap((words) =>
          one.split('|').map((word) => {
            const typed =
              {
                '*': 'items.csv',
                FILE: 'items.csv',
                CODE: 'PO-1',
                RUN,
                '...': 'hex bolt',
                '/...': '/orders/',
              }[word] ?? word;
            return [...words, ...typed.split(' ')];
          }),
        ),
      [[]],
    );

  it.each(GUESSES)('proc %s → proc %s', async (pattern) => {
    for (const words of typedAs(pattern)) {
      const told = await refusal(words);
      expect(told, words.join(' ')).toMatch(/ → Did you mean: proc /);
      const [, hinted = ''] = / → Did you mean: proc (.*)$/.exec(told!)!;
      const again = hinted.match(/'[^']*'|\S+/g)!.map((word) => word.replace(/^'|'$/g, ''));
      expect(await refusal(again), hinted).toBeUndefined();
    }
  });

  it.each(FLAG_GUESSES.map(([where, flags]) => [where, flags] as const))(
    '%s: %s',
    async (where, flags) => {
      const [nouns, verbs = '*'] = where.split(' ');
      const fits = (words: string | undefined, word: string | undefined) =>
        words === '*' || words!.split('|').includes(word ?? '');
      const spec =
        specs.find(
          ({ path }) =>
            fits(nouns, path[0]) && fits(verbs, path.length > 1 ? path.at(-1) : undefined),
        ) ?? specs.find(({ path }) => fits(nouns, path[0]))!;
      for (const flag of flags.split('|')) {
        const args = Object.values(spec.args ?? {}).map((arg) => arg.choices?.[0] ?? 'x');
        const told = await refusal([...spec.path, ...args, flag, '5']);
        expect(told, `${spec.path.join(' ')} ${flag}`).toMatch(/ → Did you mean/);
      }
    },
  );

  it.each([
    ['items import --file F', 'proc items import F'],
    ['import F', 'proc items import F'],
    ['items list --page 2', '--limit 20 --offset 20'],
    ['items list --limit 50 --page 3', '--limit 50 --offset 100'],
    ['items create --sku X', '--code X'],
    ['items create name=Bolt code=B-1', 'proc items create --name Bolt --code B-1'],
    ['config set output=json', 'proc config set output json'],
    ['api /orders/', 'proc api GET /orders/'],
    ['api POST /items/ name=Bolt', 'proc api POST /items/ -f name=Bolt'],
    ['api POST /items/ -d {}', "echo '{}' | proc api POST /items/ --input -"],
    ['orders list -f json', '-o json'],
    ['orders list -o excel', 'xlsx'],
    ['orders list --sort amount', '--order-by FIELD'],
    ['orders list --last 10', '--limit 10'],
    ['orders wait PO-1 --until status=complete', '--for status=complete'],
    ['sectors list --limit 3', "-q '[:3]'"],
    ['auth login --api-key X', 'proc auth login --api-key-stdin < FILE'],
    ['requisition create --line AR-1:2', '--item code=AR-1,quantity=2'],
    ['items import F --upsert', '--on-existing skip'],
    ['orders list --order-id X', 'proc orders get X'],
    ['orders list --filter status=pending', '--where status=pending'],
    ['orders count', "proc orders list --all -q 'length(@)'"],
  ])('proc %s → %s', async (typed, meant) => {
    expect(await refusal(typed.split(' '))).toContain(meant);
  });

  it.each([
    ['items delete AR-5381', 'the service cannot delete an item', 'proc items list'],
    ['items rm AR-5381', 'the service cannot delete an item', 'proc items list'],
    ['items update AR-5381 --name x', 'the service cannot change an item', 'proc items list'],
    ['orders approve PO-1', 'the service cannot approve an order', 'proc orders list'],
    ['orders create', 'the service cannot create an order', 'proc requisition create --help'],
    [
      'imputations list',
      'the service cannot list imputations',
      'proc history list --noun imputations',
    ],
    ['addresses list', 'the service cannot list addresses', 'proc requisition list'],
    ['requisition approve req-1', 'the service cannot approve a requisition', 'requisition list'],
    ['sectors create', 'the service cannot create a sector', 'proc sectors list'],
  ])('proc %s: %s', async (typed, sentence, way) => {
    const told = await refusal(typed.split(' '));
    expect(told).toContain(`unknown_command: ${sentence} → `);
    expect(told).toContain(way);
  });

  it('never names a command of another noun that writes', async () => {
    const verbs = new Set(specs.flatMap(({ path }) => path.slice(1)));
    for (const { name } of NOUNS) {
      for (const verb of [...verbs, 'approve', 'remove', 'update', 'cancel', 'submit']) {
        const told = (await refusal([name, verb])) ?? '';
        const [, hinted] = /Did you mean: proc (.*)$/.exec(told) ?? [];
        if (hinted === undefined || hinted.startsWith(`${name} `)) continue;
        const words = hinted.split(' ');
        const spec = specs.find(({ path }) => path.every((word, at) => words[at] === word));
        expect(spec?.changes ?? 'nothing', `${name} ${verb} → ${hinted}`).toBe('nothing');
      }
    }
  });
});

describe('proc schema --commands', () => {
  it('lists exactly the commands, arguments and flags that are read', async () => {
    const { commands, flags: globals } = commandList(await loadTree());
    expect(commands.map(({ command }) => command).sort()).toEqual(
      specs
        .filter(({ hidden }) => hidden !== true)
        .map(({ path }) => path.join(' '))
        .sort(),
    );
    for (const { command, args, flags } of commands) {
      const needed = args.filter(({ required }) => required);
      const words = [...command.split(' '), ...needed.map(({ choices }) => choices?.[0] ?? 'x')];
      for (const one of [undefined, ...flags, ...globals]) {
        const typed =
          one === undefined
            ? []
            : one.type === 'boolean'
              ? [one.flag]
              : [
                  `${one.flag}=${one.choices?.[0] ?? { integer: one.min ?? 1, duration: '5m', number: 1 }[one.type as string] ?? 'x'}`,
                ];
        const others = flags.filter(({ required, flag }) => required && flag !== one?.flag);
        const required = others.map(({ flag, choices }) => `${flag}=${choices?.[0] ?? 'x'}`);
        const line = [...words, ...required, ...typed];
        expect(await refusal(line), line.join(' ')).toBeUndefined();
      }
      if (needed.length === 0) continue;
      const missing = await refusal(command.split(' '));
      if (command === 'completion') continue;
      expect(missing, command).toContain(`<${needed[0]!.name}> is missing`);
    }
  });
});
