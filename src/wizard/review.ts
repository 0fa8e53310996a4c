import { groupLabel, ITEM_FIELDS, type Payload, type Sheet } from '../compose/requisition-sheet.ts';
import type { GlobalFlags } from '../core/global-flags.ts';
import type { Choice } from '../core/io.ts';
import { placeName } from '../core/service.ts';
import { inShell } from '../core/wording.ts';
import { addGroup, ask, changeGroup } from './ask.ts';
import type { Session } from './session.ts';

type Heading = 'title' | 'type' | 'sector' | 'code';
type Action = 'submit' | Heading | 'add-group' | 'leave' | { readonly group: number };

/** Asks for the next step and does it. Only `submit` and `leave` are left to the caller. */
export async function review(session: Session): Promise<'submit' | 'leave' | 'changed'> {
  const { draft, ctx, prompts } = session;
  const { sheet } = draft;
  const choices: Choice<Action>[] = [
    { name: `Send it to ${placeName(await ctx.target())}`, value: 'submit' },
    ...sheet.groups.map(({ lines }, group) => ({
      name: `Change ${groupLabel(sheet, group)} (lines: ${lines.length})`,
      value: { group },
    })),
    { name: 'Add a group', value: 'add-group' },
    ...(['title', 'type', 'sector', 'code'] as const).map((field) => ({
      name: `Change the ${field}`,
      value: field,
    })),
    { name: 'Save it as a draft and exit', value: 'leave' },
  ];
  const action = await prompts.select('What now?', choices);
  if (action === 'submit' || action === 'leave') return action;
  if (typeof action === 'object') await changeGroup(session, action.group);
  else if (action === 'add-group') addGroup(session);
  else await ask(session, { ask: action });
  return 'changed';
}

/** The body of a sheet in which nothing is missing. */
export function payloadOf({ title, type, sector, code, groups }: Sheet): Payload {
  return {
    title: title!,
    ...(type ? { type } : {}),
    ...(sector ? { sector: sector.value } : {}),
    ...(code ? { code } : {}),
    groups: groups.map(({ name, deliveryMethod, address, lines }) => ({
      ...(name ? { name } : {}),
      deliveryMethod: deliveryMethod!,
      ...(address ? { addressId: address.id } : {}),
      items: lines.map(({ item, quantity }) =>
        item!.kind === 'known'
          ? { quantity: quantity!, itemId: item!.id }
          : { quantity: quantity!, item: fieldsOf(item!.fields) as { name: string } },
      ),
    })),
  };
}

function fieldsOf(fields: Readonly<Record<string, string | null | undefined>>) {
  return Object.fromEntries(
    ITEM_FIELDS.flatMap((field) => (fields[field] ? [[field, fields[field]]] : [])),
  );
}

/** The command that orders a requisition again. */
export function againCommand(requisition: string, { profile, env }: GlobalFlags): string {
  const flags = Object.entries({ from: requisition, profile, env });
  const given = flags.flatMap(([name, value]) => (value ? [`--${name}`, value] : []));
  return ['proc', 'requisition', 'wizard', ...given].map(inShell).join(' ');
}
