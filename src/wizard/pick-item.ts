import { type CatalogueItem, itemLabel } from '../resources/items/catalogue.ts';
import { readList, shownLine } from '../resources/requisitions/list-lines.ts';
import { matchLine } from '../resources/requisitions/match-line.ts';
import type { Choice } from '../terminal/prompts.ts';
import type { Asker } from './asker.ts';
import { searchItems } from './lookups.ts';
import type { KnownItem, NewItem } from './model.ts';

/** An item, one to be defined, or none; a line of a list can be left out, by that answer alone. */
export type Picked = KnownItem | NewItem | 'left-out' | undefined;

interface PickOptions {
  /** The line of a list that is to be settled. */
  readonly text?: string | undefined;
  /** A new item may be defined in place. */
  readonly allowNew: boolean;
}

/** Has an item chosen: by search, or for a doubtful line of a list among its candidates first. */
export async function pickItem(asker: Asker, { text, allowNew }: PickOptions): Promise<Picked> {
  if (text === undefined) return searchItem(asker, allowNew);
  const { prompts, words, lookups } = asker;
  const [line] = readList(text);
  const match = line === undefined ? undefined : matchLine(line, await lookups.catalogue());
  const candidates =
    match === undefined ? [] : match.kind === 'sure' ? [match.item] : match.candidates;
  const name = line?.readings[0]?.refs[0] ?? line?.refs?.[0] ?? text;
  const choices: Choice<KnownItem | NewItem | 'left-out' | 'search'>[] = [
    ...candidates.map((item) => ({ name: itemLabel(item), value: known(item) })),
    { name: words.lines.searchFor, value: 'search' },
    ...(allowNew ? [{ name: words.lines.defineAs(name), value: defined(name) }] : []),
    { name: words.lines.leaveOut, value: 'left-out' },
  ];
  for (;;) {
    const picked = await prompts.select(words.lines.doubtful(shownLine(text)), choices);
    const item = picked === 'search' ? await searchItem(asker, allowNew, text) : picked;
    // A search that finds nothing leads back to the question: the line is still to be settled.
    if (item !== undefined) return item;
  }
}

type Found = KnownItem | NewItem | undefined;

async function searchItem(
  { ctx, prompts, words, lookups }: Asker,
  allowNew: boolean,
  text?: string,
): Promise<Found> {
  const catalogue = await lookups.catalogue();
  const question = text === undefined ? words.lines.item : words.lines.itemFor(shownLine(text));
  const none: Choice<Found> = { name: words.lines.nothing, value: undefined };
  return prompts.search<Found>(question, async (term) => {
    const typed = term?.trim();
    // Nothing is looked up in a dry run; the code stands as it would be given to --item.
    const unseen: Choice<Found>[] =
      ctx.previewing && typed
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
    const found = searchItems(catalogue, typed).map((item) => ({
      name: itemLabel(item),
      value: known(item),
    }));
    // Who only presses Enter has chosen nothing; and the way back is not at the end of a long list.
    return typed ? [...found, ...unseen, ...others, none] : [none, ...others, ...found];
  });
}

export function known({ id, code, name }: CatalogueItem): KnownItem {
  return { kind: 'known', id, code, name };
}

function defined(name: string | undefined): NewItem {
  return { kind: 'new', fields: name === undefined ? {} : { name } };
}
