/** Verbs with the same meaning. People know them from other command lines. */
const SAME_VERBS: readonly (readonly string[])[] = [
  ['list', 'ls', 'search'],
  ['get', 'show', 'view'],
  ['delete', 'remove', 'rm'],
  ['patch', 'edit', 'update'],
  ['create', 'add', 'new'],
];

/**
 * Synonyms of these verbs: `ls` → `list`. A synonym of two of the verbs is left out.
 *
 * @param taken words that already mean something after the same noun: `requisition add` does not mean `requisition
 * create`, because `requisition group add` exists
 */
export function synonymsOf(
  verbs: readonly string[],
  taken: ReadonlySet<string> = new Set(verbs),
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const verb of verbs) {
    const same = SAME_VERBS.find((one) => one.includes(verb)) ?? [];
    if (same.filter((word) => verbs.includes(word)).length > 1) continue;
    for (const word of same) if (!taken.has(word) && word !== verb) found.set(word, verb);
  }
  return found;
}
