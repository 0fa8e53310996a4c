import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { sentenceIn } from '../../../core/problem/sentence.ts';
import { listed } from '../../../core/text/listed.ts';
import { inShell, typedAgain } from '../../../core/text/typed.ts';
import { runCommand } from '../../report/old-next-steps.ts';
import { countIn, rowsIn } from '../../report/words.ts';
import type { TargetedRun } from '../../resume/which-run.ts';
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
  readonly waitLock: number | undefined;
}

export type Decision =
  | { readonly kind: 'adopt'; readonly id: string }
  | { readonly kind: 'resend' }
  | { readonly kind: 'drop' };

/** What a person decided about a row, by flags or at the prompt. */
export interface Decided {
  readonly row: Unconfirmed;
  readonly decision: Decision;
}

export interface Plan {
  readonly decided: readonly Decided[];
  /** Rows without a decision: a person is asked about each. */
  readonly open: readonly Unconfirmed[];
  /** Number of pending rows that are dropped too: `--drop --all` gives up the run. */
  readonly rest: number;
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
  { all, ...flags }: ResolveFlags,
  rows: readonly string[],
  typed: readonly string[],
): Decision | undefined {
  const { adopt } = flags;
  const kinds = (['adopt', 'resend', 'drop'] as const).filter(
    (kind) => flags[kind] !== undefined && flags[kind] !== false,
  );
  const [kind] = kinds;
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

export interface NamedRow {
  readonly row: Unconfirmed;
  /** Of `ROW=ID`: the row was created with this id. */
  readonly id?: string | undefined;
}

/**
 * @param typed numbers or codes of rows, or `ROW=ID`; empty for all
 * @throws ProcError `reference_not_found`
 */
export function chosen(
  rows: readonly Unconfirmed[],
  typed: readonly string[],
  run: string,
): readonly NamedRow[] {
  if (typed.length === 0) return rows.map((row) => ({ row }));
  const named = (text: string) => {
    const byRow = rows.filter(({ row }) => String(row) === text);
    return byRow.length > 0 ? byRow : rows.filter(({ code }) => code === text);
  };
  const found = typed.flatMap((text): NamedRow[] => {
    const hits = named(text);
    if (hits.length > 0) return hits.map((row) => ({ row }));
    const [, name = '', id] = /^(.+?)=(.+)$/.exec(text) ?? [];
    const [row, ...others] = named(name);
    if (row !== undefined && others.length === 0) return [{ row, id }];
    const numbers = rows.map(({ row }) => row);
    throw new ProcError(
      'reference_not_found',
      others.length > 0
        ? `${name} is the code of several unconfirmed rows of ${run}`
        : `row ${name || text} of ${run} is not unconfirmed`,
      {
        hint:
          rows.length === 0
            ? 'The run has no unconfirmed rows'
            : `Unconfirmed rows: ${listed(numbers, NAMED)}`,
      },
    );
  });
  return [...new Map(found.map((one) => [one.row.row, one])).values()];
}

/** @throws ProcError `invalid_usage`, `confirmation_required` */
export function decidedByFlags(
  named: readonly NamedRow[],
  pending: number,
  { given, flags, header, target }: Pick<Resolving, 'given' | 'flags' | 'header' | 'target'>,
  { io: { terminal } }: Ports<'io'>,
): Plan {
  const [first] = named;
  if (given?.kind === 'adopt' && first !== undefined && named.length > 1) {
    throw new ProcError(
      'invalid_usage',
      `--adopt gives one id, but there are ${named.length} unconfirmed rows`,
      {
        hint: `Give each row its id: ${runCommand('resolve', header)} ${inShell(`${first.row.row}=${given.id}`)} ROW=ID`,
      },
    );
  }
  if (given !== undefined && named.some(({ id }) => id !== undefined)) {
    throw new ProcError('invalid_usage', `ROW=ID cannot be combined with --${given.kind}`);
  }
  const isGivenUp = flags.drop && flags.all;
  const rows = named.map(({ row }) => row);
  if (!isGivenUp) refuseReconcilable(rows, header, target);
  const rest = isGivenUp ? pending : 0;
  const open = given === undefined ? named.filter(({ id }) => id === undefined) : [];
  if (open.length > 0 && !terminal.interactive) {
    throw decisionMissing(
      header,
      open.map(({ row }) => row),
    );
  }
  const decided = named.flatMap(({ row, id }): Decided[] => {
    const decision = id === undefined ? given : ({ kind: 'adopt', id } as const);
    return decision === undefined ? [] : [{ row, decision }];
  });
  return { decided, open: open.map(({ row }) => row), rest };
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
function refuseReconcilable(
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
  return `row ${row}${code === null ? '' : ` (${code})`}`;
}
