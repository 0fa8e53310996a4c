import { together } from '../../../core/problem/row-problem.ts';
import { listed } from '../../../core/text/listed.ts';
import { check } from '../../../core/validate.ts';
import { digestOf, keyOf } from '../../../ledger/identity.ts';
import { locator } from '../../map/locate.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep } from '../row-step.ts';

const NAMED = 12;

/** Rejects bodies that break the contract, and removes fields that the contract does not have. */
export const contract: RowStep = {
  begin({ target: { isChecked, create } }) {
    const schema = create.body;
    if (isChecked !== true || schema === undefined) return undefined;
    const unknown = new Set<string>();
    return {
      apply(row) {
        if (row.body === undefined) return row;
        const found = check(schema, row.body);
        for (const { field } of found.unknown) unknown.add(field.replace(/\[\d+\]/g, '[]'));
        const problem = together(found.issues.map((one) => ({ ...one.problem, field: one.field })));
        const body = found.value as MappedRow['body'];
        return { ...row, body, problem };
      },
      warnings() {
        const shown = listed([...unknown], NAMED);
        return unknown.size === 0
          ? []
          : [`these fields are not in the contract and are not sent: ${shown}`];
      },
    };
  },
};

/** The last step: whatever is wrong with a row, its reason names the column and the line. */
export const located: RowStep = {
  begin({ groupBy, mapping, source, target }) {
    const locate = locator({ groupBy, mapping }, source.format, target);
    return {
      apply(row) {
        if (row.problem === undefined) return row;
        return { ...row, problem: locate(row.problem, row) };
      },
    };
  },
};

/** What identifies a row: for nouns with a list its code, otherwise the key of the noun, and all its values. */
export const identity: RowStep = {
  begin({ target: { noun, listing, create }, choices }) {
    return {
      apply(row) {
        const { body, problem } = row;
        if (body === undefined) {
          return problem === undefined
            ? { ...row, problem: { code: 'not_sendable', args: {} } }
            : row;
        }
        const key = keyOf(noun, body, choices?.key);
        const isCode = listing !== undefined && key !== null;
        return isCode || problem !== undefined
          ? { ...row, key }
          : { ...row, key, digest: digestOf(create.method, create.path, body) };
      },
    };
  },
};
