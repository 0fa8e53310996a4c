import { ProcError } from '../../../core/errors.ts';
import { inShell } from '../../../core/text/typed.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import { rowsIn } from '../../report/words.ts';

/** Rows that an error names. */
export const NAMED = 10;

/**
 * @param typed numbers or codes of rows; none for all
 * @throws ProcError `reference_not_found`
 */
export function chosen(
  rows: readonly Unconfirmed[],
  typed: readonly string[],
  run: string,
): Unconfirmed[] {
  if (typed.length === 0) return [...rows];
  const found = typed.flatMap((text) => {
    const byRow = rows.filter(({ row }) => String(row) === text);
    const hits = byRow.length > 0 ? byRow : rows.filter(({ code }) => code === text);
    if (hits.length > 0) return hits;
    throw new ProcError('reference_not_found', `row ${text} of ${run} is not in doubt`, {
      hint:
        rows.length === 0
          ? 'None of its rows is.'
          : `In doubt are: ${rows
              .slice(0, NAMED)
              .map(({ row }) => row)
              .join(', ')}${rows.length > NAMED ? ', …' : ''}`,
    });
  });
  return [...new Map(found.map((one) => [one.row, one])).values()];
}

/** Without a decision in a script, what is known of the rows. */
export function nobodyToAsk(run: string, rows: readonly Unconfirmed[]): ProcError {
  const named = rows.slice(0, NAMED).map(({ row, code, reason }) => {
    const name = code === null ? '' : ` (${code})`;
    return `row ${row}${name}: ${reason ?? 'no outcome was written'}`;
  });
  const [first] = rows;
  return new ProcError(
    'confirmation_required',
    `${rowsIn(rows.length, 'row is', 'rows are')} in doubt: ${named.join('; ')}${rows.length > NAMED ? '; …' : ''}`,
    {
      hint: `Look for them in the service, then: proc imports resolve ${inShell(run)} ${inShell(first!.row)} --adopt ID, --resend or --drop`,
      details: { rows: rows.slice(0, NAMED).map(known) },
    },
  );
}

function known({ row, code, reason, status, sent_at: sentAt, body }: Unconfirmed) {
  return {
    row,
    code,
    reason,
    status,
    sentAt: sentAt === null ? null : new Date(sentAt).toISOString(),
    body: JSON.parse(body) as unknown,
  };
}
