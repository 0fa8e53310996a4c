import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  groupLabel,
  ITEM_FIELDS,
  type Line,
  type Payload,
  type Sheet,
} from '../compose/requisition-sheet.ts';
import { messageOf } from '../core/errors.ts';
import type { GlobalFlags } from '../core/global-flags.ts';
import type { Choice } from '../core/io.ts';
import { placeName } from '../core/service-target.ts';
import { pairs } from '../core/text/pairs.ts';
import { inShell } from '../core/text/typed.ts';
import { writeWholeFile } from '../store/whole-file.ts';
import { addGroup, ask, changeGroup } from './ask.ts';
import type { Session } from './session.ts';

type Heading = 'title' | 'type' | 'sector' | 'code';
type Action = 'submit' | Heading | 'add-group' | 'save' | 'leave' | { readonly group: number };

/**
 * Asks for the next step and does it. Only `submit` and `leave` are left to the caller.
 *
 * @param isAtSave puts the cursor on `save`: after saving to a file, Enter must not send
 */
export async function review(
  session: Session,
  isAtSave: boolean,
): Promise<'submit' | 'leave' | 'changed' | 'saved'> {
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
    { name: 'Save it to a file', value: 'save' },
    { name: 'Save it as a draft and exit', value: 'leave' },
  ];
  const action = await prompts.select('What now?', choices, isAtSave ? choices.length - 2 : 0);
  if (action === 'submit' || action === 'leave') return action;
  if (action === 'save') {
    await saveToFile(session);
    return 'saved';
  }
  if (typeof action === 'object') await changeGroup(session, action.group);
  else if (action === 'add-group') addGroup(session);
  else await ask(session, { ask: action });
  return 'changed';
}

async function saveToFile({ draft, ctx, prompts, say, warn }: Session): Promise<void> {
  const { env, cwd, flags } = ctx;
  let suggested = 'requisition.json';
  for (;;) {
    const name = (await prompts.input('File name', { default: suggested })).trim();
    // `~` is expanded here, because no shell does it for typed answers.
    const home = name.startsWith('~/') ? env.HOME : undefined;
    const file = home === undefined ? resolve(cwd, name) : join(home, name.slice(2));
    const isTaken = existsSync(file);
    if (isTaken && !(await prompts.confirm(`${name} already exists. Overwrite it?`, false))) return;
    try {
      writeWholeFile(file, `${JSON.stringify(payloadOf(draft.sheet), undefined, 2)}\n`);
    } catch (thrown) {
      const beside = (thrown as { path?: string }).path ?? file;
      warn(`${name}: ${messageOf(thrown).replaceAll(beside, file)}`);
      suggested = name;
      continue;
    }
    const shown = home === undefined ? name : file;
    const create = ['proc', 'requisition', 'create'];
    const byFile = typed([...create, ...flag('--file', shown)], flags);
    const byFlags = typed([...create, ...flagsOf(draft.sheet)], flags);
    say(`Saved: ${shown}\n  ${byFile}\nThe requisition as one command:\n  ${byFlags}`);
    return;
  }
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

/** The flags of `requisition create` for a sheet. */
function flagsOf({ title, type, sector, code, groups }: Sheet): string[] {
  const names = groups.map(({ name }) => name);
  return [
    ...[...flag('--title', title), ...flag('--type', type)],
    ...[...flag('--sector', sector?.value), ...flag('--code', code)],
    ...groups.flatMap(({ name, deliveryMethod: delivery, address }) => [
      ...['--group', pairs({ name, delivery, address: address?.id })],
    ]),
    // proc reads all --item flags before all --new-item flags. So a group that needs both kinds of flags
    // loses the order of its lines.
    ...groups.flatMap(({ name, lines }, at) => {
      const isUnique = name && names.filter((other) => other === name).length === 1;
      const group = names.length === 1 ? undefined : isUnique ? name : String(at + 1);
      return lines.flatMap((line) => lineFlag(line, group));
    }),
  ];
}

function lineFlag({ item, quantity }: Line, group: string | undefined): string[] {
  const own = { quantity: String(quantity), group };
  if (item?.kind === 'new') return ['--new-item', pairs({ ...fieldsOf(item.fields), ...own })];
  const named = item?.code === undefined ? { id: item?.id } : { code: item.code };
  return ['--item', pairs({ ...named, ...own })];
}

/** The command that orders a requisition again. */
export function againCommand(requisition: string, flags: GlobalFlags): string {
  return typed(['proc', 'requisition', 'wizard', ...flag('--from', requisition)], flags);
}

function typed(
  words: readonly string[],
  { profile, env }: Pick<GlobalFlags, 'profile' | 'env'>,
): string {
  return [...words, ...flag('--profile', profile), ...flag('--env', env)].map(inShell).join(' ');
}

function flag(name: string, value: string | null | undefined): string[] {
  if (!value) return [];
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value];
}
