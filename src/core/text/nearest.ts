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
