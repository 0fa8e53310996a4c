import type { Context } from '../core/command.ts';
import { ProcError } from '../core/errors.ts';
import { exactLines } from '../resources/requisitions/exact-lines.ts';
import { readList } from '../resources/requisitions/list-lines.ts';
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
  ctx: Context,
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
      hint: 'Give one: --group name=Plant,delivery=pickup',
    });
  }
  const lines = readList(await ctx.readText(file));
  const canAsk = ctx.terminal.interactive && !ctx.previewing && file !== '-';
  const found = canAsk ? await chooseLines(lines, place, ctx) : await exactLines(lines, place, ctx);
  const items = Array.isArray(group.items) ? group.items : [];
  return { ...base, groups: [{ ...group, items: [...items, ...found] }] };
}
