import { ProcError } from '../../../core/errors.ts';
import { inShell } from '../../../core/text/typed.ts';
import { sentenceIn } from '../../../messages/problems.ts';
import type { RunHeader } from '../../ledger/header.ts';
import { runCommand } from '../../ledger/place-flags.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import { rowsIn } from '../../report/words.ts';

/** Maximum number of rows in an error. */
export const NAMED = 10;
/** An error names at most this many rows with their reasons, because reasons are long. */
const EXPLAINED = 3;

/**
 * @param typed numbers or codes of rows; empty for all
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
    throw new ProcError('reference_not_found', `row ${text} of ${run} is not unconfirmed`, {
      hint:
        rows.length === 0
          ? 'The run has no unconfirmed rows'
          : `Unconfirmed rows: ${rows
              .slice(0, NAMED)
              .map(({ row }) => row)
              .join(', ')}${rows.length > NAMED ? ', …' : ''}`,
    });
  });
  return [...new Map(found.map((one) => [one.row, one])).values()];
}

export function decisionMissing(header: RunHeader, rows: readonly Unconfirmed[]): ProcError {
  const { run } = header;
  const named = rows.slice(0, EXPLAINED).map(({ row, code, reason }) => {
    const name = code === null ? '' : ` (${code})`;
    return `row ${row}${name}: ${sentenceIn(reason) ?? 'no response was recorded'}`;
  });
  const [first] = rows;
  const all =
    rows.length > EXPLAINED
      ? `List all: proc imports rows ${inShell(run)} --state unconfirmed. `
      : '';
  return new ProcError(
    'confirmation_required',
    `${rowsIn(rows.length, 'row is', 'rows are')} unconfirmed: ${named.join('; ')}${rows.length > EXPLAINED ? '; …' : ''}`,
    {
      hint: `${all}Check the service, then run: ${runCommand('resolve', header)} ${inShell(first!.row)} --adopt ID, --resend or --drop`,
      details: { rows: rows.slice(0, NAMED).map(known) },
    },
  );
}

function known({ row, code, reason, status, sent_at: sentAt, body }: Unconfirmed) {
  return {
    row,
    code,
    reason: sentenceIn(reason),
    status,
    sentAt: sentAt === null ? null : new Date(sentAt).toISOString(),
    body: JSON.parse(body) as unknown,
  };
}
