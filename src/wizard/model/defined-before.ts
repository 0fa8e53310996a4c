import { fold } from '../../nouns/shared/lines/match-line.ts';
import type { Line, Sheet } from './model.ts';

/**
 * The earlier line, of any group, that defines a new item of the same name as this line does without
 * a code; undefined where that is meant to be. The service would hold two items then, and can delete
 * neither.
 */
export function definedBefore(
  sheet: Sheet,
  group: number,
  line: number,
): { readonly group: number; readonly line: number } | undefined {
  const own = sheet.groups[group]?.lines[line];
  const name = newName(own);
  if (own?.item?.kind !== 'new' || own.item.fields.code || own.isOwnItem === true) return undefined;
  if (name === undefined) return undefined;
  for (const [at, { lines }] of sheet.groups.slice(0, group + 1).entries()) {
    const before = at === group ? lines.slice(0, line) : lines;
    const found = before.findIndex((one) => newName(one) === name);
    if (found >= 0) return { group: at, line: found };
  }
  return undefined;
}

function newName(line: Line | undefined): string | undefined {
  if (line?.item?.kind !== 'new') return undefined;
  return fold(line.item.fields.name ?? undefined) || undefined;
}
