import { describe, expect, it } from 'vitest';
import { loadTree } from '../../../src/cli/tree.ts';
import { type CommandList, commandList } from '../../../src/schema/command-list.ts';
import { refusal } from './typed-line.ts';

/** What `proc schema --commands` prints. */
const LIST: CommandList = JSON.parse(JSON.stringify(commandList(await loadTree())));
type Listed = CommandList['commands'][number];
type Flag = Listed['flags'][number];

/** A value that the flag takes, by what the list says of it. */
function valueFor({ type, choices, min, flag }: Flag): readonly string[] {
  if (type === 'boolean') return [];
  if (choices !== undefined) return [choices[0]!];
  if (type === 'integer') return [String(min ?? 1)];
  if (type === 'number') return ['1.5'];
  return [type === 'duration' ? '5s' : `${flag.slice(2)}-value`];
}

const typed = (flag: Flag): readonly string[] => [flag.flag, ...valueFor(flag)];

/** The shortest line of the command. */
function least({ command, args, flags }: Listed): readonly string[] {
  return [
    ...command.split(' '),
    ...args.filter(({ required }) => required).map(({ choices }) => choices?.[0] ?? 'word'),
    ...flags.filter(({ required }) => required).flatMap(typed),
  ];
}

const all: readonly (readonly [string, Listed])[] = LIST.commands.map((one) => [one.command, one]);

describe('what schema --commands lists is what the parser takes', () => {
  it.each(all)('%s', async (_, listed) => {
    const { command, args, flags } = listed;
    const line = least(listed);
    expect(await refusal(line)).toBeUndefined();
    const problems: string[] = [];
    const takes = async (words: readonly string[], isTaken: boolean) => {
      const why = await refusal(words);
      if ((why === undefined) === isTaken) return;
      problems.push(`${words.join(' ')}: ${why ?? 'taken'}`);
    };
    const isVariadic = args.some(({ variadic }) => variadic);
    await takes([...line, ...args.map(() => 'word'), 'more'], isVariadic);
    for (const [at, { required }] of args.entries()) {
      if (required)
        await takes([...command.split(' '), ...args.slice(0, at).map(() => 'w')], false);
    }
    // Every command takes the global flags in the same way.
    for (const flag of command === 'orders list' ? [...flags, ...LIST.flags] : flags) {
      const others = flag.required ? line.filter((word) => !typed(flag).includes(word)) : line;
      if (flag.required) await takes(others, false);
      await takes([...others, ...typed(flag)], true);
      if (flag.short !== undefined) await takes([...others, flag.short, ...valueFor(flag)], true);
      if (flag.type !== 'boolean') {
        await takes([...others, flag.flag], false);
        const two = [...typed(flag), flag.flag, `${valueFor(flag)[0]}${flag.choices ? '' : '0'}`];
        if (flag.choices === undefined) await takes([...others, ...two], flag.repeatable);
      }
      for (const choice of flag.choices ?? []) await takes([...others, flag.flag, choice], true);
      if (flag.choices !== undefined) await takes([...others, flag.flag, 'no-such-choice'], false);
      if (flag.min !== undefined) await takes([...others, flag.flag, String(flag.min - 1)], false);
      if (flag.max !== undefined) await takes([...others, flag.flag, String(flag.max + 1)], false);
    }
    expect(problems).toEqual([]);
  });

  it('also for aliases of nouns', async () => {
    for (const [alias, noun] of Object.entries(LIST.aliases)) {
      const listed = LIST.commands.find(({ command }) => command.startsWith(`${noun} `))!;
      expect(await refusal([alias, ...least(listed).slice(1)])).toBeUndefined();
    }
  });
});
