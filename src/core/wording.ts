/** `unitOfMeasure` → `unit-of-measure`. */
export function kebab(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The first items, and a mark if there are more: `a, b, …`. */
export function listed(
  items: readonly (string | number)[],
  most: number,
  separator = ', ',
): string {
  return someOf(items.slice(0, most), items.length, separator);
}

/** Items of which `shown` are the first, and a mark if there are more. */
export function someOf(
  shown: readonly (string | number)[],
  count: number,
  separator = ', ',
): string {
  return shown.join(separator) + (count > shown.length ? `${separator}…` : '');
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Quotes a word for POSIX shells and zsh if needed. Use it for every value in a command to paste, because
 * values may come from a service.
 */
export function inShell(word: string | number): string {
  const text = String(word);
  // zsh reads a word that begins with "=" as the path of a program.
  return /^(?!=)[\w@%+=:,./-]+$/.test(text) ? text : singleQuoted(text);
}

/** The flags `-p` and `-e` for commands that proc suggests, if the user typed these flags. */
export function targetFlags({
  profile,
  env,
}: {
  readonly profile?: string | undefined;
  readonly env?: string | undefined;
}): string {
  const named = profile === undefined ? '' : ` -p ${inShell(profile)}`;
  return `${named}${env === undefined ? '' : ` -e ${inShell(env)}`}`;
}

/**
 * The typed command line with further flags.
 *
 * @param typed words after `proc`
 * @param without flags to omit together with their values: `--digest`
 */
export function typedAgain(
  typed: readonly string[],
  further: readonly string[],
  without: readonly string[] = [],
): string {
  const end = typed.includes('--') ? typed.indexOf('--') : typed.length;
  const flags = typed.slice(0, end);
  const kept = flags.filter((word, index) => {
    const [name = ''] = word.split('=', 1);
    return !without.includes(name) && !without.includes(flags[index - 1] ?? '');
  });
  return ['proc', ...kept, ...further, ...typed.slice(end)].map(inShell).join(' ');
}

export function nearest(typed: string, candidates: Iterable<string>): string | undefined {
  const wanted = typed.toLowerCase();
  let best: string | undefined;
  // Up to a third of the letters may differ. In a short word, one letter may differ.
  let bestDistance = Math.max(1, Math.floor(Math.max(wanted.length, 3) / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * How far a text is from the nearest of several labels or of their words: 0 is the same but for case and
 * zeros at the beginning of numbers. Infinity if more than half of the letters differ.
 */
export function closeness(typed: string, labels: readonly string[]): number {
  const wanted = plain(typed);
  const most = Math.max(1, Math.floor(wanted.length / 2));
  let best = Number.POSITIVE_INFINITY;
  for (const label of labels.map(plain)) {
    for (const word of new Set([label, ...label.split(/[\s,;/()]+/), ...label.split(/\D+/)])) {
      if (word === '') continue;
      const isPart = wanted.length > 2 && word.includes(wanted);
      const far = isPart ? 0.5 : editDistance(wanted, word, most + 1);
      if (far <= most && far < best) best = far;
    }
  }
  return best;
}

function plain(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/(?<!\d)0+(?=\d)/g, '');
}

/** Edits (insert, delete, replace, swap of neighbours) from `a` to `b`. A result of `limit` or more may be too low. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}

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
