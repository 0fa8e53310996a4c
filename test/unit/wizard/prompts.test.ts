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

describe('a question', () => {
  it('search: returns the selected value', async () => {
    const { prompts, answer } = asking({});
    const found = prompts.search('Which item?', source);
    await answer('Washer', 'nut');
    await answer('❯ Nut', '\r');
    expect(await found).toBe(CHOICES[1]!.value);
  });

  it('search: begins with the given text, which can be edited', async () => {
    const { prompts, streams, answer } = asking({});
    const found = prompts.search('Which item?', source, 'nut');
    await answer('❯ Nut', '\u0015bolt');
    await streams.asked('bolt');
    await answer('❯ Bolt', '\r');
    expect(await found).toBe(CHOICES[0]!.value);
  });

  it('checkbox: returns the ticked values, also none', async () => {
    const one = asking({});
    const ticked = one.prompts.checkbox('Which?', CHOICES);
    await one.answer('Washer', ` ${DOWN}${DOWN} \r`);
    expect(await ticked).toEqual([{ name: 'Bolt' }, { name: 'Washer' }]);
    const two = asking({});
    const none = two.prompts.checkbox('Which?', CHOICES);
    await two.answer('Washer', '\r');
    expect(await none).toEqual([]);
  });

  it('lines: an empty line inside a paste does not end it', async () => {
    const { prompts, answer, streams } = asking({});
    const pasted = prompts.lines('Paste:');
    await answer('Paste:', 'one\ttab\r\n\r\ntwo\n\n');
    expect(await pasted).toEqual(['one\ttab', 'two']);
    expect(streams.isRaw()).toBe(false);
  });

  it.each(['search', 'checkbox', 'lines'] as const)(
    '%s: the end of the input is an interruption',
    async (kind) => {
      const { prompts, streams } = asking({});
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
    const { prompts } = asking({ CI: '1' });
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
