import type { Context } from '../context.ts';
import type { Block } from '../core/result.ts';
import { check } from '../core/validate.ts';
import { createRequisition } from '../nouns/requisition/index.ts';
import type { CatalogueItem } from '../nouns/shared/catalogue.ts';
import { showBlocks } from '../output/show-blocks.ts';
import { namedItems } from './line-name.ts';
import {
  groupLabel,
  type Line,
  leftOutText,
  lineItemLabel,
  type Payload,
  type Sheet,
  sheetOf,
} from './requisition-sheet.ts';

/** The groups of a requisition, each with a table of its lines. */
function groupBlocks(sheet: Sheet): Block[] {
  return sheet.groups.map(
    ({ deliveryMethod = 'not chosen yet', address, lines, leftOut = [] }, at) => ({
      heading: [
        groupLabel(sheet, at).replace(/^"|"$/g, ''),
        deliveryMethod,
        ...(address
          ? [address.label === undefined ? address.id : `${address.label} (${address.id})`]
          : []),
      ].join(' · '),
      table: linesTable(lines),
      notes: [...repeats(lines), ...(leftOut.length > 0 ? leftOutText(leftOut).split('\n') : [])],
    }),
  );
}

/** Both lines are ordered, which a person may not want. */
function repeats(lines: readonly Line[]): string[] {
  const first = new Map<string, number>();
  return lines.flatMap((line, at) => {
    if (line.item === undefined) return [];
    const key = line.item.kind === 'known' ? line.item.id : lineItemLabel(line);
    const before = first.get(key);
    if (before === undefined) first.set(key, at + 1);
    return before === undefined ? [] : [`Line ${at + 1} orders the same item as line ${before}.`];
  });
}

function linesTable(lines: readonly Line[]): NonNullable<Block['table']> {
  return {
    columns: [
      { key: 'position', header: '#', kind: 'number', priority: 1 },
      { key: 'quantity', header: 'QUANTITY', kind: 'count', priority: 4 },
      { key: 'code', header: 'CODE', priority: 3 },
      { key: 'item', header: 'ITEM', priority: 2 },
    ],
    rows: lines.map((line, at) => {
      const { item, quantity = '?' } = line;
      const { code, name } = (item?.kind === 'new' ? item.fields : item) ?? {};
      const named = item?.kind === 'known' ? (name ?? item.id) : `${name ?? 'new item'} (new)`;
      const shown = item === undefined ? lineItemLabel(line) : named;
      return { position: at + 1, quantity, code: code ?? '', item: shown };
    }),
  };
}

export function showSheet(sheet: Sheet, ctx: Context): void {
  const { title, type, sector, code } = sheet;
  const fields = { Title: title, Type: type, Sector: sector?.label ?? sector?.value, Code: code };
  const lines = Object.entries(fields).flatMap(([label, value]) =>
    value ? [`${label}: ${value}`] : [],
  );
  showBlocks([{ heading: 'Your requisition', lines }, ...groupBlocks(sheet)], ctx.io);
}

/** A line that is added to a requisition, as the review shows it. */
export function showLine(heading: string, line: Line, ctx: Context): void {
  showBlocks([{ heading, table: linesTable([line]) }], ctx.io);
}

/** @param met the items that are known already */
export async function reviewPayload(
  payload: Payload,
  met: ReadonlyMap<string, CatalogueItem>,
  ctx: Context,
): Promise<void> {
  showSheet(await namedSheet(payload, met, ctx), ctx);
}

/** The groups of a requisition that was sent, with names. */
export async function groupsPage(sent: unknown, ctx: Context): Promise<readonly Block[]> {
  const { value } = check(createRequisition.body, sent);
  if (value === undefined) return [{ lines: [JSON.stringify(sent ?? null)] }];
  return groupBlocks(await namedSheet(value, new Map(), ctx));
}

async function namedSheet(
  payload: Payload,
  met: ReadonlyMap<string, CatalogueItem>,
  ctx: Context,
): Promise<Sheet> {
  const ids = payload.groups.flatMap(({ items }) => items.flatMap(({ itemId }) => itemId ?? []));
  const named = await namedItems(
    ids.filter((id) => !met.has(id)),
    ctx,
  );
  return sheetOf(payload, (id) => met.get(id) ?? named.get(id));
}
