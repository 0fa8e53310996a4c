import type { Choice } from '../../core/ports.ts';
import { type CatalogueItem, itemLabels } from '../../nouns/shared/catalogue.ts';
import { type ListLine, readList, shownLine } from '../../nouns/shared/lines/list-lines.ts';
import { matchLine } from '../../nouns/shared/lines/match-line.ts';
import type { KnownItem, NewItem } from '../model/model.ts';
import type { Asker } from './asker.ts';
import { searchItems } from './lookups.ts';

/** An item, one to be defined, or none; a line of a list can be left out, by that answer alone. */
export type Picked = KnownItem | NewItem | 'left-out' | undefined;

interface PickOptions {
  /** The line of a list whose item is asked for. */
  readonly text?: string | undefined;
  /** The items that the line may mean, where that is known already. */
  readonly candidates?: readonly CatalogueItem[];
  /** A new item may be defined in place. */
  readonly allowNew: boolean;
}

/** Has an item chosen: by search, or for a doubtful line of a list among its candidates first. */
export async function pickItem(asker: Asker, options: PickOptions): Promise<Picked> {
  const { text, allowNew } = options;
  if (text === undefined) return searchItem(asker, allowNew);
  const { prompts, words, lookups } = asker;
  const [line] = readList(text);
  const candidates = options.candidates ?? candidatesFor(line, await lookups.catalogue());
  const name = line?.readings[0]?.refs[0] ?? line?.refs?.[0] ?? text;
  const choices: Choice<KnownItem | NewItem | 'left-out' | 'search'>[] = [
    ...itemChoices(candidates),
    { name: words.lines.searchFor, value: 'search' },
    ...(allowNew ? [{ name: words.lines.defineAs(name), value: defined(name) }] : []),
    { name: words.lines.leaveOut, value: 'left-out' },
  ];
  for (;;) {
    const picked = await prompts.select(words.lines.doubtful(shownLine(text)), choices);
    const item =
      picked === 'search' ? await searchItem(asker, allowNew, { text, term: name }) : picked;
    // A search that finds nothing leads back to the question: the line has no item yet.
    if (item !== undefined) return item;
  }
}

function candidatesFor(
  line: ListLine | undefined,
  catalogue: readonly CatalogueItem[],
): readonly CatalogueItem[] {
  if (line === undefined) return [];
  const match = matchLine(line, catalogue);
  return match.kind === 'sure' ? [match.item] : match.candidates;
}

type Found = KnownItem | NewItem | undefined;

/** @param from a line of a list, and the part of it that the search begins with. */
async function searchItem(
  { ports, prompts, words, lookups }: Asker,
  allowNew: boolean,
  from?: { readonly text: string; readonly term: string },
): Promise<Found> {
  const catalogue = await lookups.catalogue();
  const mayRead = await ports.lookup.allowed();
  const question =
    from === undefined ? words.lines.item : words.lines.itemFor(shownLine(from.text));
  const first = from && shownLine(from.term);
  const none: Choice<Found> = { name: words.lines.nothing, value: undefined };
  const source = async (term?: string): Promise<readonly Choice<Found>[]> => {
    const typed = term?.trim();
    // Where a dry run may not read, the code stands as it would be given to --item.
    const unseen: Choice<Found>[] =
      !mayRead && typed
        ? [
            {
              name: words.lines.typed(typed),
              value: known({ id: `<item ${typed}>`, code: typed, name: undefined }),
            },
          ]
        : [];
    const toDefine: Choice<Found> = typed
      ? { name: words.lines.defineAs(typed), value: defined(typed) }
      : { name: words.lines.define, value: defined(undefined) };
    const others = allowNew ? [toDefine] : [];
    const found = itemChoices(searchItems(catalogue, typed));
    // Who only presses Enter has chosen nothing; and the way back is not at the end of a long list.
    const isUntouched = !typed || (typed === first && found.length === 0);
    return isUntouched ? [none, ...others, ...found] : [...found, ...unseen, ...others, none];
  };
  const picked = await prompts.search<Found>(question, source, first);
  if (!mayRead && picked?.kind === 'known' && picked.code !== undefined) {
    ports.lookup.placeholder('item', picked.code);
  }
  return picked;
}

function itemChoices(items: readonly CatalogueItem[]): Choice<KnownItem>[] {
  const labels = itemLabels(items);
  return items.map((item, at) => ({ name: labels[at]!, value: known(item) }));
}

/** Which of the items with a code is ordered; undefined for none: the new item gets another code. */
export async function askExisting(
  { prompts, words }: Pick<Asker, 'prompts' | 'words'>,
  code: string,
  found: readonly CatalogueItem[],
): Promise<KnownItem | undefined> {
  const labels = itemLabels(found);
  const choices: Choice<KnownItem | undefined>[] = [
    ...found.map((item, at) => ({ name: words.item.take(labels[at]!), value: known(item) })),
    { name: words.item.otherCode, value: undefined },
  ];
  return prompts.select<KnownItem | undefined>(words.item.taken(code), choices);
}

export function known({ id, code, name }: CatalogueItem): KnownItem {
  return { kind: 'known', id, code, name };
}

function defined(name: string | undefined): NewItem {
  return { kind: 'new', fields: name === undefined ? {} : { name } };
}
