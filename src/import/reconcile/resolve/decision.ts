import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { listed } from '../../../core/text/listed.ts';
import { inShell, typedAgain } from '../../../core/text/typed.ts';
import { sentenceIn } from '../../../messages/problems.ts';
import { runCommand } from '../../report/next-steps.ts';
import { countIn, rowsIn } from '../../report/words.ts';
import type { TargetedRun } from '../../resume/which-run.ts';
import { tunedBy } from '../../run-options.ts';
import type { RunHeader } from '../../store/facts.ts';
import type { Unconfirmed } from '../../store/looked-up-rows.ts';
import type { ImportTarget } from '../../targets/import-target.ts';

/** Maximum number of rows in an error. */
const NAMED = 10;
/** An error names at most this many rows with their reasons, because reasons are long. */
const EXPLAINED = 3;

export interface ResolveFlags {
  readonly adopt: string | undefined;
  readonly resend: boolean;
  readonly drop: boolean;
  /** The decision is about every unconfirmed row. */
  readonly all: boolean;
  readonly from: string | undefined;
  readonly sheet: string | undefined;
  readonly tune: readonly string[];
  readonly waitLock: number | undefined;
}

export type Decision =
  | { readonly kind: 'adopt'; readonly id: string }
  | { readonly kind: 'resend' }
  | { readonly kind: 'drop' };

/** What a person decided about a row, whether by flags, at the prompt or in a file. */
export interface Decided {
  readonly row: Unconfirmed;
  readonly decision: Decision;
  /** Where the file says so, e.g. `line 3`. */
  readonly place?: string;
}

export interface Plan {
  readonly decided: readonly Decided[];
  /** Rows without a decision: a person is asked about each. */
  readonly open: readonly Unconfirmed[];
  /** Number of pending rows that are dropped too: `--drop --all` gives up the run. */
  readonly rest: number;
  /** Decisions of a file that were recorded before. */
  readonly unchanged: readonly {
    readonly row: Pick<Unconfirmed, 'row' | 'code'>;
    readonly decision: Decision;
  }[];
}

export interface Resolving extends TargetedRun {
  /** Numbers or codes of rows; empty for all unconfirmed rows. */
  readonly typed: readonly string[];
  readonly flags: ResolveFlags;
  readonly given: Decision | undefined;
}

/**
 * The decision that the flags give.
 *
 * @throws ProcError `invalid_usage` if flags contradict each other
 */
export function decisionOf(
  { from, all, sheet, tune, ...flags }: ResolveFlags,
  rows: readonly string[],
  typed: readonly string[],
): Decision | undefined {
  tunedBy(tune, ['settle']);
  const { adopt } = flags;
  const kinds = (['adopt', 'resend', 'drop'] as const).filter(
    (kind) => flags[kind] !== undefined && flags[kind] !== false,
  );
  const [kind] = kinds;
  if (from !== undefined) {
    const given = kind ?? (all ? 'all' : undefined);
    if (given === undefined && rows.length === 0) return undefined;
    const what = given === undefined ? 'a row' : `--${given}`;
    throw new ProcError(
      'invalid_usage',
      `${what} cannot be combined with --from: the file gives the rows and their outcomes`,
      { hint: `Remove ${given === undefined ? 'the row' : what}, or remove --from` },
    );
  }
  if (sheet !== undefined) throw new ProcError('invalid_usage', '--sheet is for --from FILE');
  if (all && rows.length > 0) {
    const others = typed.filter((word) => word !== '--all');
    throw new ProcError('invalid_usage', '--all cannot be combined with rows', {
      hint: `Remove --all: ${typedAgain(others, [])}`,
    });
  }
  if (kinds.length > 1) {
    throw new ProcError('invalid_usage', 'use only one of --adopt, --resend and --drop');
  }
  if (adopt === '') throw new ProcError('invalid_usage', '--adopt is empty, expected an id');
  if (adopt !== undefined) return { kind: 'adopt', id: adopt };
  return kind === undefined ? undefined : { kind: kind as 'resend' | 'drop' };
}

/**
 * @param typed numbers or codes of rows; empty for all
 * @throws ProcError `reference_not_found`
 */
