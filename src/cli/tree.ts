import type { CommandTree } from '../core/command-tree.ts';
import { GLOBAL_FLAGS } from '../core/global-flags.ts';
import { HELP_NOUN, NOUNS, TOPICS } from './registry.ts';

/** Slow, because it loads every noun. */
export async function loadTree(): Promise<CommandTree> {
  const nouns = await Promise.all(
    NOUNS.map(async ({ name, aliases = [], summary, groups = {}, load }) => ({
      name,
      aliases,
      summary,
      groups,
      commands: (await load()).filter((spec) => spec.path[0] === name && spec.hidden !== true),
    })),
  );
  const help = {
    name: HELP_NOUN.name,
    summary: HELP_NOUN.summary,
    aliases: [],
    groups: {},
    commands: [],
  };
  return { nouns: [...nouns, help], globals: GLOBAL_FLAGS, topics: TOPICS };
}
