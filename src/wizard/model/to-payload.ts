import type { Payload } from '../../compose/payload.ts';
import { ITEM_FIELDS, type Line, type Sheet } from '../../compose/requisition-sheet.ts';
import { definedBefore } from './questions.ts';

type ProblemCode =
  | 'title_missing'
  | 'no_groups'
  | 'delivery_missing'
  | 'no_lines'
  | 'list_open'
  | 'item_missing'
  | 'name_missing'
  | 'quantity_invalid'
  | 'defined_twice'
  | 'defined_again';

interface Problem {
  readonly code: ProblemCode;
  /** The field of the payload, e.g. `groups[0].items[2].quantity`. */
  readonly field: string;
  /** Positions from 0, if the problem is in a group or in a line. */
  readonly group?: number;
  readonly line?: number;
}

export type Built =
  | { readonly payload: Payload; readonly problems: readonly [] }
  | { readonly payload: undefined; readonly problems: readonly Problem[] };

export function payloadOf(sheet: Sheet): Built {
  const problems = problemsOf(sheet);
  if (problems.length > 0) return { payload: undefined, problems };
  const { title, type, sector, code, groups } = sheet;
  const payload: Payload = {
    title: title!,
    ...(isText(type) ? { type } : {}),
    ...(sector ? { sector: sector.value } : {}),
    ...(isText(code) ? { code } : {}),
    groups: groups.map(({ name, deliveryMethod, address, lines }) => ({
      ...(isText(name) ? { name } : {}),
      deliveryMethod: deliveryMethod!,
      ...(address ? { addressId: address.id } : {}),
      items: lines.map(lineOf),
    })),
  };
  return { payload, problems: [] };
}

function lineOf({ item, quantity }: Line): Payload['groups'][number]['items'][number] {
  if (item!.kind === 'known') return { quantity: quantity!, itemId: item!.id };
  const { fields } = item!;
  const given = ITEM_FIELDS.filter((field) => isText(fields[field]));
  return {
    quantity: quantity!,
    item: Object.fromEntries(given.map((field) => [field, fields[field]])) as { name: string },
  };
}

function problemsOf(sheet: Sheet): Problem[] {
  const problems: Problem[] = [];
  if (!isText(sheet.title)) problems.push({ code: 'title_missing', field: 'title' });
  if (sheet.groups.length === 0) problems.push({ code: 'no_groups', field: 'groups' });
  const defined = new Set<string>();
  for (const [group, { deliveryMethod, lines, pasted }] of sheet.groups.entries()) {
    const at = `groups[${group}]`;
    if (deliveryMethod === undefined) {
      problems.push({ code: 'delivery_missing', field: `${at}.deliveryMethod`, group });
    }
    if (pasted?.length) problems.push({ code: 'list_open', field: `${at}.items`, group });
    else if (lines.length === 0) problems.push({ code: 'no_lines', field: `${at}.items`, group });
    for (const [line, one] of lines.entries()) {
      const place = { group, line };
      for (const { code, field } of lineProblems(one, defined)) {
        problems.push({ code, field: `${at}.items[${line}]${field}`, ...place });
      }
      if (definedBefore(sheet, group, line) !== undefined) {
        problems.push({ code: 'defined_again', field: `${at}.items[${line}].item`, ...place });
      }
    }
  }
  return problems;
}

function* lineProblems(
  { item, quantity }: Line,
  defined: Set<string>,
): Generator<{ code: ProblemCode; field: string }> {
  if (item === undefined) yield { code: 'item_missing', field: '' };
  else if (item.kind === 'new') {
    const { name, code } = item.fields;
    if (!isText(name)) yield { code: 'name_missing', field: '.item.name' };
    if (isText(code)) {
      if (defined.has(code)) yield { code: 'defined_twice', field: '.item.code' };
      defined.add(code);
    }
  }
  if (quantity === undefined || !Number.isSafeInteger(quantity) || quantity <= 0) {
    yield { code: 'quantity_invalid', field: '.quantity' };
  }
}

function isText(value: string | null | undefined): value is string {
  return value !== undefined && value !== null && value.trim() !== '';
}
