import type { Finding, FindingSample } from '../../../messages/findings.ts';
import { textOf } from '../../map/convert.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep } from '../row-step.ts';

/**
 * How many rows at the end are checked. A total may be followed by another total, or by a line such
 * as "Printed on …".
 */
const LAST = 3;

const OF = 'general|neto|bruto|net|gross|amount|items|rows|records|units|cantidad|importe';
const OF_ES = 'art[íi]culos|productos|filas|registros|unidades|[íi]tems|piezas|l[íi]neas';
const WORD =
  '(?:grand|gran|sub|running)?[ -]?tot(?:al(?:es|s)?|\\.)|suma|sumas|sum|subtotal(?:es|s)?';
/** The whole cell: "Total", "TOTAL GENERAL:", "Subtotal", "Total: 40", "Total de artículos". */
const TOTAL = new RegExp(
  `^(?:${WORD})(?:\\s+(?:of|de|del)?\\s*(?:los\\s+|las\\s+)?(?:${OF}|${OF_ES}))*\\s*[:=]?\\s*[\\d.,\\s]*$`,
  'iu',
);

export const totalRow: RowStep = {
  name: 'total row',
  begin() {
    const last: MappedRow[] = [];
    return {
      apply(row) {
        if (last.length === LAST) last.shift();
        last.push(row);
        return row;
      },
      findings() {
        const totals = last.flatMap((row): FindingSample[] => {
          const value = totalIn(row);
          return value === undefined ? [] : [{ value, row: row.row, line: row.line }];
        });
        const found: Finding = { kind: 'total_row', count: totals.length, samples: totals };
        return totals.length === 0 ? [] : [found];
      },
    };
  },
};

/**
 * The text of a total. In a row that can be sent, only the first cell with text is checked. In a
 * later cell, "Total" may be a brand.
 */
function totalIn({ fields, body }: MappedRow): string | undefined {
  for (const value of Object.values(fields ?? {})) {
    const text = textOf(value)?.trim();
    if (text === undefined || text === '') continue;
    if (TOTAL.test(text)) return text;
    if (body !== undefined) return undefined;
  }
  return undefined;
}
