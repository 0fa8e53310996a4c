import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { inShell, typedAgain } from '../../../core/text/typed.ts';
import { bulkMessages } from '../../../messages/bulk.ts';
import { guardMessages } from '../../../messages/confirmations.ts';
import type { RunHeader } from '../../ledger/header.ts';
import { runCommand } from '../../ledger/place-flags.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import { rowsIn } from '../../report/words.ts';
import { tunedBy } from '../../run-options.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { NAMED } from './unconfirmed.ts';

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

/** @throws ProcError `invalid_usage` if flags contradict each other */
export function checkFlags(
  { from, all, sheet, ...decision }: ResolveFlags,
  rows: readonly string[],
  typed: readonly string[],
): void {
  tunedBy(decision.tune, ['settle']);
  if (from === undefined) {
    if (sheet !== undefined) throw new ProcError('invalid_usage', '--sheet is for --from FILE');
    if (!all || rows.length === 0) return;
    throw new ProcError('invalid_usage', '--all cannot be combined with rows', {
      hint: `Remove --all: ${typedAgain(
        typed.filter((word) => word !== '--all'),
        [],
      )}`,
    });
  }
  const other = (['adopt', 'resend', 'drop'] as const).find(
    (flag) => decision[flag] !== undefined && decision[flag] !== false,
  );
  const given = other ?? (all ? 'all' : undefined);
  if (given === undefined && rows.length === 0) return;
  const what = given === undefined ? 'a row' : `--${given}`;
  throw new ProcError(
    'invalid_usage',
    `${what} cannot be combined with --from: the file gives the rows and their outcomes`,
    { hint: `Remove ${given === undefined ? 'the row' : what}, or remove --from` },
  );
}

/** @throws ProcError `invalid_usage` */
export function decisionOf({ adopt, resend, drop }: ResolveFlags): Decision | undefined {
  const given = [adopt !== undefined, resend, drop].filter(Boolean).length;
  if (given > 1) {
    throw new ProcError('invalid_usage', 'use only one of --adopt, --resend and --drop');
  }
  if (adopt === '') throw new ProcError('invalid_usage', '--adopt is empty, expected an id');
  if (adopt !== undefined) return { kind: 'adopt', id: adopt };
  if (resend) return { kind: 'resend' };
  return drop ? { kind: 'drop' } : undefined;
}

/** @throws ProcError `invalid_usage` if the decision cannot be about these rows */
export function checkDecision(
  given: Decision | undefined,
  rows: readonly Unconfirmed[],
  header: RunHeader,
  target: ImportTarget,
): void {
  if (given?.kind === 'adopt' && rows.length > 1) {
    throw new ProcError(
      'invalid_usage',
      `--adopt gives one id, but there are ${rows.length} unconfirmed rows`,
      {
        hint: `Name the row: ${runCommand('resolve', header)} ${inShell(rows[0]!.row)} --adopt ${inShell(given.id)}`,
      },
    );
  }
  refuseReconcilable(rows, header, target);
}

/**
 * A script that gives `--resend` or `--drop` without a row must add `--all --yes`.
 *
 * @throws ProcError `confirmation_required`
 */
export function refuseUnconfirmable(
  { all }: ResolveFlags,
  kind: 'resend' | 'drop',
  { io: { terminal }, self: { flags: globals, typed } }: Ports<'io' | 'self'>,
): void {
  if (terminal.interactive || (all && globals.yes)) return;
  const missing = [...(all ? [] : ['--all']), ...(globals.yes ? [] : ['--yes'])];
  throw new ProcError(
    'confirmation_required',
    `without a row, --${kind} applies to all unconfirmed rows; this needs confirmation, and there is no terminal to ask on`,
    { hint: `Name the rows, or add ${missing.join(' ')}: ${typedAgain(typed, missing)}` },
  );
}

/** @throws ProcError `confirmation_required` */
export async function confirmAll(
  count: number,
  kind: 'resend' | 'drop',
  run: string,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<void> {
  if (ports.self.flags.yes) return;
  const lang = await ports.io.lang();
  const question = bulkMessages[lang].resolveAll(kind, count, run);
  if (await ports.ask.confirm(question, false)) return;
  throw new ProcError('declined', guardMessages[lang].declined.local);
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
  const open = rows.filter(
    ({ code, name, looked_up: looked }) => (code ?? name) !== null && looked === 0,
  );
  if (open.length === 0) return;
  const named = open.slice(0, NAMED).map(({ row }) => row);
  throw new ProcError(
    'invalid_usage',
    `${rowsIn(open.length, 'row has', 'rows have')} not been looked up yet: ${named.join(', ')}${open.length > NAMED ? ', …' : ''}`,
    { hint: `Look them up first: ${runCommand('resume', header)}` },
  );
}
