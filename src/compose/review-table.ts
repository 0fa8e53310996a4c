import type { Ports } from '../core/ports.ts';
import type { Block, Column, Row } from '../core/result.ts';
import { check } from '../core/validate.ts';
import { createRequisition } from '../nouns/requisition/index.ts';
import type { CatalogueItem } from '../nouns/shared/catalogue.ts';
import { columnsOf as columnsIn } from '../output/cell.ts';
import { blocksText } from '../output/table.ts';
import { paint } from '../terminal/paint.ts';
import { writeNow } from '../terminal/write.ts';
import { namedItems } from './line-name.ts';
import { shownLine } from './list-lines.ts';
import type { Payload } from './payload.ts';
import {
  addressLabel,
  deliveryLabel,
  groupLabel,
  type Line,
  leftOutText,
  type Sheet,
  sheetOf,
} from './requisition-sheet.ts';
import { type WizardMessages, wizardMessages } from './wizard-words.ts';

/** The groups of a requisition, each with a table of its lines. */
function groupBlocks(sheet: Sheet, words: WizardMessages): Block[] {
  return sheet.groups.map((group, index) => {
    const name = groupLabel(sheet, index, words).replace(/^"|"$/g, '');
    const address = group.address ? [addressLabel(group.address)] : [];
    const { leftOut = [] } = group;
    return {
      heading: [name, deliveryLabel(group, words), ...address].join(' · '),
      table: linesTable(group.lines, words),
      notes: leftOut.length > 0 ? leftOutText(leftOut, words).split('\n') : [],
    };
  });
}

/** The fields of a requisition that are not empty, each with its label. */
function headingLines(sheet: Sheet, words: WizardMessages): string[] {
  const { labels } = words.review;
  return [
    [labels.title, sheet.title],
    [labels.type, sheet.type],
    [labels.sector, sheet.sector?.label ?? sheet.sector?.value],
    [labels.code, sheet.code],
  ].flatMap(([label, value]) => (value ? [`${label}: ${value}`] : []));
}

function linesTable(lines: readonly Line[], words: WizardMessages): NonNullable<Block['table']> {
  const rows = lines.map((each, position) => lineRow(each, position, words));
  return { columns: columnsOf(words), rows };
}

function columnsOf(words: WizardMessages): readonly Column[] {
  const { position, code, item, quantity } = words.review.columns;
  return [
    { key: 'position', header: position, kind: 'number', priority: 1 },
    { key: 'quantity', header: quantity, kind: 'count', priority: 4 },
    { key: 'code', header: code, priority: 3 },
    { key: 'item', header: item, priority: 2 },
  ];
}

function lineRow({ item, quantity, text }: Line, position: number, words: WizardMessages) {
  const own =
    item === undefined
      ? { code: '', item: text === undefined ? words.review.open : shownLine(text) }
      : item.kind === 'known'
        ? { code: item.code ?? '', item: item.name ?? item.id }
        : {
            code: item.fields.code ?? '',
            item: words.review.isNew(item.fields.name ?? words.item.unnamed),
          };
  return { position: position + 1, quantity: quantity ?? '?', ...own };
}

export function showSheet(sheet: Sheet, words: WizardMessages, ports: Ports<'io'>): void {
  const head = { heading: words.review.heading, lines: headingLines(sheet, words) };
  showBlocks([head, ...groupBlocks(sheet, words)], ports);
}

const DEFAULT_WIDTH = 80;

export function showBlocks(blocks: readonly Block[], { io }: Ports<'io'>): void {
  const width = Math.max(20, (io.streams.stderr.columns || DEFAULT_WIDTH) - 1);
  const text = blocksText(blocks, { width, paint: paint(io.terminal.color.stderr) });
  writeNow(io.streams.stderr, `\n${text}\n`);
}

/** The fields of a record that are not empty, as lists show a record. */
export function showRecord(value: Row, ports: Ports<'io'>): void {
  const columns = columnsIn([value]).filter(({ key }) => (value[key] ?? '') !== '');
  if (columns.length > 0) showBlocks([{ record: { columns, value } }], ports);
}

/** A line that is added to a requisition, as the review shows it. */
export async function showLine(heading: string, line: Line, ports: Ports<'io'>): Promise<void> {
  const words = wizardMessages;
  showBlocks([{ heading, table: linesTable([line], words) }], ports);
}

type NamePorts = Ports<'io' | 'lookup' | 'store' | 'self'>;

/** @param met the items that are known already */
export async function reviewPayload(
  payload: Payload,
  met: ReadonlyMap<string, CatalogueItem>,
  ports: NamePorts,
): Promise<void> {
  const sheet = await namedSheet(payload, met, ports);
  showSheet(sheet, wizardMessages, ports);
}

/** The groups of a requisition that was sent, with names. */
export async function groupsPage(sent: unknown, ports: NamePorts): Promise<readonly Block[]> {
  const { value } = check(createRequisition.body, sent);
  if (value === undefined) return [{ lines: [JSON.stringify(sent ?? null)] }];
  return groupBlocks(await namedSheet(value, new Map(), ports), wizardMessages);
}

async function namedSheet(
  payload: Payload,
  met: ReadonlyMap<string, CatalogueItem>,
  ports: NamePorts,
): Promise<Sheet> {
  const ids = payload.groups.flatMap(({ items }) => items.flatMap(({ itemId }) => itemId ?? []));
  const named = await namedItems(
    ids.filter((id) => !met.has(id)),
    ports,
  );
  return sheetOf(payload, (id) => met.get(id) ?? named.get(id));
}
