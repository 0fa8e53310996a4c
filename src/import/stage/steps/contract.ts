import { check } from '../../../core/validate.ts';
import type { RowStep } from '../row-step.ts';

const NAMED = 12;

/** Rejects bodies that break the contract, and removes fields that the contract does not have. */
export const contract: RowStep = {
  name: 'contract',
  begin({ target: { isChecked, create } }) {
    const schema = create.body;
    if (isChecked !== true || schema === undefined) return undefined;
    const unknown = new Set<string>();
    return {
      apply(row) {
        if (row.body === undefined) return row;
        const found = check(schema, row.body);
        for (const { field } of found.unknown) unknown.add(field.replace(/\[\d+\]/g, '[]'));
        const [issue] = found.issues;
        if (issue !== undefined) {
          const { field, problem } = issue;
          return { ...row, body: undefined, problem: { ...problem, field } };
        }
        return { ...row, body: found.value as Readonly<Record<string, unknown>> };
      },
      warnings() {
        const shown = [...unknown].slice(0, NAMED).join(', ');
        return unknown.size === 0
          ? []
          : [`these fields are not in the contract and are not sent: ${shown}`];
      },
    };
  },
};
