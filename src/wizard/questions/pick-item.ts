import { type ListLine, readList, shownLine } from '../../compose/list-lines.ts';
import { matchLine } from '../../compose/match-line.ts';
import type { KnownItem, NewItem } from '../../compose/requisition-sheet.ts';
import type { WizardMessages } from '../../compose/wizard-words.ts';
import type { Choice } from '../../core/ports.ts';
import { NearRows } from '../../listing/near-rows.ts';
import { type CatalogueItem, itemLabels, itemOf } from '../../nouns/shared/catalogue.ts';
import type { Asker } from './asker.ts';
import { BACK } from './going-back.ts';
import { searchItems } from './lookups.ts';

/** 'left-out': the person skips the line of the list. Undefined: the person chose nothing. */
export type Picked = KnownItem | NewItem | 'left-out' | undefined;

interface PickOptions {
  readonly text?: string | undefined;
  /** Enter alone keeps this item. */
  readonly current?: KnownItem | NewItem | undefined;
}

/** Asks for an item by search. For an unclear line of a list (`text`), offers candidates first. */
export async function pickItem(asker: Asker, options: PickOptions): Promise<Picked> {
  const { text, current } = options;
  if (text === undefined) return searchItem(asker, { current });
  const { prompts, words, lookups } = asker;
  const [line] = readList(text);
  const candidates = candidatesFor(line, await lookups.catalogue());
  const name = line?.readings[0]?.refs[0] ?? line?.refs?.[0] ?? text;
  const choices: Choice<KnownItem | NewItem | 'left-out' | 'search'>[] = [
    ...itemChoices(candidates),
    { name: words.lines.searchFor, value: 'search' },
    { name: words.lines.defineAs(name), value: defined(name) },
    { name: words.lines.leaveOut, value: 'left-out' },
  ];
  for (;;) {
    const picked = await prompts.select(words.lines.doubtful(shownLine(text)), choices);
    const item =
      picked === 'search' ? await searchItem(asker, { from: { text, term: name } }) : picked;
    // If the search ends without an item, ask again: the line still needs one.
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

interface SearchStart {
  readonly from?: { readonly text: string; readonly term: string };
  readonly current?: KnownItem | NewItem | undefined;
}

async function searchItem(
  { ports, prompts, words, lookups }: Asker,
  { from, current }: SearchStart,
): Promise<Found> {
  const catalogue = await lookups.catalogue();
  const mayRead = await ports.lookup.allowed();
  const question =
    from === undefined ? words.lines.item : words.lines.itemFor(shownLine(from.text));
  const first = from && shownLine(from.term);
  const none: Choice<Found> = { name: words.lines.nothing, value: undefined, key: BACK };
  const present = current === undefined ? [] : [presentChoice(current, words)];
  const source = async (term?: string): Promise<readonly Choice<Found>[]> => {
    const typed = term?.trim();
    if (typed === none.key) return [none];
    // A dry run that may not read the catalogue offers the typed code itself.
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
    const found = itemChoices(searchItems(catalogue, typed));
    // Enter alone selects the first choice, which must never define a new item.
    if (!typed) return [...present, none, toDefine, ...found];
    if (found.length + unseen.length > 0) return [...found, ...unseen, toDefine, none];
    const near = new NearRows('items').add(catalogue).nearest(typed);
    const nearest = itemChoices(near.flatMap((row) => itemOf({ ...row }))).map((choice) => ({
      ...choice,
      name: words.lines.similar(choice.name),
    }));
    return [none, ...nearest, toDefine];
  };
  const picked = await prompts.search<Found>(question, source, first);
  if (!mayRead && picked?.kind === 'known' && picked.code !== undefined) {
    ports.lookup.placeholder('item', picked.code);
  }
  return picked;
}

function presentChoice(
  item: KnownItem | NewItem,
  words: WizardMessages,
): Choice<KnownItem | NewItem> {
  if (item.kind === 'known') return { name: itemLabels([item])[0]!, value: item };
  return { name: words.review.isNew(item.fields.name ?? words.item.unnamed), value: item };
}

function itemChoices(items: readonly CatalogueItem[]): Choice<KnownItem>[] {
  const labels = itemLabels(items);
  return items.map((item, at) => ({ name: labels[at]!, value: known(item) }));
}

/**
 * Asks which of the existing items with this code to order.
 *
 * @returns undefined if the person wants to enter another code
 */
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
