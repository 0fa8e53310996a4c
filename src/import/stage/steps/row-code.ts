import type { RowStep } from '../row-step.ts';

/**
 * Finds the code or name by which a row is recognised, and rejects a row without one if the plan
 * requires it.
 */
export const rowCode: RowStep = {
  name: 'row code',
  begin({ target: { keyField, listing }, header: { choices } }) {
    const nameField = choices.noCode === 'name' ? listing?.nameField : undefined;
    const isRequired = listing !== undefined && choices.noCode === 'reject';
    const problemOf = (code: string | null, name: string | null): string | undefined => {
      if (code !== null) return undefined;
      if (isRequired) {
        return `has no ${keyField}, so a second import could not recognize it (--no-code)`;
      }
      return nameField !== undefined && name === null
        ? `has neither ${keyField} nor ${nameField}`
        : undefined;
    };
    return {
      apply(row) {
        const { body } = row;
        const code = textOf(body?.[keyField]);
        const name = code === null && nameField !== undefined ? textOf(body?.[nameField]) : null;
        if (row.problem !== undefined) return { ...row, code, name };
        const message = body === undefined ? 'this row cannot be sent' : problemOf(code, name);
        return message === undefined
          ? { ...row, code, name }
          : { ...row, code, name, problem: { message } };
      },
    };
  },
};

/** The code as text; null if it is missing or empty. */
function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}
