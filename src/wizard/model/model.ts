import type { Group, Line, NewItem, Sheet } from '../../compose/requisition-sheet.ts';

export const EMPTY_SHEET: Sheet = { groups: [] };

/** `line`, `toGroup`, `to` and a numeric `group` are positions, from 0. */
export type Edit =
  | { readonly edit: 'change'; readonly change: Partial<Omit<Sheet, 'groups'>> }
  | { readonly edit: 'add-group'; readonly group?: Group }
  | {
      readonly edit: 'change-group';
      readonly group: number;
      readonly change: Partial<Omit<Group, 'lines' | 'leftOut'>>;
    }
  | { readonly edit: 'duplicate-group' | 'remove-group'; readonly group: number }
  | { readonly edit: 'move-group'; readonly group: number; readonly to: number }
  | { readonly edit: 'add-lines'; readonly group: number; readonly lines: readonly Line[] }
  | {
      readonly edit: 'change-line';
      readonly group: number;
      readonly line: number;
      readonly change: Line;
    }
  | {
      readonly edit: 'change-item';
      readonly group: number;
      readonly line: number;
      readonly change: Partial<Omit<NewItem, 'kind'>>;
    }
  | {
      readonly edit: 'duplicate-line' | 'remove-line';
      readonly group: number;
      readonly line: number;
    }
  | {
      readonly edit: 'leave-out';
      readonly group: number;
      readonly line: number;
      readonly text: string;
    }
  | {
      readonly edit: 'move-line';
      readonly group: number;
      readonly line: number;
      readonly toGroup: number;
      readonly to: number;
    };

/** An edit of a missing group or line changes nothing. */
export function apply(sheet: Sheet, edit: Edit): Sheet {
  const { groups } = sheet;
  switch (edit.edit) {
    case 'change':
      return { ...sheet, ...edit.change };
    case 'add-group':
      return { ...sheet, groups: [...groups, edit.group ?? { lines: [] }] };
    case 'change-group':
      return inGroup(sheet, edit.group, (group) => ({ ...group, ...edit.change }));
    case 'duplicate-group':
      return {
        ...sheet,
        groups: doubled(groups, edit.group, (group) => ({
          ...group,
          lines: group.lines.map((line) => ({ ...line, isOwnItem: undefined })),
        })),
      };
    case 'remove-group':
      return { ...sheet, groups: without(groups, edit.group) };
    case 'move-group':
      return { ...sheet, groups: moved(groups, edit.group, edit.to) };
    case 'add-lines':
      return inLines(sheet, edit.group, (lines) => [...lines, ...edit.lines]);
    case 'change-line':
      return inLine(sheet, edit, (line) => ({ ...line, ...edit.change }));
    case 'change-item':
      return inLine(sheet, edit, (line) =>
        line.item?.kind === 'new' ? { ...line, item: changed(line.item, edit.change) } : line,
      );
    case 'duplicate-line':
      return inLines(sheet, edit.group, (lines) =>
        doubled(lines, edit.line, (line) => ({ ...line, isSeparate: true, isOwnItem: undefined })),
      );
    case 'remove-line':
      return inLines(sheet, edit.group, (lines) => without(lines, edit.line));
    case 'leave-out':
      return inGroup(sheet, edit.group, (group) =>
        group.lines[edit.line] === undefined
          ? group
          : {
              ...group,
              lines: without(group.lines, edit.line),
              leftOut: [...(group.leftOut ?? []), edit.text],
            },
      );
    case 'move-line': {
      const line = groups[edit.group]?.lines[edit.line];
      if (line === undefined || groups[edit.toGroup] === undefined) return sheet;
      const taken = inLines(sheet, edit.group, (lines) => without(lines, edit.line));
      return inLines(taken, edit.toGroup, (lines) => {
        const at = within(edit.to, lines.length);
        return [...lines.slice(0, at), line, ...lines.slice(at)];
      });
    }
  }
}

function changed(item: NewItem, { fields, more }: Partial<Omit<NewItem, 'kind'>>): NewItem {
  return {
    ...item,
    fields: { ...item.fields, ...fields },
    ...(more === undefined ? {} : { more }),
  };
}

function inGroup(sheet: Sheet, at: number, change: (group: Group) => Group): Sheet {
  if (sheet.groups[at] === undefined) return sheet;
  return {
    ...sheet,
    groups: sheet.groups.map((group, index) => (index === at ? change(group) : group)),
  };
}

function inLines(
  sheet: Sheet,
  at: number,
  change: (lines: readonly Line[]) => readonly Line[],
): Sheet {
  return inGroup(sheet, at, (group) => ({ ...group, lines: change(group.lines) }));
}

function inLine(
  sheet: Sheet,
  { group, line }: { readonly group: number; readonly line: number },
  change: (line: Line) => Line,
): Sheet {
  return inLines(sheet, group, (lines) =>
    lines.map((one, index) => (index === line ? change(one) : one)),
  );
}

function doubled<T>(list: readonly T[], at: number, copy: (one: T) => T): readonly T[] {
  return list.flatMap((one, index) => (index === at ? [one, copy(one)] : [one]));
}

function without<T>(list: readonly T[], at: number): readonly T[] {
  return list.filter((_, index) => index !== at);
}

function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const one = list[from];
  if (one === undefined) return list;
  const rest = without(list, from);
  const at = within(to, rest.length);
  return [...rest.slice(0, at), one, ...rest.slice(at)];
}

function within(index: number, length: number): number {
  return Math.min(Math.max(0, Math.trunc(index) || 0), length);
}
