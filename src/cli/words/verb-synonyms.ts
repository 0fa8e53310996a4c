import type { CommandSpec } from '../../core/command-spec.ts';
import { synonymsOf } from '../../core/text/synonyms.ts';

/**
 * Synonym → verb, for the verbs directly below `words`. `requisition add` does not mean
 * `requisition create`, because `requisition group add` exists.
 */
export function verbSynonyms(
  words: readonly string[],
  commands: readonly Pick<CommandSpec, 'path'>[],
): ReadonlyMap<string, string> {
  const depth = words.length;
  const inside = commands.filter(({ path }) => words.every((word, at) => path[at] === word));
  const verbs = inside
    .filter(({ path }) => path.length === depth + 1)
    .map(({ path }) => path[depth]!);
  return synonymsOf(verbs, new Set(inside.flatMap(({ path }) => path.slice(depth))));
}
