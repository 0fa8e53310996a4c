import type { WithLines } from '../../../nouns/shared/lines/items-in-place.ts';
import type { MappedRow, RowProblem } from '../../source/record.ts';
import type { RowStep } from '../row-step.ts';

const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Rejects rows without a name, and lines that define an item without a name. The contract does not
 * say whether a name is required, and items cannot be deleted.
 */
export const missingNames: RowStep = {
  name: 'missing names',
  begin({ target, shape, mapping, header: { choices } }) {
    const isAllowed = choices.allow.includes('missing');
    const field = target.listing?.nameField;
    if (field !== undefined) {
      const isMapped = mapping.fields[field] !== undefined;
      if (isAllowed && isMapped) return undefined;
      let count = 0;
      return {
        apply(row) {
          if (row.body === undefined || !isBlank(row.body[field])) return row;
          count++;
          return isAllowed ? row : rejected(row, field);
        },
        findings: () =>
          isMapped || count === 0 ? [] : [{ kind: 'unmapped_name', field, count, samples: [] }],
      };
    }
    if (isAllowed || target.definesItems !== true || shape !== target) return undefined;
    return {
      apply(row) {
        const place = row.body === undefined ? undefined : namelessItem(row.body);
        return place === undefined ? row : rejected(row, place);
      },
    };
  },
};

function isBlank(name: unknown): boolean {
  return name === undefined || name === null || (typeof name === 'string' && !VISIBLE.test(name));
}

/**
 * The place of an item with a blank name, e.g. `groups[0].items[2].item.name`. The step `contract`
 * reports all other mistakes.
 */
function namelessItem({ groups }: Partial<WithLines>): string | undefined {
  if (!Array.isArray(groups)) return undefined;
  for (const [at, group] of (groups as Partial<WithLines['groups'][number]>[]).entries()) {
    if (!Array.isArray(group?.items)) continue;
    const line = group.items.findIndex(
      ({ item }) => typeof item?.name === 'string' && isBlank(item.name),
    );
    if (line >= 0) return `groups[${at}].items[${line}].item.name`;
  }
  return undefined;
}

function rejected(row: MappedRow, field: string): MappedRow {
  const problem: RowProblem = {
    field,
    message:
      'is empty; proc does not send items without a name, because items cannot be deleted (--allow missing)',
  };
  return { ...row, body: undefined, problem };
}
