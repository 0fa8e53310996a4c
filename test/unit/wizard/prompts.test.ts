import { describe, expect, it } from 'vitest';
import { createPrompts } from '../../../src/terminal/create-prompts.ts';
import { describeTerminal } from '../../../src/terminal/terminal.ts';
import { memoryStreams } from '../../support/streams.ts';

function asking(env: Record<string, string>) {
  const streams = memoryStreams({ terminal: true });
  const controller = new AbortController();
  const terminal = describeTerminal(streams, env, { noInput: false });
  const prompts = createPrompts({ streams, terminal, signal: controller.signal });
  const answer = async (question: string, keys: string): Promise<void> => {
    await streams.asked(question);
    streams.type(keys);
  };
  return { prompts, streams, answer };
}

const CHOICES = ['Bolt', 'Nut', 'Washer'].map((name) => ({ name, value: { name } }));
const source = async (term = '') =>
  CHOICES.filter(({ name }) => name.toLowerCase().includes(term.toLowerCase()));
const DOWN = '\u001b[B';

describe.each([
  ['inquirer', {}],
  ['plain questions (ACCESSIBLE)', { ACCESSIBLE: '1' }],
])('%s', (_, env: Record<string, string>) => {
  const isPlain = 'ACCESSIBLE' in env;

  it('search: returns the selected value', async () => {
    const { prompts, answer } = asking(env);
    const found = prompts.search('Which item?', source);
    if (isPlain) {
      await answer('Part of the name or code', 'nut\n');
      await answer('1. Nut', '1\n');
    } else {
      await answer('Washer', 'nut');
      await answer('❯ Nut', '\r');
    }
    expect(await found).toBe(CHOICES[1]!.value);
  });

  it('search: begins with the given text, which can be edited', async () => {
    const { prompts, streams, answer } = asking(env);
    const found = prompts.search('Which item?', source, 'nut');
    if (isPlain) {
      await answer('Part of the name or code (empty: "nut")', '\n');
      await answer('2. Search again', '2\n');
      await answer('(empty: show the first)', 'bolt\n');
      await answer('1. Bolt', '1\n');
    } else {
      await answer('❯ Nut', '\u0015bolt');
      await streams.asked('bolt');
      await answer('❯ Bolt', '\r');
    }
    expect(await found).toBe(CHOICES[0]!.value);
  });

  it('checkbox: returns the ticked values, also none', async () => {
    const one = asking(env);
    const ticked = one.prompts.checkbox('Which?', CHOICES);
    await one.answer('Washer', isPlain ? '1, 3\n' : ` ${DOWN}${DOWN} \r`);
    expect(await ticked).toEqual([{ name: 'Bolt' }, { name: 'Washer' }]);
    const two = asking(env);
    const none = two.prompts.checkbox('Which?', CHOICES);
    await two.answer('Washer', isPlain ? '\n' : '\r');
    expect(await none).toEqual([]);
  });

  it('lines: an empty line inside a paste does not end it', async () => {
    const { prompts, answer, streams } = asking(env);
    const pasted = prompts.lines('Paste:');
    await answer('Paste:', 'one\ttab\r\n\r\ntwo\n\n');
    expect(await pasted).toEqual(['one\ttab', 'two']);
    expect(streams.isRaw()).toBe(false);
  });

  it.each(['search', 'checkbox', 'lines'] as const)(
    '%s: the end of the input is an interruption',
    async (kind) => {
      const { prompts, streams } = asking(env);
      const asked: Promise<unknown> =
        kind === 'search'
          ? prompts.search('Which?', source)
          : kind === 'checkbox'
            ? prompts.checkbox('Which?', CHOICES)
            : prompts.lines('Which?');
      await streams.asked('Which?');
      streams.endInput();
      await expect(asked).rejects.toMatchObject({ code: 'interrupted', exitCode: 130 });
      expect(streams.isRaw()).toBe(false);
    },
  );

  it('refuses to ask in a non-interactive session', async () => {
    const { prompts } = asking({ ...env, CI: '1' });
    const refusals = [
      () => prompts.search('Which?', source),
      () => prompts.checkbox('Which?', CHOICES),
      async () => prompts.lines('Which?'),
    ];
    for (const refused of refusals) {
      await expect(refused()).rejects.toMatchObject({ code: 'confirmation_required' });
    }
  });
});

it('plain lists of numbers are asked again until they are valid', async () => {
  const { prompts, answer } = asking({ ACCESSIBLE: '1' });
  const ticked = prompts.checkbox('Which?', CHOICES);
  await answer('separated by commas', '1,4\n');
  await answer('"1,4" is not a list of numbers', '2\n');
  expect(await ticked).toEqual([{ name: 'Nut' }]);
});

it('a plain search can be restarted', async () => {
  const { prompts, answer } = asking({ ACCESSIBLE: '1' });
  const found = prompts.search('Which item?', source);
  await answer('Part of the name', 'zzz\n');
  await answer('1. Search again', '1\n');
  await answer('Search again\nNumber', '');
  await answer('Number from 1 to 1: Which item?', 'bolt\n');
  await answer('1. Bolt', '1\n');
  expect(await found).toEqual({ name: 'Bolt' });
});
