import { describe, expect, it } from 'vitest';
import { ProcError } from '../../../src/core/errors.ts';
import { createPrompts } from '../../../src/terminal/create-prompts.ts';
import { describeTerminal } from '../../../src/terminal/terminal.ts';
import { memoryStreams } from '../../support/streams.ts';

function asking(env: Record<string, string> = {}, streams = memoryStreams({ terminal: true })) {
  const controller = new AbortController();
  const terminal = describeTerminal(streams, env, { noInput: false });
  const prompts = createPrompts({ streams, terminal, signal: controller.signal });
  return { prompts, streams, controller };
}

const ITEMS = ['Bolt', 'Nut', 'Washer'].map((name) => ({ name, value: { name } }));
const source = async (term = '') =>
  ITEMS.filter(({ name }) => name.toLowerCase().includes(term.toLowerCase()));

/** Types only once inquirer has drawn the question, because it drops earlier keys. */
async function answer(streams: ReturnType<typeof memoryStreams>, question: string, keys: string) {
  await streams.asked(question);
  streams.type(keys);
}

describe('a question', () => {
  it('passes on the reason of an abort', async () => {
    const { prompts, streams, controller } = asking();
    const confirmed = prompts.confirm('Go on?');
    await streams.asked('Go on?');
    controller.abort(new ProcError('interrupted', 'Terminated', { exitCode: 143 }));
    await expect(confirmed).rejects.toMatchObject({ code: 'interrupted', exitCode: 143 });
  });

  it('lines: an empty line inside a paste does not end it', async () => {
    const { prompts, streams } = asking();
    const pasted = prompts.lines('Paste:');
    await answer(streams, 'Paste:', 'one\ttab\r\n\r\ntwo\n\n');
    expect(await pasted).toEqual(['one\ttab', 'two']);
    expect(streams.isRaw()).toBe(false);
  });

  it.each(['search', 'checkbox', 'lines'] as const)(
    '%s: the end of the input is an interruption',
    async (kind) => {
      const { prompts, streams } = asking();
      const asked: Promise<unknown> =
        kind === 'search'
          ? prompts.search('Which?', source)
          : kind === 'checkbox'
            ? prompts.checkbox('Which?', ITEMS)
            : prompts.lines('Which?');
      await streams.asked('Which?');
      streams.endInput();
      await expect(asked).rejects.toMatchObject({ code: 'interrupted', exitCode: 130 });
      expect(streams.isRaw()).toBe(false);
    },
  );
});

it.each(['\u0003', '\u0004'])(
  'Ctrl-C and Ctrl-D (%j) are interruptions and restore the terminal',
  async (key) => {
    const { prompts, streams } = asking();
    const name = prompts.input('Name?');
    await answer(streams, 'Name?', key);
    await expect(name).rejects.toMatchObject({ code: 'interrupted', exitCode: 130 });
    expect(streams.isRaw()).toBe(false);
  },
);
