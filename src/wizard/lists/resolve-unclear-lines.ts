import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { wizardMessages } from '../../messages/wizard-messages.ts';
import type { Payload, Reordered, UnclearLine } from '../../nouns/shared/lines/reorder.ts';
import { leftOutText } from '../model/labels.ts';
import { createAsker, type WizardPorts } from '../questions/asker.ts';
import { pickItem } from '../questions/pick-item.ts';
import { ambiguousLines } from './ambiguous-lines.ts';
import { lineName } from './line-name.ts';

/**
 * Warns about an item that no longer exists or will be defined again. For a line of the kind
 * `several`, asks which item is meant.
 *
 * @throws ProcError `ambiguous_reference` for such a line without an interactive terminal;
 * `invalid_input` if the person skips every line
 */
export async function resolveUnclearLines(
  reordered: Reordered,
  ports: WizardPorts,
): Promise<Payload> {
  const { payload, unclear } = reordered;
  await warnAboutUnclearLines(reordered, ports, wizardMessages.en.again);
  const several = unclear.filter(({ kind }) => kind === 'several');
  if (several.length === 0) return payload;
  if (!ports.io.terminal.interactive) throw ambiguousLines(payload, several, ports.self.typed);
  return asked(payload, several, ports);
}

export async function warnAboutUnclearLines(
  { payload, unclear }: Reordered,
  ports: Ports<'io' | 'store' | 'self'>,
  words: { gone(item: string): string; isNew(item: string): string },
): Promise<void> {
  for (const { kind, group, line } of unclear) {
    if (kind === 'several') continue;
    const name = await lineName(payload.groups[group]!.items[line]!, ports);
    ports.io.say({ kind: 'warning', text: kind === 'gone' ? words.gone(name) : words.isNew(name) });
  }
}

async function asked(
  payload: Payload,
  several: readonly UnclearLine[],
  ports: WizardPorts,
): Promise<Payload> {
  const asker = await createAsker(ports);
  const answers = new Map<string, string | undefined>();
  const leftOut: string[] = [];
  for (const { group, line, candidates } of several) {
    const one = payload.groups[group]!.items[line]!;
    const text = `${one.quantity} x ${await lineName(one, ports)}`;
    const item = await pickItem(asker, { text, candidates, allowNew: false });
    const isKnown = typeof item === 'object' && item.kind === 'known';
    answers.set(`${group} ${line}`, isKnown ? item.id : undefined);
    if (!isKnown) leftOut.push(text);
  }
  if (leftOut.length > 0) ports.io.say({ kind: 'notice', text: leftOutText(leftOut, asker.words) });
  const groups = payload.groups.map((one, group) => ({
    ...one,
    items: one.items.flatMap((each, line) => {
      const place = `${group} ${line}`;
      if (!answers.has(place)) return [each];
      const itemId = answers.get(place);
      return itemId === undefined ? [] : [{ quantity: each.quantity, itemId }];
    }),
  }));
  if (groups.some(({ items }) => items.length > 0)) return { ...payload, groups };
  throw new ProcError('invalid_input', 'every line was skipped; nothing was sent');
}
