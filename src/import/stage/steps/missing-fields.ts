import type { Finding } from '../../../messages/findings.ts';
import type { WithLines } from '../../../nouns/shared/items-in-place.ts';
import type { MappedRow } from '../../source/record.ts';
import type { MissingCode } from '../../targets/import-target.ts';
import { found, type RowStep, type RowWork, type StepContext } from '../row-step.ts';

const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Rejects rows without what their noun needs to be of any use: the name of an item, the amount of an
 * imputation, its order or contract. The contract requires none of them, and nothing can be deleted.
 */
export const missingFields: RowStep = {
  begin(run) {
    const { target, shape, header } = run;
    const isAllowed = header.choices.allow.includes('missing');
    if (target.needed !== undefined) {
      const needed = isAllowed
        ? target.needed.filter((one) => one.finding !== undefined)
        : target.needed;
      return needed.length === 0 ? undefined : watch(needed, isAllowed, run);
    }
    if (isAllowed || target.definesItems !== true || shape !== target) return undefined;
    return {
      apply(row) {
        const place = row.body === undefined ? undefined : namelessItem(row.body);
        return place === undefined ? row : rejected(row, place, 'item_without_name');
      },
    };
  },
};

function watch(
  needed: NonNullable<StepContext['target']['needed']>,
  isAllowed: boolean,
  { mapping }: StepContext,
): RowWork {
  const counts = needed.map((one) => ({ ...one, count: 0 }));
  return {
    apply(row: MappedRow): MappedRow {
      const { body } = row;
      if (body === undefined) return row;
      for (const one of counts) {
        if (one.fields.some((field) => !isBlank(body[field]))) continue;
        one.count++;
        const [field] = one.fields;
        if (!isAllowed)
          return rejected(row, one.fields.length === 1 ? field : undefined, one.problem);
        if (one.finding === 'missing_amounts') {
          return found(row, { kind: one.finding, field, sample: { value: String(row.row) } });
        }
      }
      return row;
    },
    findings: () =>
      counts.flatMap(({ finding, fields: [field], count }): Finding[] =>
        finding === 'unmapped_name' && count > 0 && mapping.fields[field] === undefined
          ? [{ kind: finding, field, count, samples: [] }]
          : [],
      ),
  };
}

function isBlank(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'string' && !VISIBLE.test(value))
  );
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

function rejected(row: MappedRow, field: string | undefined, code: MissingCode): MappedRow {
  return { ...row, body: undefined, problem: { code, field, args: {} } };
}
