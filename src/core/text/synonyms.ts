/** Verbs with the same meaning. People know them from other command lines. */
const SAME_VERBS: readonly (readonly string[])[] = [
  ['list', 'ls', 'search'],
  ['get', 'show', 'view'],
  ['delete', 'remove', 'rm'],
  ['patch', 'edit', 'update'],
  ['create', 'add', 'new'],
];

function sameVerbs(word: string): readonly string[] {
  return SAME_VERBS.find((verbs) => verbs.includes(word)) ?? [word];
}

/**
 * Synonyms of these verbs: `ls` → `list`. A synonym of two of the verbs is left out.
 *
 * @param taken words that already mean something after the same noun
 */
export function synonymsOf(
  verbs: readonly string[],
  taken: ReadonlySet<string> = new Set(verbs),
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const verb of verbs) {
    const same = sameVerbs(verb);
    if (same.filter((word) => verbs.includes(word)).length > 1) continue;
    for (const word of same) if (!taken.has(word) && word !== verb) found.set(word, verb);
  }
  return found;
}

/**
 * Synonym → verb, for the verbs directly below `path`. `requisition add` does not mean `requisition create`,
 * because `requisition group add` exists.
 */
export function synonymsBelow(
  path: readonly string[],
  commands: readonly { readonly path: readonly string[] }[],
): ReadonlyMap<string, string> {
  const depth = path.length;
  const inside = commands.filter((one) => path.every((word, at) => one.path[at] === word));
  const verbs = inside
    .filter((one) => one.path.length === depth + 1)
    .map((one) => one.path[depth]!);
  return synonymsOf(verbs, new Set(inside.flatMap((one) => one.path.slice(depth))));
}
