import type { AskPort } from '../core/ports.ts';
import { createInquirerPrompts } from './inquirer-prompts.ts';
import { createPlainPrompts } from './plain-prompts.ts';
import type { PromptOptions } from './prompts.ts';

/** The questions that suit this terminal. Loads inquirer, so load it when first needed. */
export function createPrompts(options: PromptOptions): AskPort {
  return options.terminal.accessible ? createPlainPrompts(options) : createInquirerPrompts(options);
}
