import { once } from '../../../core/once.ts';
import type { AskPort, IoPort, SelfPort } from '../../../core/ports.ts';

/** Loads the library of prompts with the first question. */
export function createAsk({ streams, terminal, lang }: IoPort, { signal }: SelfPort): AskPort {
  const prompts = once(async () => {
    const { createPrompts } = await import('../../../terminal/create-prompts.ts');
    return createPrompts({ streams, terminal, signal, lang: await lang() });
  });
  return {
    confirm: async (...asked) => (await prompts()).confirm(...asked),
    typed: async (...asked) => (await prompts()).typed(...asked),
    select: async (...asked) => (await prompts()).select(...asked),
    checkbox: async (...asked) => (await prompts()).checkbox(...asked),
    search: async (...asked) => (await prompts()).search(...asked),
    lines: async (...asked) => (await prompts()).lines(...asked),
    input: async (...asked) => (await prompts()).input(...asked),
    secret: async (...asked) => (await prompts()).secret(...asked),
  };
}
