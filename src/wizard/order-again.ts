import { findEarlier } from '../compose/earlier.ts';
import { lineName, sayRemarks } from '../compose/line-name.ts';
import type { Payload } from '../compose/payload.ts';
import { existingNow, orderAgain } from '../compose/reorder.ts';
import { lineLabel, sheetOf } from '../compose/requisition-sheet.ts';
import type { InputPort, Ports } from '../core/ports.ts';
import { check } from '../core/validate.ts';
import { createRequisition } from '../nouns/requisition/index.ts';
import { itemLabel } from '../nouns/shared/catalogue.ts';
import type { Edit } from './model/model.ts';
import { ask } from './questions/ask-missing.ts';
import { wholeNumber } from './questions/asker.ts';
import type { DraftEditor } from './questions/draft-editor.ts';

export async function startFrom(
  editor: DraftEditor,
  from: string,
  { input }: Ports<'input'>,
): Promise<void> {
  const { ports, lookups, words } = editor.asker;
  const gone = new Set<string>();
  const earlier = await earlierPayload(editor, from, input);
  const now = await existingNow(earlier, ports, {
    onGone: (id) => gone.add(id),
    read: () => lookups.items(),
  });
  const { payload, unclear } = orderAgain(earlier, now);
  const catalogue = new Map((await lookups.catalogue()).map((item) => [item.id, item]));
  const { groups, ...heading } = sheetOf(payload, (id) => catalogue.get(id));
  ports.io.say({ kind: 'notice', text: words.again.intro(payload.title) });
  for (const id of gone) {
    ports.io.say({ kind: 'warning', text: words.group.unknownAddress(id) });
  }
  const remarks = unclear.flatMap(({ kind, group, line }) =>
    kind === 'several' ? [] : [{ kind, line: payload.groups[group]!.items[line]! }],
  );
  await sayRemarks(remarks, words.again, ports);
  const open: Edit[] = [];
  for (const { kind, group, line } of unclear) {
    if (kind === 'new') continue;
    const one = payload.groups[group]!.items[line]!;
    // The wizard shows this text when it asks for the item.
    const text = `${one.quantity} x ${one.item?.code ?? (await lineName(one, ports))}`;
    const change = { item: undefined, text, isSeparate: undefined };
    open.push({ edit: 'change-line', group, line, change });
  }
  editor.edit(
    { edit: 'change', change: heading },
    // A person must choose another address if the earlier one no longer exists.
    ...groups.map((group) => {
      const isGone = group.address && gone.has(group.address.id);
      return {
        edit: 'add-group',
        group: isGone ? { ...group, address: undefined } : group,
      } as const;
    }),
    // These lines are saved without an item. If the wizard is killed, it asks for the items when it
    // resumes.
    ...open,
  );
  await ask(editor, { ask: 'title' });
  for (let place = openLine(editor); place !== undefined; place = openLine(editor)) {
    await ask(editor, { ask: 'item', ...place });
  }
  await changeQuantities(editor);
}

function openLine({ sheet }: DraftEditor): { group: number; line: number } | undefined {
  for (const [group, { lines }] of sheet.groups.entries()) {
    const line = lines.findIndex(({ item }) => item === undefined);
    if (line >= 0) return { group, line };
  }
  return undefined;
}

async function earlierPayload(
  { asker }: DraftEditor,
  from: string,
  input: InputPort,
): Promise<Payload> {
  const earlier = await findEarlier(from, asker.ports);
  const { ports } = asker;
  const isFile = earlier.kind === 'file';
  // Checked like any payload: an unknown field gives a warning, an invalid field an error.
  const { value } = await input.body(createRequisition, {
    file: isFile ? earlier.file : undefined,
    fields: {},
    ...(isFile ? {} : { amend: async () => earlier.payload }),
  });
  // A draft contains documented fields only.
  const checked = check(createRequisition.body, value);
  if (checked.unknown.length > 0) {
    const names = checked.unknown.map(({ field }) => field).join(', ');
    ports.io.say({ kind: 'warning', text: asker.words.again.leftOut(names) });
  }
  return checked.value ?? value;
}

async function changeQuantities(editor: DraftEditor): Promise<void> {
  const { prompts, words } = editor.asker;
  const places = editor.sheet.groups.flatMap(({ lines }, group) =>
    lines.map((each, line) => ({ name: lineLabel(each, words), value: { group, line } })),
  );
  if (places.length === 0) return;
  const chosen = await prompts.checkbox(words.again.quantities, places);
  const dropped: { group: number; line: number }[] = [];
  for (const place of chosen) {
    const each = editor.sheet.groups[place.group]!.lines[place.line]!;
    const label = each.item?.kind === 'known' ? itemLabel(each.item) : lineLabel(each, words);
    const answer = await prompts.input(words.again.quantity(label), {
      default: String(each.quantity),
      validate: (text) => {
        if (wholeNumber(text, 0) !== undefined) return undefined;
        return text.trim() === '' ? words.again.numberMissing : words.again.notNumber(text);
      },
    });
    const quantity = Number(answer.trim());
    if (quantity > 0) editor.edit({ edit: 'change-line', ...place, change: { quantity } });
    else dropped.push(place);
  }
  // From the end, so that the positions of the other lines stay valid.
  editor.edit(
    ...dropped.reverse().map((place) => ({ edit: 'remove-line', ...place }) as const),
    ...editor.sheet.groups
      .map(({ lines }, group) => ({ lines, group }))
      .filter(
        ({ lines, group }) =>
          lines.length > 0 && lines.every((_, line) => isDropped(dropped, group, line)),
      )
      .reverse()
      .map(({ group }) => ({ edit: 'remove-group', group }) as const),
  );
}

function isDropped(
  dropped: readonly { readonly group: number; readonly line: number }[],
  group: number,
  line: number,
): boolean {
  return dropped.some((place) => place.group === group && place.line === line);
}
