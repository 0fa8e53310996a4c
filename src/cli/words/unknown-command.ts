import { ProcError } from '../../core/errors.ts';
import { nearest } from '../../core/text/nearest.ts';
import { loadTree } from '../tree.ts';
import type { Place } from './command-place.ts';

/** The error for a word that is no noun or verb, with what was probably meant. */
export async function unknownCommand(
  { name: words, below }: Place,
  word: string,
): Promise<ProcError> {
  const near = nearest(word, below.keys());
  const meant = (await meantBy(word, words)) ?? (near && `${words} ${near}`);
  // After `auth`, people type the key itself.
  const typed = words === 'proc auth' && meant === undefined ? '***' : `"${word}"`;
  return new ProcError('unknown_command', `${words}: there is no command ${typed}`, {
    hint: meant === undefined ? `See the help: ${words} --help` : `Did you mean: ${meant}`,
  });
}

/**
 * The commands below `proc …` that contain a word further down: `draft` is a word of `proc requisition
 * draft`.
 */
export async function meantBy(
  word: string,
  above: string,
  start = 'proc',
): Promise<string | undefined> {
  const { nouns } = await loadTree();
  const found = new Set<string>();
  for (const { commands } of nouns) {
    for (const { path } of commands) {
      const at = path.indexOf(word);
      if (at > 0 && `proc ${path.join(' ')}`.startsWith(`${above} `)) {
        found.add(path.slice(0, at + 1).join(' '));
      }
    }
  }
  const [first, ...others] = found;
  if (first === undefined) return undefined;
  return `${start} ${first}${others.length === 0 ? '' : ` (or ${others.join(', ')})`}`;
}
