import type { Column } from '../../core/result.ts';
import type { WizardMessages } from '../../messages/wizard-en.ts';
import { shownLine } from '../../nouns/shared/lines/list-lines.ts';
import { tableFormatter } from '../../output/format/table.ts';
import type { Paint } from '../../terminal/paint.ts';
import { visible, visibleLines } from '../../terminal/sanitise.ts';
import { wrapWords } from '../../terminal/wrap-words.ts';
import { addressLabel, deliveryLabel, groupLabel, leftOutText } from '../model/labels.ts';
import type { Line, Sheet } from '../model/model.ts';

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
