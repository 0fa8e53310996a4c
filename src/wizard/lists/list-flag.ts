import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { itemLabel, type MetItems } from '../../nouns/shared/catalogue.ts';
import { exactLines } from '../../nouns/shared/lines/exact-lines.ts';
import {
  LINE_FORMS,
  type ListLine,
  readList,
  shownLine,
} from '../../nouns/shared/lines/list-lines.ts';
import { matchLine } from '../../nouns/shared/lines/match-line.ts';
import { leftOutText } from '../model/labels.ts';
import { askQuantity, createAsker, type WizardPorts } from '../questions/asker.ts';
import { pickItem } from '../questions/pick-item.ts';

/**
 * Adds the lines of `--lines FILE|-` to the only group of a payload. Asks about unclear lines if
 * possible; otherwise every line must have an exact code.
 *
 * @throws ProcError `invalid_usage` for no group or several groups; `invalid_input` with line, text
 * and nearest candidate
 */
export async function withList(
  base: Readonly<Record<string, unknown>>,
  file: string,
  ports: WizardPorts & Ports<'input'>,
  met: MetItems,
): Promise<Record<string, unknown>> {
  const place = file === '-' ? 'standard input' : file;
  const groups = Array.isArray(base.groups) ? (base.groups as Record<string, unknown>[]) : [];
  const [group] = groups;
  if (group === undefined || groups.length > 1) {
    const problem =
      group === undefined
        ? 'the requisition has no group'
        : `the requisition has ${groups.length} groups`;
    throw new ProcError(
      'invalid_usage',
      `--lines ${file}: ${problem}, but the list needs exactly one`,
      {
        hint: 'Add one group (with --from it replaces the earlier groups): --group name=Plant,delivery=pickup',
      },
    );
  }
  const text = await ports.input.readText(file, { mayBeEmpty: true });
  const lines = readList(text);
  if (lines.length === 0) throw noLines(text, place);
  const mayRead = !ports.api.isPreview || (await ports.lookup.allowed());
  const canAsk = ports.io.terminal.interactive && mayRead && file !== '-';
  const found = canAsk
    ? await chooseLines(lines, place, ports, met)
    : await exactLines(lines, place, ports);
  const items = Array.isArray(group.items) ? group.items : [];
  return { ...base, groups: [{ ...group, items: [...items, ...found] }] };
}

function noLines(text: string, place: string): ProcError {
  const what = text.trim() === '' ? 'is empty' : 'contains only comments or column headers';
  return new ProcError('invalid_input', `${place} ${what}; expected one line per item`, {
    hint: LINE_FORMS,
  });
}

/**
 * Takes the lines with a sure match and asks about all others. Needs an interactive terminal.
 *
 * @throws ProcError `invalid_input` if the person skips every line
 */
async function chooseLines(
  lines: readonly ListLine[],
  place: string,
  ports: WizardPorts,
  met: MetItems,
): Promise<{ quantity: number; itemId: string }[]> {
  const asker = await createAsker(ports);
  const catalogue = await asker.lookups.catalogue();
  const chosen: { quantity: number; itemId: string }[] = [];
  const leftOut: string[] = [];
  for (const line of lines) {
    const match = matchLine(line, catalogue);
    if (match.kind === 'sure') {
      met.set(match.item.id, match.item);
      chosen.push({ quantity: match.quantity, itemId: match.item.id });
      continue;
    }
    const item = await pickItem(asker, { text: line.text, allowNew: false });
    if (item === 'left-out') leftOut.push(shownLine(line.text));
    if (typeof item !== 'object' || item.kind !== 'known') continue;
    const quantity = match.quantity ?? (await askQuantity(asker, itemLabel(item)));
    met.set(item.id, item);
    chosen.push({ quantity, itemId: item.id });
  }
  if (chosen.length > 0) {
    if (leftOut.length > 0) {
      ports.io.say({ kind: 'notice', text: leftOutText(leftOut, asker.words) });
    }
    return chosen;
  }
  throw new ProcError('invalid_input', `${place}: every line was skipped; nothing was sent`);
}
