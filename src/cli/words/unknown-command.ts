import { ProcError } from '../../core/errors.ts';
import { nearest } from '../../core/text/nearest.ts';
import { closeVerbs, sameVerbs } from '../../core/text/synonyms.ts';
import { loadTree } from '../tree.ts';
import { type Place, ROOT } from './command-place.ts';
import { looksLikeKey } from './key-like.ts';

const MOST_NAMED = 4;

/** @param after the words after `word`, up to the first unknown flag */
export async function unknownCommand(
  place: Place,
  word: string,
  after: readonly string[],
): Promise<ProcError> {
  const { name } = place;
  const meant =
    (await swapped(place, word, after)) ??
    (await withNext(await meantBy(word, name), after)) ??
    (await closeTo(place, word)) ??
    (await near(place, word, after)) ??
    (place === ROOT ? await byVerb(word, after) : await meantBy(word, 'proc'));
  // After `proc auth`, the word is often a key.
  const typed = name === 'proc auth' && meant === undefined ? '***' : `"${word}"`;
  return new ProcError('unknown_command', `${name}: there is no command ${typed}`, {
    hint: meant === undefined ? `See the help: ${name} --help` : `Did you mean: ${meant}`,
  });
}

/** For `proc list orders`: the command `proc orders list`. */
async function swapped(
  place: Place,
  verb: string,
  [noun = '']: readonly string[],
): Promise<string | undefined> {
  if (place !== ROOT) return undefined;
  const inside = await ROOT.below.get(noun)?.();
  return (await inside?.below.get(verb)?.())?.name;
}

/** For `proc odrers list`: the command `proc orders list`. */
async function near(
  { below }: Place,
  word: string,
  [next = '']: readonly string[],
): Promise<string | undefined> {
  // If several nouns are similar, prefers a noun that has the next word as a verb.
  const places = new Map<string, Place>();
  for (const [known, open] of below) {
    if (nearest(word, [known]) !== undefined) places.set(known, await open());
  }
  const withVerb = [...places].filter(([, inside]) => inside.below.has(next));
  const found = nearest(
    word,
    withVerb.length > 0 ? withVerb.map(([known]) => known) : below.keys(),
  );
  if (found === undefined) return undefined;
  const place = await below.get(found)!();
  return (await place.below.get(next)?.())?.name ?? place.name;
}

/** For `proc imports rm`: the command `proc imports discard`. */
async function closeTo({ below }: Place, word: string): Promise<string | undefined> {
  const verb = closeVerbs(word).find((one) => below.has(one));
  return verb === undefined ? undefined : (await below.get(verb)!()).name;
}

/** For `proc draft list`: adds `list` to `proc requisition draft`. */
async function withNext(
  meant: string | undefined,
  [next = '']: readonly string[],
): Promise<string | undefined> {
  let place: Place | undefined = ROOT;
  for (const word of meant?.split(' ').slice(1) ?? []) place = await place?.below.get(word)?.();
  return (await place?.below.get(next)?.())?.name ?? meant;
}

/**
 * The command with this verb, if only one command has it. No suggestion for a noun that may be a
 * key: errors with a suggestion are not masked.
 */
async function byVerb(noun: string, [verb = '']: readonly string[]): Promise<string | undefined> {
  if (looksLikeKey(noun)) return undefined;
  const { nouns } = await loadTree();
  const found = nouns.flatMap(({ commands }) =>
    commands.filter(({ path }) => sameVerbs(verb).includes(path.at(-1)!)),
  );
  return found.length === 1 ? `proc ${found[0]!.path.join(' ')}` : undefined;
}

/**
 * Finds commands by a word or its synonym: `proc requisition draft` for `proc drafts`. Undefined if
 * no command has the word, or too many have it.
 *
 * @param above the words that every result begins with, e.g. `proc requisition`
 */
export async function meantBy(
  word: string,
  above: string,
  start = 'proc',
): Promise<string | undefined> {
  const { nouns } = await loadTree();
  const specs = nouns.flatMap(({ commands }) => commands);
  const search = (words: readonly string[]): readonly string[] => {
    const found = new Set<string>();
    for (const { path } of specs) {
      const at = path.findIndex((one) => words.includes(one));
      if (at > 0 && `proc ${path.join(' ')}`.startsWith(`${above} `)) {
        found.add(path.slice(0, at + 1).join(' '));
      }
    }
    return [...found];
  };
  const singular = word.replace(/s$/, '');
  for (const words of [[word], [singular], sameVerbs(word)]) {
    const [first, ...others] = search(words);
    if (first === undefined) continue;
    if (others.length >= MOST_NAMED) return undefined;
    return `${start} ${first}${others.length === 0 ? '' : ` (or ${others.join(', ')})`}`;
  }
  return undefined;
}
