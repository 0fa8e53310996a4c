import type { CatalogueItem } from '../../nouns/shared/catalogue.ts';

/** Fields of an item that is defined in place (InventoryItemPayload, docs/service-contract.md §2). */
export const ITEM_FIELDS = [
  'name',
  'code',
  'unitOfMeasure',
  'description',
  'brand',
  'material',
  'certification',
  'type',
] as const;

export type ItemField = (typeof ITEM_FIELDS)[number];

/** null: left empty; undefined: not asked yet. */
export type Answer = string | null | undefined;

export interface KnownItem extends CatalogueItem {
  readonly kind: 'known';
}

export interface NewItem {
  readonly kind: 'new';
  readonly fields: Readonly<Partial<Record<ItemField, string | null | undefined>>>;
  /** Optional fields that the person selected; undefined if not asked yet. */
  readonly more?: readonly ItemField[] | undefined;
}

export interface Line {
  readonly item?: KnownItem | NewItem | undefined;
  /** The line as typed or pasted, e.g. `4 x wrench`; set only until the item is known. */
  readonly text?: string | undefined;
  readonly quantity?: number | undefined;
  /** If true, the wizard does not ask whether to combine this line with an earlier line of the same item. */
  readonly isSeparate?: boolean | undefined;
  /** The person wants a new item, although an earlier line defines an item with the same name. */
  readonly isOwnItem?: boolean | undefined;
}

export interface Address {
  readonly id: string;
  readonly label?: string | undefined;
}

export interface Group {
  readonly name?: Answer;
  readonly deliveryMethod?: 'pickup' | 'delivery' | undefined;
  readonly address?: Address | null | undefined;
  readonly lines: readonly Line[];
  /** The wizard does not ask for more lines. */
  readonly isComplete?: boolean | undefined;
  /** The lines of a list that is still being pasted. */
  readonly pasted?: readonly string[] | undefined;
  /** The text of each line that the person skipped. */
  readonly leftOut?: readonly string[] | undefined;
}

interface Sector {
  /** The value to send: id, key or name, depending on the dialect. */
  readonly value: string;
  readonly label?: string | undefined;
}

/** A requisition that is being entered; any part may be missing. Can be stored as JSON. */
export interface Sheet {
  readonly title?: string | undefined;
  readonly type?: Answer;
  readonly sector?: Sector | null | undefined;
  readonly code?: Answer;
  readonly groups: readonly Group[];
}

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
