import type { AskPort } from '../core/ports.ts';
import { createInquirerPrompts } from './inquirer-prompts.ts';
import { createPlainPrompts } from './plain-prompts.ts';
import type { PromptOptions } from './prompts.ts';

/** Loads inquirer, so import this file only when needed. */
export function createPrompts(options: PromptOptions): AskPort {
  return options.terminal.accessible ? createPlainPrompts(options) : createInquirerPrompts(options);
}
