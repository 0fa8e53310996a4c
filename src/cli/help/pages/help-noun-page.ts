import { HELP_NOUN, TOPICS } from '../../registry.ts';
import { type CommandPage, pageOf } from './command-page.ts';

export function helpNounPage(): CommandPage {
  return { ...pageOf(HELP_NOUN), topics: Object.entries(TOPICS) };
}
