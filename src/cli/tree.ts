import type { CommandTree } from '../core/command-tree.ts';
import { GLOBAL_FLAGS } from '../core/global-flags.ts';
import { NOUNS } from './registry.ts';

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
  return { nouns, globals: GLOBAL_FLAGS };
}
