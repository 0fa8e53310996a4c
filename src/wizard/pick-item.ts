import { type KnownItem, type NewItem, shownLine } from '../compose/requisition-sheet.ts';
import type { Choice } from '../core/io.ts';
import { NearRows } from '../listing/near-rows.ts';
import { type CatalogueItem, itemLabels, itemOf } from '../nouns/shared/catalogue.ts';
import { matchLine, readList, searchItems } from './pasted-list.ts';
import { BACK, type Session } from './session.ts';

type Item = KnownItem | NewItem;

/**
 * Asks which item a line of a list means.
 *
 * @returns 'left-out' if the person skips the line
 */
export async function pickForLine(session: Session, text: string): Promise<Item | 'left-out'> {
  const { steps } = session;
  const [line = { text, readings: [] }] = readList(text);
  const { candidates } = matchLine(line, await session.catalogue());
  const name = line.readings[0]?.refs[0] ?? text;
  const choices: Choice<Item | 'left-out' | 'search'>[] = [
    ...itemChoices(candidates),
    { name: 'Search the catalogue', value: 'search' },
    { name: `Define "${name}" as a new item`, value: newItem(name) },
    { name: 'Skip this line', value: 'left-out' },
  ];
  for (;;) {
    const picked = await steps.select(`Which item does "${shownLine(text)}" mean?`, choices);
    if (picked !== 'search') return picked;
    const item = await searchItem(session, { for: shownLine(text), first: shownLine(name) });
    // If the search ends without an item, ask again: the line still needs one.
    if (item !== undefined) return item;
  }
}

interface Search {
  /** The line of a list that needs the item. */
  readonly for?: string;
  readonly first?: string;
  /** Enter alone keeps this item. */
  readonly current?: Item | undefined;
}

/** @returns undefined if the person chose nothing */
export async function searchItem(session: Session, search: Search): Promise<Item | undefined> {
  const catalogue = await session.catalogue();
  const none: Choice<Item | undefined> = { name: 'None, go back', value: undefined };
  const { current } = search;
  const source = async (term = ''): Promise<readonly Choice<Item | undefined>[]> => {
    const typed = term.trim();
    if (typed === BACK) return [none];
    const found = itemChoices(searchItems(catalogue, typed));
    // Enter alone selects the first choice, which must never define a new item.
    if (typed === '') {
      const present = current === undefined ? [] : [{ name: nameOf(current), value: current }];
      const define = { name: 'Define a new item', value: newItem(undefined) };
      return [...present, none, define, ...found];
    }
    const define = { name: `Define "${typed}" as a new item`, value: newItem(typed) };
    if (found.length > 0) return [...found, define, none];
    const near = new NearRows('items').add(catalogue).nearest(typed);
    const similar = itemChoices(near.flatMap((row) => itemOf({ ...row })));
    const named = similar.map((one) => ({ ...one, name: `Similar: ${one.name}` }));
    return [none, ...named, define];
  };
  const what = search.for === undefined ? 'Item' : `Item for "${search.for}"`;
  const question = `${what} (type part of its code or name)`;
  return session.prompts.search<Item | undefined>(question, source, search.first);
}

function nameOf(item: Item): string {
  return item.kind === 'known' ? itemLabels([item])[0]! : `${item.fields.name ?? 'new item'} (new)`;
}

function itemChoices(items: readonly CatalogueItem[]): Choice<KnownItem>[] {
  const labels = itemLabels(items);
  return items.map((item, at) => ({ name: labels[at]!, value: known(item) }));
}

export function known({ id, code, name }: CatalogueItem): KnownItem {
  return { kind: 'known', id, code, name };
}

function newItem(name: string | undefined): NewItem {
  return { kind: 'new', fields: name === undefined ? {} : { name } };
}