export function chosen(
  rows: readonly Unconfirmed[],
  typed: readonly string[],
  run: string,
): readonly Unconfirmed[] {
  if (typed.length === 0) return rows;
  const found = typed.flatMap((text) => {
    const byRow = rows.filter(({ row }) => String(row) === text);
    const hits = byRow.length > 0 ? byRow : rows.filter(({ code }) => code === text);
    if (hits.length > 0) return hits;
    const numbers = rows.map(({ row }) => row);
    throw new ProcError('reference_not_found', `row ${text} of ${run} is not unconfirmed`, {
      hint:
        rows.length === 0
          ? 'The run has no unconfirmed rows'
          : `Unconfirmed rows: ${listed(numbers, NAMED)}`,
    });
  });
  return [...new Map(found.map((one) => [one.row, one])).values()];
}

/** @throws ProcError `invalid_usage`, `confirmation_required` */
export function decidedByFlags(
  rows: readonly Unconfirmed[],
  pending: number,
  { given, flags, header, target }: Pick<Resolving, 'given' | 'flags' | 'header' | 'target'>,
  { io: { terminal } }: Ports<'io'>,
): Plan {
  const [first] = rows;
  if (given?.kind === 'adopt' && first !== undefined && rows.length > 1) {
    throw new ProcError(
      'invalid_usage',
      `--adopt gives one id, but there are ${rows.length} unconfirmed rows`,
      {
        hint: `Name the row: ${runCommand('resolve', header)} ${inShell(first.row)} --adopt ${inShell(given.id)}`,
      },
    );
  }
  const isGivenUp = flags.drop && flags.all;
  if (!isGivenUp) refuseReconcilable(rows, header, target);
  const rest = isGivenUp ? pending : 0;
  if (given === undefined && first !== undefined && !terminal.interactive) {
    throw decisionMissing(header, rows);
  }
  return given === undefined
    ? { decided: [], open: rows, rest, unchanged: [] }
    : { decided: rows.map((row) => ({ row, decision: given })), open: [], rest, unchanged: [] };
}

function decisionMissing(header: RunHeader, rows: readonly Unconfirmed[]): ProcError {
  const named = rows.map(
    (row) => `${nameOf(row)}: ${sentenceIn(row.reason) ?? 'no response was recorded'}`,
  );
  const all =
    rows.length > EXPLAINED
      ? `List all: proc imports rows ${inShell(header.run)} --state unconfirmed. `
      : '';
  return new ProcError(
    'confirmation_required',
    `${countIn(header, rows.length)} ${rows.length === 1 ? 'is' : 'are'} unconfirmed: ${listed(named, EXPLAINED, '; ')}`,
    {
      hint: `${all}Check the service, then run: ${runCommand('resolve', header)} ${inShell(rows[0]!.row)} --adopt ID, --resend or --drop`,
      details: {
        rows: rows.slice(0, NAMED).map(({ row, code, reason, status, sent_at: sentAt, body }) => ({
          row,
          code,
          reason: sentenceIn(reason),
          status,
          sentAt: sentAt === null ? null : new Date(sentAt).toISOString(),
          body: JSON.parse(body) as unknown,
        })),
      },
    },
  );
}

/**
 * Refuses rows that can still be looked up: resending them could create them twice.
 *
 * @throws ProcError `invalid_usage`
 */
export function refuseReconcilable(
  rows: readonly Unconfirmed[],
  header: RunHeader,
  { listing }: ImportTarget,
): void {
  if (listing === undefined) return;
  const open = rows
    .filter(({ code, name, looked_up: looked }) => (code ?? name) !== null && looked === 0)
    .map(({ row }) => row);
  if (open.length === 0) return;
  throw new ProcError(
    'invalid_usage',
    `${rowsIn(open.length, 'row has', 'rows have')} not been looked up yet: ${listed(open, NAMED)}`,
    {
      hint: `Look them up first: ${runCommand('resume', header)}`,
    },
  );
}

/** `row 7`, or `row 7 (AR-1)`. */
export function nameOf({ row, code }: Pick<Unconfirmed, 'row' | 'code'>): string {
  return `${'row'} ${row}${code === null ? '' : ` (${code})`}`;
}
