import type { Finding, FindingSample } from '../../../messages/findings.ts';
import { htmlEntity, mojibake } from '../../../nouns/shared/doubtful-text.ts';
import { findText } from '../../../nouns/shared/find-text.ts';
import { deliversNowhere } from '../../../nouns/shared/lines/items-in-place.ts';
import type { RowStep } from '../row-step.ts';

const NAMED = 3;
const LENGTH = 40;

/** Finds text that was read in a wrong encoding (`VÃ¡lvula`), and HTML entities (`&amp;`). */
export const garbledText: RowStep = {
  name: 'garbled text',
  begin() {
    const kinds = [
      { kind: 'mojibake', find: mojibake, count: 0, samples: [] as FindingSample[] },
      { kind: 'html_entities', find: htmlEntity, count: 0, samples: [] as FindingSample[] },
    ] as const;
    const counts = kinds.map((one) => ({ ...one }));
    return {
      apply(row) {
        if (row.body === undefined) return row;
        for (const one of counts) {
          const found = findText(row.body, one.find)?.found;
          if (found === undefined) continue;
          one.count++;
          const value = found.length > LENGTH ? `${found.slice(0, LENGTH - 1)}…` : found;
          if (one.samples.length < NAMED) {
            one.samples.push({ value, row: row.row, line: row.line });
          }
        }
        return row;
      },
      findings: () =>
        counts.flatMap(({ kind, count, samples }): Finding[] =>
          count === 0 ? [] : [{ kind, count, samples }],
        ),
    };
  },
};

/** Finds amounts of 0, and deliveries without an address: the contract allows both. */
export const doubtfulAmounts: RowStep = {
  name: 'doubtful amounts',
  begin({ target: { against, definesItems } }) {
    if (against === undefined && definesItems !== true) return undefined;
    let count = 0;
    const samples: FindingSample[] = [];
    const isFound = (body: Readonly<Record<string, unknown>>): boolean =>
      against === undefined ? deliversNowhere(body) : body[against.amount] === 0;
    return {
      apply(row) {
        if (row.body === undefined || !isFound(row.body)) return row;
        count++;
        if (samples.length < NAMED) samples.push({ value: String(row.row) });
        return row;
      },
      findings(): Finding[] {
        if (count === 0) return [];
        return against === undefined
          ? [{ kind: 'no_address', field: 'addressId', count, samples }]
          : [{ kind: 'zero_amounts', field: against.amount, count, samples }];
      },
    };
  },
};
