import { synonymsOf } from '../core/text/synonyms.ts';
import type { Candidate, FlagModel, Model, Offer } from './offers.ts';

export interface Place {
  /** E.g. `--dir=` if a flag and its value are one word; otherwise empty. */
  readonly head: string;
  readonly typed: string;
  readonly offer:
    | Offer
    | { readonly kind: 'candidates'; readonly candidates: readonly Candidate[] };
}

/** @param words the words after `proc`, up to the cursor; the last word may be empty */
export function placeOf(model: Model, words: readonly string[]): Place {
  const word = words.at(-1) ?? '';
  const { path, isHelp, flag, isEnded, positional } = walk(model, words.slice(0, -1));
  const at = Object.hasOwn(model.paths, path) ? model.paths[path]! : {};
  const plain = { head: '', typed: word };
  if (flag !== undefined) return { ...plain, offer: flag.value ?? ANYTHING };
  if (!isEnded && word.startsWith('-')) {
    const equals = word.indexOf('=') + 1;
    if (word.startsWith('--') && equals > 0) {
      const joined = flagNamed(model, isHelp ? '' : path, word.slice(0, equals - 1));
      const [head, typed] = [word.slice(0, equals), word.slice(equals)];
      return { head, typed, offer: joined?.value ?? ANYTHING };
    }
    const flags = [...(isHelp ? [] : (at.flags ?? [])), ...model.globals];
    const candidates = flags.map(({ names, doc }): Candidate => [names[0]!, doc]);
    return { ...plain, offer: { kind: 'candidates', candidates } };
  }
  if (positional === 0 && at.children !== undefined) {
    const candidates = at.children;
    return { ...plain, offer: { kind: 'candidates', candidates } };
  }
  const args = isHelp ? [] : (at.args ?? []);
  const arg = args[positional] ?? (at.variadic === true ? args.at(-1) : undefined);
  return { ...plain, offer: arg ?? ANYTHING };
}

const ANYTHING: Offer = { kind: 'anything' };

interface Walked {
  /** The recognised command, e.g. `orders list`. */
  readonly path: string;
  readonly isHelp: boolean;
  readonly flag: FlagModel | undefined;
  /** True after `--`: no flags follow. */
  readonly isEnded: boolean;
  readonly positional: number;
}

function walk(model: Model, words: readonly string[]): Walked {
  let path = '';
  let isHelp = false;
  let flag: FlagModel | undefined;
  let isEnded = false;
  let positional = 0;
  for (const word of words) {
    if (flag !== undefined) flag = undefined;
    else if (!isEnded && word === '--') isEnded = true;
    else if (!isEnded && word.startsWith('-')) {
      const found = flagNamed(model, isHelp ? '' : path, word);
      flag = found?.value === undefined ? undefined : found;
    } else if (path === '' && !isHelp && word === 'help') isHelp = true;
    else {
      const isNoun = path === '' && Object.hasOwn(model.aliases, word);
      const children = model.paths[path]?.children ?? [];
      const verbs = children.map(([child]) => child);
      const name = isNoun ? model.aliases[word]! : (synonymsOf(verbs).get(word) ?? word);
      if (positional === 0 && children.some(([child]) => child === name)) {
        path = path === '' ? name : `${path} ${name}`;
      } else positional++;
    }
  }
  return { path, isHelp, flag, isEnded, positional };
}

function flagNamed(model: Model, path: string, name: string): FlagModel | undefined {
  const flags = [...(model.paths[path]?.flags ?? []), ...model.globals];
  return flags.find(({ names }) => names.includes(name));
}
