import { createInquirerPrompts } from './inquirer-prompts.ts';
import { createPlainPrompts } from './plain-prompts.ts';
import type { PromptOptions, Prompts } from './prompts.ts';

/** The questions that suit this terminal. Loads inquirer, so load it when first needed. */
export function createPrompts(options: PromptOptions): Prompts {
  return options.terminal.accessible ? createPlainPrompts(options) : createInquirerPrompts(options);
}
