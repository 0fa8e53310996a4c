import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { MetItems } from '../../nouns/shared/catalogue.ts';
import { exactLines } from '../../nouns/shared/lines/exact-lines.ts';
import { LINE_FORMS, readList } from '../../nouns/shared/lines/list-lines.ts';
import type { WizardPorts } from '../questions/asker.ts';
import { chooseLines } from './choose-lines.ts';

/**
 * Puts the lines of `--lines FILE|-` into the payload's group. On a terminal doubtful lines are a
 * question, elsewhere only exact codes count.
 *
 * @throws ProcError `invalid_input` with line, text and nearest candidate
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
        ? 'there is no group to put it into'
        : `there are ${groups.length} groups`;
    throw new ProcError('invalid_usage', `--lines ${file}: ${problem}, expected one`, {
      hint: 'Give one: --group name=Plant,delivery=pickup (with --from it takes the place of the earlier groups)',
    });
  }
  const text = await ports.input.readText(file, { mayBeEmpty: true });
  const lines = readList(text);
  if (lines.length === 0) throw noLines(text, place);
  const canAsk = ports.io.terminal.interactive && !ports.api.isPreview && file !== '-';
  const found = canAsk
    ? await chooseLines(lines, place, ports, met)
    : await exactLines(lines, place, ports);
  const items = Array.isArray(group.items) ? group.items : [];
  return { ...base, groups: [{ ...group, items: [...items, ...found] }] };
}

function noLines(text: string, place: string): ProcError {
  const what = text.trim() === '' ? 'is empty' : 'holds only remarks or heads of columns';
  return new ProcError('invalid_input', `${place} ${what}, expected a line for each item`, {
    hint: LINE_FORMS,
  });
}
