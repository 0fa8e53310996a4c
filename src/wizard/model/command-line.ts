import { ITEM_FIELDS, type Line, type Sheet } from '../../compose/requisition-sheet.ts';
import type { GlobalFlags } from '../../core/global-flags.ts';
import { pairs } from '../../core/text/pairs.ts';
import { inShell } from '../../core/text/typed.ts';

type Where = Pick<GlobalFlags, 'profile' | 'env'>;

export function fileCommand(file: string, where: Where): string {
  return typed(['proc', 'requisition', 'create', ...flag('--file', file), ...rest(where)]);
}

/** The command that orders the requisition again. */
export function againCommand(requisition: string, where: Where): string {
  const from = flag('--from', requisition);
  return typed(['proc', 'requisition', 'wizard', ...from, ...rest(where)]);
}

export function commandLine(sheet: Sheet, where: Where): string {
  const words = ['proc', 'requisition', 'create', ...flag('--title', sheet.title)];
  words.push(...flag('--type', sheet.type), ...flag('--sector', sheet.sector?.value));
  words.push(...flag('--code', sheet.code));
  const names = sheet.groups.map(({ name }) => name);
  for (const { name, deliveryMethod, address } of sheet.groups) {
    words.push('--group', pairs({ name, delivery: deliveryMethod, address: address?.id }));
  }
  // proc reads all --item flags before all --new-item flags. So a group that needs both kinds of
  // flags loses the order of its lines.
  for (const [index, { name, lines }] of sheet.groups.entries()) {
    const isUnique = name && names.filter((other) => other === name).length === 1;
    const group = names.length === 1 ? undefined : isUnique ? name : String(index + 1);
    for (const line of lines) words.push(...lineFlag(line, group));
  }
  return typed([...words, ...rest(where)]);
}

function lineFlag({ item, quantity }: Line, group: string | undefined): string[] {
  const own = { quantity: String(quantity), group };
  if (item?.kind === 'new') {
    const fields = Object.fromEntries(ITEM_FIELDS.map((field) => [field, item.fields[field]]));
    return ['--new-item', pairs({ ...fields, ...own })];
  }
  const named = item?.code === undefined ? { id: item?.id } : { code: item.code };
  return ['--item', pairs({ ...named, ...own })];
}

function rest({ profile, env }: Where): string[] {
  return [...flag('--profile', profile), ...flag('--env', env)];
}

function flag(name: string, value: string | null | undefined): string[] {
  if (!value) return [];
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value];
}

function typed(words: readonly string[]): string {
  return words.map(inShell).join(' ');
}
