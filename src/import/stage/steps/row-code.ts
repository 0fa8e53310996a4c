import type { RowStep } from '../row-step.ts';

/** Finds what a row is recognised by, and rejects it if it has nothing and the plan does not allow that. */
export const rowCode: RowStep = {
  name: 'row code',
  begin({ target: { keyField, listing }, header: { choices } }) {
    const nameField = choices.noCode === 'name' ? listing?.nameField : undefined;
    const isRequired = listing !== undefined && choices.noCode === 'reject';
    const problemOf = (code: string | null, name: string | null): string | undefined => {
      if (code !== null) return undefined;
      if (isRequired) {
        return `no ${keyField}: a second import could not recognise this row (--no-code)`;
      }
      return nameField !== undefined && name === null
        ? `neither ${keyField} nor ${nameField}`
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

/** A key as text; absent and empty ones are none. */
function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}
