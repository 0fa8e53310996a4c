import { findEarlier } from '../compose/earlier.ts';
import { decide } from '../compose/items-in-place.ts';
import { lineLabel, type Payload, sheetOf } from '../compose/requisition-sheet.ts';
import { foldCode } from '../core/text/fold-code.ts';
import { type CatalogueItem, itemLabel } from '../nouns/shared/catalogue.ts';
import { ask, wholeNumber } from './ask.ts';
import { nextQuestion, type Place } from './questions.ts';
import type { Session } from './session.ts';

/** Fills the draft from an earlier requisition, then asks for its title and what else may differ. */
export async function startFrom(session: Session, from: string): Promise<void> {
  const { draft, say, warn } = session;
  const earlier = await findEarlier(from, session.ctx);
  const items = await session.catalogue();
  const byId = new Map(items.map((item) => [item.id, item]));
  // Your own code names one requisition.
  const { code: _, ...payload } = earlier;
  const sheet = sheetOf(payload, (id) => byId.get(id));
  say(`Ordering again: ${earlier.title}`);
  const open: Place[] = [];
  for (const [at, group] of sheet.groups.entries()) {
    const { address } = group;
    if (address && (await session.address(address.id)) === undefined) {
      warn(`The service has no address "${address.id}".`);
      delete group.address;
    }
    for (const [line, one] of group.lines.entries()) {
      const now = itemNow(payload.groups[at]!.items[line]!, items);
      if (typeof now === 'object') {
        one.item = { kind: 'known', ...now };
      } else if (now === 'new') {
        warn(
          `The catalogue does not have ${one.item?.kind === 'new' ? one.item.fields.name : ''}. The earlier requisition defined it as a new item, and so does this one.`,
        );
      } else if (now === 'several') open.push({ group: at, line });
    }
  }
  // A line without an item is asked, also after a kill.
  for (const { group, line } of open) {
    const one = sheet.groups[group]!.lines[line]!;
    one.text = `${one.quantity} x ${one.item?.kind === 'new' ? (one.item.fields.code ?? one.item.fields.name) : ''}`;
    delete one.item;
    delete one.isSeparate;
  }
  draft.edit((empty) => Object.assign(empty, sheet));
  await ask(session, { ask: 'title' });
  for (
    let next = nextQuestion(draft.sheet);
    next.ask === 'item';
    next = nextQuestion(draft.sheet)
  ) {
    await ask(session, next);
  }
  await changeQuantities(session);
}

/**
 * The item that a line means now, if the earlier requisition defined it in place; 'new' if the catalogue does not have it,
 * 'several' if a person must choose.
 */
function itemNow(
  { itemId, item }: Payload['groups'][number]['items'][number],
  items: readonly CatalogueItem[],
): CatalogueItem | 'new' | 'several' | undefined {
  if (itemId !== undefined || item === undefined) return undefined;
  const found = items.filter(({ code, name }) =>
    item.code ? foldCode(code ?? '') === foldCode(item.code) : name === item.name,
  );
  if (found.length === 0) return 'new';
  const isSure = item.code ? decide(item, found).itemId !== undefined : found.length === 1;
  return isSure ? found[0] : 'several';
}

async function changeQuantities({ draft, prompts }: Session): Promise<void> {
  const places = draft.sheet.groups.flatMap(({ lines }, group) =>
    lines.map((each, line) => ({ name: lineLabel(each), value: { each, group, line } })),
  );
  if (places.length === 0) return;
  for (const { each, group, line } of await prompts.checkbox(
    'Which quantities do you want to change?',
    places,
  )) {
    const label = each.item?.kind === 'known' ? itemLabel(each.item) : lineLabel(each);
    const answer = await prompts.input(`How many of ${label}? (0 removes it)`, {
      default: String(each.quantity),
      validate: (text) => {
        if (wholeNumber(text, 0) !== undefined) return undefined;
        return text.trim() === ''
          ? 'Enter a whole number, e.g. 4; 0 removes the item.'
          : `"${text}" is not a whole number.`;
      },
    });
    // Removed below, so that the positions of the other lines stay valid.
    draft.edit(({ groups }) => {
      groups[group]!.lines[line]!.quantity = Number(answer.trim());
    });
  }
  draft.edit((sheet) => {
    for (const group of sheet.groups) group.lines = group.lines.filter((one) => one.quantity !== 0);
    sheet.groups = sheet.groups.filter(({ lines }) => lines.length > 0);
  });
}
