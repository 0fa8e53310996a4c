import type { Ports } from '../core/ports.ts';
import type { Column } from '../core/result.ts';
import type { WizardMessages } from '../messages/wizard-en.ts';
import { wizardMessages } from '../messages/wizard-messages.ts';
import type { CatalogueItem } from '../nouns/shared/catalogue.ts';
import { tableFormatter } from '../output/format/table.ts';
import { type Paint, paint } from '../terminal/paint.ts';
import { visible, visibleLines } from '../terminal/sanitise.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { writeNow } from '../terminal/write.ts';
import { lineName } from './line-name.ts';
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

export function reviewText(
  sheet: Sheet,
  words: WizardMessages,
  { width, paint }: { readonly width: number; readonly paint: Paint },
): string {
  const { labels } = words.review;
  const heading = [
    [labels.title, sheet.title],
    [labels.type, sheet.type],
    [labels.sector, sheet.sector?.label ?? sheet.sector?.value],
    [labels.code, sheet.code],
  ].flatMap(([label, value]) => (value ? wrapWords(visible(`${label}: ${value}`), width) : []));
  const groups = sheet.groups.map((group, index) => {
    const name = groupLabel(sheet, index, words).replace(/^"|"$/g, '');
    const address = group.address ? [addressLabel(group.address)] : [];
    const line = [name, deliveryLabel(group, words), ...address].join(' · ');
    const rows = group.lines.map((each, position) => lineRow(each, position, words));
    const table = tableFormatter.rows(columnsOf(words), rows, { width, paint }).text;
    const left = (group.leftOut ?? []).length > 0 ? [leftOutText(group.leftOut!, words)] : [];
    const notes = left.flatMap((text) => visibleLines(text).split('\n'));
    return [
      ...wrapWords(visible(line), width).map(paint.bold),
      table.trimEnd(),
      ...notes.flatMap((note) => wrapWords(note, width)),
    ].join('\n');
  });
  return [`${paint.bold(words.review.heading)}\n${heading.join('\n')}`, ...groups]
    .map((part) => part.trimEnd())
    .join('\n\n');
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

const DEFAULT_WIDTH = 80;

export function showSheet(sheet: Sheet, words: WizardMessages, ports: Ports<'io'>): void {
  const width = Math.max(20, (ports.io.streams.stderr.columns || DEFAULT_WIDTH) - 1);
  const text = reviewText(sheet, words, { width, paint: paint(ports.io.terminal.color.stderr) });
  writeNow(ports.io.streams.stderr, `\n${text}\n\n`);
}

export async function reviewPayload(
  payload: Payload,
  met: ReadonlyMap<string, CatalogueItem>,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  const items = new Map(met);
  for (const line of payload.groups.flatMap((group) => group.items)) {
    const { itemId } = line;
    if (itemId === undefined || items.has(itemId)) continue;
    items.set(itemId, { id: itemId, code: undefined, name: await lineName(line, ports) });
  }
  const sheet = sheetOf(payload, (id) => items.get(id));
  showSheet(sheet, wizardMessages[await ports.io.lang()], ports);
}
