import { findText } from '../../../nouns/shared/find-text.ts';
import { invisibleIn } from '../../../nouns/shared/invisible.ts';
import { textOf } from '../../map/convert.ts';
import type { RowStep } from '../row-step.ts';
import { codeFieldsOf } from './damaged-codes.ts';

/** The keys of item codes: `code` in payloads, `item.code` in flat rows. */
const ITEM_CODE_KEYS = ['code', 'item.code'];
const NAME_KEYS = ['name', 'item.name', 'title'];

/**
 * Rejects rows with control characters in a field, or with zero-width or replacement characters in a
 * code or name. Nobody can see these characters, and the service cannot delete what an import creates.
 */
export const invisibleCharacters: RowStep = {
  name: 'invisible characters',
  begin(run) {
    if (run.header.choices.allow.includes('invisible')) return undefined;
    const fields = codeFieldsOf(run);
    const codes = new Set([...fields, ...ITEM_CODE_KEYS]);
    const check = (text: string, key: string) =>
      invisibleIn(text, codes.has(key) ? 'code' : NAME_KEYS.includes(key) ? 'name' : 'text');
    // Trimming has removed U+FEFF from the body, but the character shows that the text is damaged.
    // So the columns of codes are checked as well.
    const columns = fields.flatMap((field) => {
      const rule = run.mapping.fields[field];
      return rule !== undefined && 'column' in rule ? [{ field, column: rule.column }] : [];
    });
    return {
      apply(row) {
        const { body, fields: own } = row;
        if (body === undefined) return row;
        let found = findText(body, check);
        for (const { field, column } of columns) {
          const text = textOf((own as Readonly<Record<string, unknown>> | undefined)?.[column]);
          if (text?.includes('\uFEFF')) {
            found ??= { field, found: { kind: 'zero-width', character: 'U+FEFF' } };
          }
        }
        if (found === undefined) return row;
        const { field, found: args } = found;
        return { ...row, body: undefined, problem: { code: 'invisible', field, args } };
      },
    };
  },
};
