import { ProcError } from '../../core/errors.ts';
import { itemLabel, type MetItems } from '../../nouns/shared/catalogue.ts';
import { type ListLine, shownLine } from '../../nouns/shared/lines/list-lines.ts';
import { matchLine } from '../../nouns/shared/lines/match-line.ts';
import { leftOutText } from '../model/labels.ts';
import { askQuantity, createAsker, type WizardPorts } from '../questions/asker.ts';
import { pickItem } from '../questions/pick-item.ts';

/**
 * Takes the lines with a sure match and asks about all others. Needs an interactive terminal.
 *
 * @throws ProcError `invalid_input` if the person skips every line
 */
export async function chooseLines(
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
