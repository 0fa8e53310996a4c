import { HELP_NOUN, TOPICS } from '../../registry.ts';
import { type CommandPage, pageOf } from './command-page.ts';

/** The page of `proc help --help`, which also lists the topics. */
export function helpNounPage(): CommandPage {
  return { ...pageOf(HELP_NOUN), topics: Object.entries(TOPICS) };
}
