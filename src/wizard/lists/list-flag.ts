import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { MetItems } from '../../nouns/shared/catalogue.ts';
import { exactLines } from '../../nouns/shared/lines/exact-lines.ts';
import { LINE_FORMS, readList } from '../../nouns/shared/lines/list-lines.ts';
import type { WizardPorts } from '../questions/asker.ts';
import { chooseLines } from './choose-lines.ts';

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
