import { together } from '../../../core/problem/row-problem.ts';
import { listed } from '../../../core/text/listed.ts';
import { check } from '../../../core/validate.ts';
import { looseFingerprintOf } from '../../../history/store.ts';
import { textOf as cellText } from '../../map/convert.ts';
import { locator } from '../../map/locate.ts';
import { columnOf } from '../../map/mapping.ts';
import type { MappedRow } from '../../source/record.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
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
  begin({ header, mapping, source, target }) {
    const locate = locator({ ...header, mapping }, source.format, target);
    return {
      apply(row) {
        if (row.problem === undefined) return row;
        return { ...row, problem: locate(row.problem, row) };
      },
    };
  },
};

/** Determines the code that identifies the row. */
export const rowCode: RowStep = {
  begin({ target: { keyField }, mapping }) {
    const column = columnOf(mapping, keyField);
    return {
      apply(row) {
        const code = textOf(row.body?.[keyField]);
        if (row.problem !== undefined) return { ...row, code: code ?? codeInSource(row, column) };
        return row.body === undefined
          ? { ...row, code, problem: { code: 'not_sendable', args: {} } }
          : { ...row, code };
      },
    };
  },
};

/**
 * The code of a row that was rejected before it had a body, so that people can recognise the row.
 */
function codeInSource({ fields }: MappedRow, column: string | undefined): string | null {
  if (column === undefined || fields === undefined) return null;
  if (Array.isArray(fields)) return null;
  const cell = cellText((fields as Readonly<Record<string, unknown>>)[column])?.trim();
  return cell === undefined ? null : textOf(cell);
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** For nouns without a list, only the fingerprint of the body shows that a row was sent before. */
export const bodyFingerprint: RowStep = {
  begin({ target }) {
    if (target.listing !== undefined) return undefined;
    const fingerprintOf = bodyFingerprintOf(target);
    return {
      apply: (row) =>
        row.problem === undefined ? { ...row, fingerprint: fingerprintOf(row.body) } : row,
    };
  },
};

/** Undefined for nouns with a list. */
function bodyFingerprintOf({ listing, create: { method, path } }: ImportTarget) {
  return listing === undefined
    ? (body: unknown) => looseFingerprintOf(method, path, body)
    : () => undefined;
}
