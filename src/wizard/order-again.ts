import { findEarlier } from '../compose/earlier.ts';
import { lineLabel, sheetOf } from '../compose/requisition-sheet.ts';
import { ask } from './ask.ts';
import { nextQuestion } from './questions.ts';
import type { Session } from './session.ts';

/** Fills the draft from an earlier requisition, then asks for its title and what else may differ. */
export async function startFrom(session: Session, from: string): Promise<void> {
  const { draft, say, warn } = session;
  // Your own code names one requisition.
  const { code: _, ...earlier } = await findEarlier(from, session.ctx);
  const byId = new Map((await session.catalogue()).map((item) => [item.id, item]));
  const sheet = sheetOf(earlier, (id) => byId.get(id));
  say(`Ordering again: ${earlier.title}`);
  for (const group of sheet.groups) {
    const { address } = group;
    if (address && (await session.address(address.id)) === undefined) {
      warn(`The service has no address "${address.id}".`);
      delete group.address;
    }
    for (const line of group.lines) {
      if (line.item?.kind !== 'new') continue;
      // The earlier requisition created the item. It is found in the catalogue like an item of a pasted list.
      const { code, name } = line.item.fields;
      line.text = `${line.quantity}\t${code ?? name}`;
      delete line.item;
    }
  }
  draft.edit((empty) => Object.assign(empty, sheet));
  await ask(session, { ask: 'title' });
  for (;;) {
    const next = nextQuestion(draft.sheet);
    if (next.ask !== 'item') break;
    await ask(session, next);
  }
  await changeQuantities(session);
}

async function changeQuantities(session: Session): Promise<void> {
  const places = session.draft.sheet.groups.flatMap(({ lines }, group) =>
    lines.map((each, line) => ({ name: lineLabel(each), value: { group, line } })),
  );
  if (places.length === 0) return;
  const text = 'Which quantities do you want to change?';
  for (const place of await session.prompts.checkbox(text, places)) {
    await ask(session, { ask: 'quantity', ...place });
  }
}
